# SPDX-License-Identifier: Apache-2.0
"""Products of vectors and matrices."""
from __future__ import annotations

from typing import Any

from . import _array, _operations
from ._array import Array
from ._indexing import diagonal
from ._reductions import as_array
from ._shapes import ravel


def matmul(x1: Any, x2: Any, /) -> Array:
    """Returns the products of matrices; leading axes broadcast, and arrays of one axis are vectors."""
    return _array.matmul(as_array(x1), as_array(x2))


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Array:
    """Sums products over the last axes of x1 and the first ones of x2, or over two given sequences of axes."""
    x, y = as_array(x1), as_array(x2)
    if isinstance(axes, int):
        if not 0 <= axes <= min(x.ndim, y.ndim):
            raise ValueError(f"tensordot(): axes is {axes}; expected 0 to {min(x.ndim, y.ndim)}")
        return _array.tensordot(x, y, range(x.ndim - axes, x.ndim), range(axes))
    first, second = (one if isinstance(one, (tuple, list)) else (one,) for one in axes)
    if len(first) != len(second):
        raise ValueError(f"tensordot(): {len(first)} axes and {len(second)} axes; expected equally many")
    return _array.tensordot(x, y, first, second)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Returns the products of vectors along an axis; the elements of x1 are conjugated."""
    return _array.vecdot(as_array(x1), as_array(x2), axis)


def dot(x1: Any, x2: Any, /) -> Array:
    """Sums products over the last axis of x1 and the last but one of x2, as NumPy; numbers are multiplied."""
    x, y = as_array(x1), as_array(x2)
    if x.ndim == 0 or y.ndim == 0:
        return _operations.multiply(x, y)
    return _array.tensordot(x, y, (-1,), (max(y.ndim - 2, 0),))


def vdot(x1: Any, x2: Any, /) -> Array:
    """Returns the product of all elements as two vectors; those of x1 are conjugated."""
    return _array.vecdot(ravel(x1), ravel(x2), -1)


def inner(x1: Any, x2: Any, /) -> Array:
    """Sums products over the last axes."""
    x, y = as_array(x1), as_array(x2)
    return _operations.multiply(x, y) if x.ndim == 0 or y.ndim == 0 else _array.tensordot(x, y, (-1,), (-1,))


def outer(x1: Any, x2: Any, /) -> Array:
    """Returns the product of each element of x1 with each of x2."""
    return _operations.multiply(_array.expand(ravel(x1), (1,)), ravel(x2))


def trace(x: Any, /, offset: int = 0, axis1: int = 0, axis2: int = 1, *, dtype: Any = None) -> Array:
    """Returns the sum of the diagonal of two axes."""
    return _operations.sum(diagonal(x, offset, axis1, axis2), -1, dtype)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Returns the cross products of vectors of three elements along an axis."""
    x, y = as_array(x1), as_array(x2)
    for one in (x, y):
        if one.shape[axis] != 3:
            raise ValueError(f"cross(): axis {axis} has size {one.shape[axis]}; expected 3")
    (a, b, c), (d, e, f) = (_array.unstack(one, axis, 3) for one in (x, y))
    parts = [b * f - c * e, c * d - a * f, a * e - b * d]
    return _array.stack(parts, axis if axis < 0 else axis + max(x.ndim, y.ndim) - x.ndim)


__all__ = ["cross", "dot", "inner", "matmul", "outer", "tensordot", "trace", "vdot", "vecdot"]
