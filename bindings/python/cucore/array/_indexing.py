# SPDX-License-Identifier: Apache-2.0
"""Selections of elements by positions and masks."""
from __future__ import annotations

from numbers import Integral
from operator import index as index_of
from typing import Any, Optional, Union

from . import _array
from ._array import Array
from ._creation import asarray
from ._reductions import as_array
from ._shapes import ravel

Bounds = Optional[tuple[int, int]]
_MOST = (1 << 63) - 1


def as_index(given: Any) -> Union[int, tuple[Array, Bounds]]:
    """Another item of x[...] than integers and slices: a bool, a list, a number of NumPy or an array of another library."""
    if isinstance(given, Integral) and not isinstance(given, bool):
        return index_of(given)
    try:
        index = as_array(given) if isinstance(given, Array) else asarray(given)
    except TypeError as error:
        raise IndexError(f"{type(given).__name__} is not an index: {error}") from error
    if index.size == 0 and isinstance(given, (list, tuple)):
        return _array.cast(index, "int64", None), None  # an empty list selects nothing
    if index.dtype.kind not in "biu":
        raise IndexError(f"{type(given).__name__} of {index.dtype} is not an index; expected integers, slices, None, ..., bools or arrays of these")
    return index, _bounds(given) if index.dtype.kind != "b" else None


def _bounds(given: Any) -> Bounds:
    """The least and the greatest of integers of the host; None of other objects and of empty ones."""
    if isinstance(given, (list, tuple)):
        kinds = set(map(type, given))
        if kinds and all(issubclass(kind, Integral) for kind in kinds):
            return min(given), max(given)
        parts = [part for part in map(_bounds, given) if part] if kinds and kinds <= {list, tuple} else []
        return (min(part[0] for part in parts), max(part[1] for part in parts)) if parts else None
    if isinstance(given, range):
        return (min(given[0], given[-1]), max(given[0], given[-1])) if given else None
    if hasattr(given, "__array_interface__") and given.size > 0:
        return min(int(given.min()), _MOST), min(int(given.max()), _MOST)
    return None


def _require_range(x: Array, indices: Any, axis: int) -> None:
    """Refuses integers of the host that are out of range for the axis."""
    bounds = (indices, indices) if isinstance(indices, int) else _bounds(indices)
    if bounds is None or not -x.ndim <= axis < x.ndim:
        return
    for each in bounds:
        if not -x.shape[axis] <= each < x.shape[axis]:
            raise IndexError(f"index {each} is out of range for axis {axis % x.ndim} of size {x.shape[axis]}")


def take(x: Any, indices: Any, /, *, axis: Optional[int] = None) -> Array:
    """Returns elements of an axis; without an axis, of all elements in C order."""
    x = as_array(x)
    if axis is None:
        x, axis = x if x.ndim == 1 else ravel(x), 0
    _require_range(x, indices, axis)
    return _array.take(x, as_array(indices), axis)


def take_along_axis(x: Any, indices: Any, /, *, axis: Optional[int] = -1) -> Array:
    """Returns an element of an axis per index; all other axes of both arrays broadcast."""
    x = as_array(x)
    if axis is None:
        x, axis = ravel(x), 0
    _require_range(x, indices, axis)
    return _array.take_along(x, as_array(indices), axis)


def put_along_axis(x: Array, indices: Any, values: Any, axis: int) -> None:
    """Writes the elements that take_along_axis() selects. If an element is selected several times, the last value wins."""
    _require_range(x, indices, axis)
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
