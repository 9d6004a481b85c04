# SPDX-License-Identifier: Apache-2.0
"""Selections of elements by positions and masks."""
from __future__ import annotations

from typing import Any, Optional

from . import _array
from ._array import Array
from ._creation import asarray
from ._reductions import as_array
from ._shapes import ravel


def as_index(given: Any) -> Array:
    """An item of x[...] that is neither an integer nor a slice: a bool, a list or an array of another library."""
    try:
        index = as_array(given) if isinstance(given, Array) else asarray(given)
    except TypeError as error:
        raise IndexError(f"{type(given).__name__} is not an index: {error}") from error
    if index.size == 0 and isinstance(given, (list, tuple)):
        return _array.cast(index, "int64", None)  # an empty list selects nothing
    if index.dtype.kind not in "biu":
        raise IndexError(f"{type(given).__name__} of {index.dtype} is not an index; expected integers, slices, None, ..., bools or arrays of these")
    return index


def take(x: Any, indices: Any, /, *, axis: Optional[int] = None) -> Array:
    """Returns elements of an axis; without an axis, of all elements in C order."""
    x, indices = as_array(x), as_array(indices)
    if axis is None:
        return _array.take(x if x.ndim == 1 else ravel(x), indices, 0)
    return _array.take(x, indices, axis)


def take_along_axis(x: Any, indices: Any, /, *, axis: Optional[int] = -1) -> Array:
    """Returns an element of an axis per index; all other axes of both arrays broadcast."""
    x, indices = as_array(x), as_array(indices)
    return _array.take_along(x, indices, axis) if axis is not None else _array.take_along(ravel(x), indices, 0)


def put_along_axis(x: Array, indices: Any, values: Any, axis: int) -> None:
    """Writes the elements that take_along_axis() selects. If an element is selected several times, the last value wins."""
    _array.put_along(x, as_array(indices), values, axis)


def nonzero(x: Any, /) -> tuple[Array, ...]:
    """Returns the positions of the elements that are not 0, an array per axis. Waits for their number."""
    x = as_array(x)
    if x.ndim == 0:
        raise ValueError("nonzero(): the array has no axes; expected at least 1")
    return tuple(_array.nonzero(x, x.ndim))


def argwhere(x: Any, /) -> Array:
    """Returns the positions of the elements that are not 0, a row per element. Waits for their number."""
    x = as_array(x)
    if x.ndim == 0:  # a row without columns, if the element is not 0
        return argwhere(ravel(x))[:, :0]
    return _array.stack(list(nonzero(x)), 1)


def flatnonzero(x: Any, /) -> Array:
    """Returns the positions in C order of the elements that are not 0. Waits for their number."""
    return nonzero(ravel(x))[0]


def compress(condition: Any, x: Any, axis: Optional[int] = None) -> Array:
    """Returns the elements of an axis for which a condition is true; without an axis, of all elements. Waits for their number."""
    x, condition = as_array(x), as_array(condition)
    return _array.compress(ravel(x), condition, 0) if axis is None else _array.compress(x, condition, axis)


def extract(condition: Any, x: Any) -> Array:
    """Returns the elements for which a condition is true. Waits for their number."""
    return compress(ravel(condition), x)


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Returns a view of the diagonal of two axes, which becomes the last axis."""
    return _array.diagonal(as_array(x), offset, axis1, axis2)


__all__ = ["argwhere", "compress", "diagonal", "extract", "flatnonzero", "nonzero", "put_along_axis", "take", "take_along_axis"]
