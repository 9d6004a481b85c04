# SPDX-License-Identifier: Apache-2.0
"""New arrays, conversions and other shapes, compared with NumPy."""
import array as host

import numpy as np
import pytest
from compared import DTYPES, elements, equal

import cucore
import cucore.array as xp


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_arrays_come_and_go(dtype):
    x = elements(dtype, (3, 4))
    for given in (x, x.T, x[::-1, ::2], x[1:1], x[0, 0], np.asfortranarray(x)):
        equal(xp.asarray(given), given)
    assert xp.asarray(x).tolist() == x.tolist()
    equal(xp.asarray(x.astype(x.dtype.newbyteorder(">"))), x)


@pytest.mark.parametrize("value", (
    True, 3, 2.5, 1j, 1 << 63, [1, 2], [[1.5], [2]], [True, 2], [], [[], []], (1, (2, 3))[1], [1, 1j], [1 << 63, 1], [[[1, 2]], [[3, 4]]]))
def test_numbers_and_lists_have_numpys_dtypes(value):
    equal(xp.asarray(value), np.asarray(value))


def test_lists_of_arrays_are_joined():
    equal(xp.asarray([xp.arange(2), np.array([5, 6])]), np.array([[0, 1], [5, 6]]))
    equal(xp.asarray([[1.0, xp.asarray(2.0)]]), np.array([[1.0, 2.0]]))


@pytest.mark.parametrize("value, error, message", (
    ([[1], [1, 2]], ValueError, "different lengths at depth 1"), ([1, [2]], ValueError, "different lengths"), (1 << 64, OverflowError, "64 bits"),
    ("text", TypeError, "str has no elements"), ([object()], TypeError, "object has no elements"),
    (np.datetime64("2000-01-01"), TypeError, "datetime64 has elements of datetime64"), (np.array(["a"]), TypeError, "elements of <U1"),
    (np.array([None]), TypeError, "elements of object")))
def test_other_values_are_refused(value, error, message):
    with pytest.raises(error, match=message):
        xp.asarray(value)


def test_dtypes_of_conversions():
    assert xp.asarray([1, 2], dtype="float32").dtype is xp.float32
    assert xp.asarray([1, 2], dtype=np.int8).dtype is xp.int8
    assert xp.asarray([1, 2], dtype=float).dtype is xp.float64
    with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
        xp.asarray([1, 300], dtype=xp.uint8)
    with pytest.raises(TypeError, match="'text' is not a dtype; expected one of bool, int8"):
        xp.zeros(1, dtype="text")
    x = xp.ones(2)
    assert xp.asarray(x) is x and xp.asarray(x, copy=False) is x
    assert not xp.shares_memory(xp.asarray(x, copy=True), x)
    with pytest.raises(ValueError, match="copy must not be False"):
        xp.asarray(x, dtype=xp.float32, copy=False)
    with pytest.raises(ValueError, match="always copied"):
        xp.asarray([1], copy=False)


def test_buffers():
    equal(xp.asarray(host.array("f", [1, 2])), np.array([1, 2], "float32"))
    equal(xp.asarray(memoryview(b"\1\2")), np.array([1, 2], "uint8"))
    equal(xp.frombuffer(b"\1\0\2\0\3\0", xp.int16, 2, offset=2), np.array([2, 3], "int16"))
    with pytest.raises(ValueError, match=r"has 3 bytes behind the offset; expected a multiple of the 2 bytes of int16"):
        xp.frombuffer(b"abc", xp.int16)


@pytest.mark.parametrize("arguments", ((5,), (2, 9, 3), (9, 2, -2), (0, 1, 0.25), (3, 1), (1.5,), (0.0, 7, 3)))
def test_arange(arguments):
    equal(xp.arange(*arguments), np.arange(*arguments))


def test_constants_and_like():
    for name in ("zeros", "ones"):
        equal(getattr(xp, name)((2, 3)), getattr(np, name)((2, 3)))
        equal(getattr(xp, name)(4, dtype=xp.int16), getattr(np, name)(4, "int16"))
        equal(getattr(xp, f"{name}_like")(xp.ones((1, 2), dtype=xp.float32)), getattr(np, name)((1, 2), "float32"))
    equal(xp.full((2, 2), 7), np.full((2, 2), 7))
    equal(xp.full(2, 1.5), np.full(2, 1.5))
    equal(xp.full((2, 2), xp.asarray([1, 2])), np.full((2, 2), [1, 2]))
    equal(xp.full_like(xp.arange(3), 9), np.full_like(np.arange(3), 9))
    assert (xp.empty((2, 0)).shape, xp.empty_like(xp.ones((3, 1), dtype=xp.int8)).dtype) == ((2, 0), xp.int8)


@pytest.mark.parametrize("k", (-2, 0, 1))
def test_triangles(k):
    x = np.arange(24.0).reshape(2, 3, 4)
    equal(xp.tril(xp.asarray(x), k=k), np.tril(x, k))
    equal(xp.triu(xp.asarray(x), k=k), np.triu(x, k))
    equal(xp.triu(xp.asarray(x > 3)), np.triu(x > 3))


def test_grids():
    x, y = np.arange(3), np.arange(4)
    for indexing in ("xy", "ij"):
        for ours, theirs in zip(xp.meshgrid(xp.asarray(x), xp.asarray(y), indexing=indexing), np.meshgrid(x, y, indexing=indexing)):
            equal(ours, theirs)
    equal(xp.fromfunction(lambda i, j: i * 10 + j, (2, 3), dtype=xp.int64), np.fromfunction(lambda i, j: i * 10 + j, (2, 3), dtype="int64"))


X = np.arange(24).reshape(2, 3, 4)
SAME_CALL = (
    ("reshape", (4, -1)), ("reshape", (24,)), ("transpose", (1, 2, 0)), ("swapaxes", 0, 2), ("moveaxis", 0, -1), ("moveaxis", (0, 1), (2, 0)),
    ("expand_dims", 1), ("ravel",), ("flipud",), ("fliplr",), ("tile", (2, 1, 1)), ("atleast_1d",), ("atleast_3d",), ("broadcast_to", (5, 2, 3, 4)),
    ("split", 2), ("array_split", 2, 1), ("array_split", [1, 3], 2), ("hsplit", 3), ("vsplit", 2), ("dsplit", 2), ("diff",), ("clip", 3, 9),
    ("transpose",), ("column_stack",), ("vstack",), ("hstack",), ("dstack",), ("concatenate",), ("isclose", 3.0), ("pad", 1), ("pad", ((0, 1), (2, 0), (1, 1))))


@pytest.mark.parametrize("name, arguments", [(call[0], call[1:]) for call in SAME_CALL])
def test_shapes_are_numpys(name, arguments):
    ours, theirs = getattr(xp, name)(xp.asarray(X), *arguments), getattr(np, name)(X, *arguments)
    for one, other in zip(*((ours, theirs) if isinstance(ours, (list, tuple)) else ((ours,), (theirs,)))):
        equal(one, other)


def test_shapes_with_keywords():
    ours = xp.asarray(X)
    for axis in (None, 0, (0, 2)):
        equal(xp.flip(ours, axis=axis), np.flip(X, axis))
        equal(xp.roll(ours, 2, axis=axis), np.roll(X, 2, axis))
    equal(xp.roll(ours, (1, -2), axis=(0, 1)), np.roll(X, (1, -2), (0, 1)))
    equal(xp.squeeze(ours[:1, :, :1], axis=0), X[0, :, :1])
    equal(xp.squeeze(ours[:1, :, :1]), X[0, :, 0])
    equal(xp.matrix_transpose(ours), X.transpose(0, 2, 1))
    equal(ours.mT, X.transpose(0, 2, 1))
    equal(xp.stack([ours, ours + 1], axis=1), np.stack([X, X + 1], axis=1))
    equal(xp.concat([ours, ours * 0.5], axis=2), np.concatenate([X, X * 0.5], axis=2))
    equal(xp.concat([ours, ours], axis=None), np.concatenate([X, X], axis=None))
    equal(xp.repeat(ours, 2, axis=1), np.repeat(X, 2, axis=1))
    equal(xp.repeat(ours, xp.asarray([0, 2]), axis=0), np.repeat(X, [0, 2], axis=0))
    for one, other in zip(xp.unstack(ours, axis=1), np.moveaxis(X, 1, 0)):
        equal(one, other)
    for one, other in zip(xp.broadcast_arrays(ours, ours[0, 0]), np.broadcast_arrays(X, X[0, 0])):
        equal(one, other)
    assert xp.broadcast_shapes((3, 1), (1, 4), 4) == (3, 4)
    with pytest.raises(ValueError, match="dimension 0 is 3 and 2"):
        xp.broadcast_shapes((3,), (2,))


def test_sorting_and_sets():
    x = np.array([3, 1, 2, 3, 1, 1])
    ours = xp.asarray(x)
    equal(xp.sort(ours), np.sort(x))
    equal(xp.sort(ours, descending=True), np.sort(x)[::-1])
    equal(xp.argsort(ours, stable=True), np.argsort(x, kind="stable"))
    equal(xp.searchsorted(xp.sort(ours), xp.asarray([0, 2, 3]), side="right"), np.searchsorted(np.sort(x), [0, 2, 3], "right"))
    values, index, inverse, counts = np.unique(x, True, True, True)
    for one, other in zip(xp.unique_all(ours), (values, index, inverse, counts)):
        equal(one, other)
    for one, other in zip(xp.unique(ours, return_counts=True), (values, counts)):
        equal(one, other)
    equal(xp.unique_values(ours), values)
    nans = np.array([np.nan, 1.0, np.nan])
    for one, other in zip(xp.unique(xp.asarray(nans), True, True, True), np.unique(nans, True, True, True)):
        equal(one, other)
    assert xp.unique_values(xp.asarray(nans)).size == xp.unique(xp.asarray(nans), equal_nan=False).size == 3
    equal(xp.unique_counts(ours).counts, counts)
    equal(xp.unique_inverse(ours).inverse_indices, inverse)
    equal(xp.isin(ours, [1, 2]), np.isin(x, [1, 2]))
    equal(xp.isin(ours, [1, 2], invert=True), np.isin(x, [1, 2], invert=True))
    ours.sort()
    equal(ours, np.sort(x))


@pytest.mark.parametrize("name", ("sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "argmin", "argmax", "count_nonzero"))
def test_reductions_are_numpys(name):
    x = elements("float64", (3, 4))
    for axis in (None, 0, -1):
        expected = getattr(np, name)(x, axis=axis)
        equal(getattr(xp, name)(xp.asarray(x), axis=axis), expected, 1e-14)
        equal(getattr(xp.asarray(x), name)(axis), expected, 1e-14)
    equal(getattr(xp, name)(xp.asarray(x), axis=0, keepdims=True), np.expand_dims(getattr(np, name)(x, axis=0), 0), 1e-14)


def test_parameters_of_reductions_and_scans():
    x = elements("int16", (3, 4))
    ours = xp.asarray(x)
    equal(xp.sum(ours, dtype=xp.float32), np.sum(x, dtype="float32"))
    equal(ours.sum(axis=(0, 1)), x.sum(axis=(0, 1)))
    equal(xp.var(ours, axis=0, correction=1), np.var(x, axis=0, ddof=1), 1e-14)
    equal(xp.norm(ours * 1.0, axis=1, order=1), np.linalg.norm(x, 1, axis=1))
    equal(ours.cumsum(1), x.cumsum(1))
    equal(xp.cumulative_sum(ours, axis=0, include_initial=True)[1:], x.cumsum(0))
    equal(xp.cumulative_prod(ours[0]), x[0].cumprod())
    with pytest.raises(cucore.IndexError, match="axis 2"):
        ours.sum(axis=2)


def test_where_round_and_parts():
    x = elements("complex64", (5,))
    ours = xp.asarray(x)
    equal(xp.real(ours), x.real)
    equal(ours.imag, x.imag)
    ours.real = 1
    ours.imag[0] = 9
    assert ours.tolist()[0] == 1 + 9j
    equal(xp.where(xp.asarray([True, False]), 1, xp.asarray([2.5, 3.5])), np.array([1.0, 3.5]))
    equal(xp.where(xp.asarray([0, 3]))[0], np.array([1]))
    equal(xp.round(xp.asarray([1.256, -2.5]), 2), np.round([1.256, -2.5], 2))
    equal(xp.round(xp.asarray([0.5, 1.5, 2.5])), np.array([0.0, 2.0, 2.0]))
    equal(xp.nan_to_num(xp.asarray([np.nan, np.inf, 1.0])), np.nan_to_num([np.nan, np.inf, 1.0]))
    complex_ones = np.array([1 + 1j, complex(np.inf, 0), complex(np.nan, 1), complex(5, -np.inf), 2])
    others = np.array([1 + 1.000001j, complex(np.inf, 0), complex(2, np.nan), complex(-5, -np.inf), 2.1])
    for dtype in (np.complex64, np.complex128):
        x, y = complex_ones.astype(dtype), others.astype(dtype)
        equal(xp.nan_to_num(xp.asarray(x)), np.nan_to_num(x))
        for equal_nan in (False, True):
            close = xp.isclose(xp.asarray(x), xp.asarray(y), equal_nan=equal_nan)
            assert close.tolist() == [True, True, equal_nan, False, False]  # as NumPy 2 does
    equal(xp.clip(xp.asarray([1, 200], dtype=xp.uint8), -5, 300), np.array([1, 200], "uint8"))
    equal(xp.arange(5).clip(min=2), np.arange(5).clip(min=2))
    assert xp.allclose(xp.ones(2), xp.ones(2) + 1e-9) and not xp.allclose(xp.ones(2), xp.zeros(2))
    assert xp.array_equal(xp.ones(2), [1, 1]) and not xp.array_equal(xp.ones(2), xp.ones(3))
    assert xp.array_equal([np.nan], [np.nan], equal_nan=True)


def test_types():
    assert xp.result_type(xp.int8, xp.ones(1, dtype=xp.float32)) is xp.float32
    assert xp.result_type(xp.ones(1, dtype=xp.int8), 3) is xp.int8
    assert xp.result_type(xp.int8, 2.5) is xp.float64
    assert xp.result_type(xp.float32, 1j) is xp.complex64
    assert xp.promote_types("uint64", "int8") is xp.float64
    assert xp.can_cast(xp.int8, xp.int16) and not xp.can_cast(xp.int16, xp.int8) and xp.can_cast(xp.int16, xp.int8, casting="same_kind")
    assert xp.isdtype(xp.int8, "integral") and xp.isdtype(xp.float32, ("bool", "real floating")) and not xp.isdtype(xp.bool, "numeric")
    for name in ("float16", "float32", "float64"):
        ours, theirs = xp.finfo(name), np.finfo(name)
        assert [ours.bits, ours.eps, ours.max, ours.min, ours.smallest_normal] == [
            theirs.bits, theirs.eps, theirs.max, theirs.min, theirs.smallest_normal]
    for name in ("int8", "uint64"):
        ours, theirs = xp.iinfo(name), np.iinfo(name)
        assert (ours.bits, ours.max, ours.min) == (theirs.bits, theirs.max, theirs.min)
    assert xp.float32 == "float32" and xp.float32 != xp.float64 and xp.float32 == np.float32


def test_arange_of_large_integers():
    top = (1 << 64) - 1
    equal(xp.arange(top - 10, top, 3), np.arange(top - 10, top, 3, dtype=np.uint64))
