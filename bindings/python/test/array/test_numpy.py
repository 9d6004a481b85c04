# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions with arrays, and NumPy's ways of calling ours."""
import numpy as np
import pytest

import cucore
import cucore.array as xp
from compared import equal

M = np.arange(6, dtype="float32").reshape(2, 3)

CALLS = {
    "flip": lambda x: np.flip(x, 0), "roll": lambda x: np.roll(x, 1, 0), "take": lambda x: np.take(x, [0, 1], 1), "diff": lambda x: np.diff(x, 1, 0),
    "repeat": lambda x: np.repeat(x, 2, 0), "cumsum": lambda x: np.cumsum(x, 0), "sum": lambda x: np.sum(x, 0, keepdims=True),
    "clip": lambda x: np.clip(x, 1, a_max=3), "clip below": lambda x: np.clip(x, None, 3), "round": lambda x: np.round(x / 7, 1),
    "around": lambda x: np.around(x / 7, decimals=2), "var": lambda x: np.var(x, ddof=1), "std": lambda x: np.std(x, 1, ddof=1),
    "tensordot": lambda x: np.tensordot(x, x, 2), "take_along_axis": lambda x: np.take_along_axis(x, x[:, :1].astype("int64") * 0, 1),
    "full": lambda x: np.full((2,), 1.5, like=x), "eye": lambda x: np.eye(2, 3, k=1, like=x), "ones": lambda x: np.ones(3, like=x),
    "trace": lambda x: np.trace(x, 1), "norm": lambda x: np.linalg.norm(x), "norm of rows": lambda x: np.linalg.norm(x, 1, axis=1),
    "norm of a vector": lambda x: np.linalg.norm(x[0], 1), "concatenate": lambda x: np.concatenate([x, x], 1), "squeeze": lambda x: np.squeeze(x[:1], 0),
    "moveaxis": lambda x: np.moveaxis(x, 0, 1), "sort": lambda x: np.sort(x, 0), "reshape": lambda x: np.reshape(x, (3, 2)),
    "zeros_like": lambda x: np.zeros_like(x, dtype="f8"), "full_like": lambda x: np.full_like(x, 3),
}


@pytest.mark.parametrize("name", CALLS)
def test_numpy_functions(name):
    equal(CALLS[name](xp.asarray(M)), CALLS[name](M), 1e-6)


def test_properties_by_numpy():
    x = xp.asarray(M)
    assert (np.shape(x), np.ndim(x), np.size(x), np.size(x, 1)) == ((2, 3), 2, 6, 3)
    assert np.array_repr(x) == repr(x) and np.array_str(x) == str(x)


def test_numpy_functions_without_a_counterpart():
    """No function computes something else under the same name."""
    x = xp.asarray(M)
    strings = lambda: np.char.add(x, x)  # NumPy 2 has one add for both
    for call in (*([] if np.char.add is np.add else [strings]), lambda: np.linalg.norm(x, 1), lambda: np.linalg.norm(x, 2, axis=(0, 1)), lambda: np.fft.fft(x),
                 lambda: np.median(x), lambda: np.sum(x, out=x)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError, match=r"var\(\): dtype has no counterpart in cucore.array; leave it out"):
        np.var(x, dtype="f8")


def test_ufuncs_with_out_and_where():
    x, z = xp.asarray(M), xp.zeros((2, 3), dtype=xp.float32)
    assert np.add(x, x, out=z, where=M > 2) is z
    equal(z, np.where(M > 2, M + M, 0).astype("float32"))
    xp.multiply(x, 3, out=z, where=[[True, False, False]])
    equal(z, np.where([[1, 0, 0], [1, 0, 0]], M * 3, np.where(M > 2, M + M, 0)).astype("float32"))
    host = M.copy()
    with pytest.raises(TypeError, match=r"add\(\): out is ndarray; expected an Array"):
        host += x


def test_methods_of_numpy():
    for call in (lambda x: x.argsort(), lambda x: x.argsort(0), lambda x: x.repeat(2), lambda x: x.repeat([1, 2], 0), lambda x: x.compress([True, False], 0),
                 lambda x: x.dot(x.T), lambda x: x.trace(), lambda x: x.trace(1), lambda x: x[1].searchsorted([3.5, 4])):
        equal(call(xp.asarray(M)), call(M))


def test_short_names_of_dtypes():
    for name in ("f2", "f4", "<f8", "i1", "=i8", "u2", "|u1", "c8", "?", "b1"):
        assert xp.zeros(1, dtype=name).dtype.name == np.dtype(name).name, name
    with pytest.raises(TypeError, match="'>f4' is not a dtype"):
        xp.zeros(1, dtype=">f4")


def test_refusals_have_the_class_of_numpy():
    x = xp.asarray(M)
    for call in (lambda: x.sum(axis=(0, -2)), lambda: xp.repeat(x, xp.asarray([1, -2]), axis=0)):
        with pytest.raises(ValueError) as raised:
            call()
        assert not isinstance(raised.value, OverflowError)
    with pytest.raises(TypeError, match="where.. has 1 or 3 operands; 2 given"):
        xp.where(x > 1, x)
    with pytest.raises(TypeError, match="an operand is neither a number nor an array"):
        xp.where(x > 1, x, object())
    for setting in ("max_bytes", "max_pending", "max_depth"):
        for number in (-1, 1 << 63):
            with pytest.raises(ValueError, match=f"{setting} is {number}; expected 0 to"):
                xp.Context(**{setting: number})


def test_copies_have_c_order():
    """Elements of a reshaped copy are those of the copy, as in NumPy."""
    for make in (lambda x: x.T.copy(), lambda x: x.T[::-1].copy(), lambda x: x[:, ::2].T.copy()):
        copy, ours = make(M.copy()), make(xp.asarray(M))
        assert ours.strides == copy.strides and ours.is_contiguous
        copy.reshape(-1)[1] = ours.reshape(-1)[1] = 9
        equal(ours, copy)
    for make in (np.copy, lambda x: x.astype("f8"), lambda x: x + 1, np.zeros_like):  # these keep the order
        ours = make(xp.asarray(M).T)
        assert ours.strides == make(M.T).strides
        assert cucore and ours.shape == (3, 2)
