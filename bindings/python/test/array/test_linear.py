# SPDX-License-Identifier: Apache-2.0
"""Products, and random numbers."""
import numpy as np
import pytest
from compared import elements, equal

import cucore.array as xp


@pytest.mark.parametrize("dtype", ("int32", "float32", "complex128"))
def test_products_are_numpys(dtype):
    x, y = elements(dtype, (3, 4)), elements(dtype, (4, 2), seed=2)
    ours, other = xp.asarray(x), xp.asarray(y)
    equal(ours @ other, x @ y)
    equal(xp.matmul(ours, other[:, 0]), x @ y[:, 0])
    equal(xp.tensordot(ours, other, axes=1), np.tensordot(x, y, 1))
    equal(xp.tensordot(ours, other, axes=((1,), (0,))), np.tensordot(x, y, ((1,), (0,))))
    equal(xp.vecdot(ours, ours), (x.conj() * x).sum(-1, dtype=dtype))
    for name in ("dot", "inner"):
        equal(getattr(xp, name)(ours, ours.T if name == "dot" else ours), getattr(np, name)(x, x.T if name == "dot" else x))
    equal(xp.vdot(ours, ours), np.vdot(x, x))
    equal(xp.outer(ours[0], other[0]), np.outer(x[0], y[0]))
    equal(xp.trace(ours), np.trace(x))
    equal(xp.cross(ours[:, :3], ours[:, 1:]), np.cross(x[:, :3], x[:, 1:]))
    square = xp.asarray(x[:, :3])
    square @= square
    equal(square, x[:, :3] @ x[:, :3])
    with pytest.raises(TypeError, match="unsupported operand"):
        ours @ 2
    with pytest.raises(ValueError, match="axes is 3; expected 0 to 2"):
        xp.tensordot(ours, other, axes=3)


def test_linspace_and_eye():
    equal(xp.linspace(0, 1, 7), np.linspace(0, 1, 7))
    equal(xp.linspace(0, 1, 4, endpoint=False), np.linspace(0, 1, 4, endpoint=False))
    equal(xp.eye(3, 4, k=1), np.eye(3, 4, 1))
    equal(xp.identity(2, xp.int8), np.identity(2, "int8"))


@pytest.mark.parametrize("k", (-2**70, -2**63, -3, 0, 4, 2**63, 2**70))
def test_diagonals_outside_a_matrix_have_no_elements(k):
    matrix = np.arange(12).reshape(3, 4)
    equal(xp.eye(3, 4, k=k), np.eye(3, 4, max(-3, min(k, 4))))
    equal(xp.tril(xp.asarray(matrix), k=k), np.tril(matrix, max(-3, min(k, 4))))
    equal(xp.triu(xp.asarray(matrix), k=k), np.triu(matrix, max(-3, min(k, 4))))


def test_random_numbers_are_a_function_of_the_seed():
    first, second = xp.random.default_rng(7), xp.random.Generator(7)
    x = first.normal(size=1000)
    equal(second.normal(size=1000), x.numpy())
    state = first.state
    y = first.random((2, 3), dtype=xp.float32)
    first.state = state
    equal(first.random((2, 3), dtype=xp.float32), y.numpy())
    assert not xp.array_equal(first.random(6), first.random(6))
    assert xp.random.default_rng().state != xp.random.default_rng().state


def test_distributions():
    generator = xp.random.default_rng(1)
    for made, mean, deviation in (
            (generator.random(20000), 0.5, 12**-0.5), (generator.uniform(-1, 3, 20000), 1, 4 * 12**-0.5), (generator.normal(2, 3, 20000), 2, 3),
            (generator.standard_normal(20000), 0, 1), (generator.exponential(2, 20000), 2, 2), (generator.bernoulli(0.25, 20000) * 1.0, 0.25, 0.433),
            (generator.integers(0, 6, 20000), 2.5, 1.708)):
        assert abs(made.mean().item() - mean) < 0.05 * max(deviation, 1) and abs(made.std().item() - deviation) < 0.05 * max(deviation, 1)
    dice = generator.integers(1, 6, 1000, endpoint=True)
    assert (dice.min().item(), dice.max().item()) == (1, 6)
    assert generator.bits(3).dtype is xp.uint64
    assert generator.normal(xp.zeros((2, 1)), xp.ones(3)).shape == (2, 3)
