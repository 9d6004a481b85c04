# SPDX-License-Identifier: Apache-2.0
"""Orders, searches and sets."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

from . import _array
from ._array import Array
from ._operations import any as any_of
from ._operations import equal, logical_not
from ._reductions import as_array
from ._shapes import ravel

_INDEX, _INVERSE, _COUNTS, _EQUAL_NAN = 1, 2, 4, 8


def sort(x: Any, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Array:
    """Returns the elements of an axis in order. Equal elements stay in their order."""
    return _array.sort(as_array(x), axis, descending)


def argsort(x: Any, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Array:
    """Returns the positions that put an axis in order. Equal elements stay in their order."""
    return _array.argsort(as_array(x), axis, descending)


def searchsorted(x1: Any, x2: Any, /, side: str = "left", *, sorter: Optional[Array] = None) -> Array:
    """Returns the positions in x1, which is in order, where the elements of x2 keep the order."""
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted(): side is {side!r}; expected 'left' or 'right'")
    return _array.searchsorted(as_array(x1), as_array(x2), side == "right", sorter)


class UniqueAll(NamedTuple):
    """The different elements, and where they are."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """The different elements, and how often they occur."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """The different elements, and the position among these of each element."""

    values: Array
    inverse_indices: Array


def unique_all(x: Any, /) -> UniqueAll:
    """Returns the different elements in order, the first position of each, the position of each element among them, and counts."""
    values, index, inverse, counts = _array.unique(as_array(x), _INDEX | _INVERSE | _COUNTS)
    return UniqueAll(values, index, inverse, counts)


def unique_counts(x: Any, /) -> UniqueCounts:
    """Returns the different elements in order, and how often they occur."""
    values, _, _, counts = _array.unique(as_array(x), _COUNTS)
    return UniqueCounts(values, counts)


def unique_inverse(x: Any, /) -> UniqueInverse:
    """Returns the different elements in order, and the position of each element among them."""
    values, _, inverse, _ = _array.unique(as_array(x), _INVERSE)
    return UniqueInverse(values, inverse)


def unique_values(x: Any, /) -> Array:
    """Returns the different elements in order. Waits for their number."""
    values: Array = _array.unique(as_array(x), 0)[0]
    return values


def unique(x: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, *, equal_nan: bool = True) -> Any:
    """Returns the different elements in order, and what else is asked for. Waits for their number. All NaNs are one element if equal_nan is true."""
    wanted = _INDEX * return_index | _INVERSE * return_inverse | _COUNTS * return_counts | _EQUAL_NAN * equal_nan
    found = [part for part in _array.unique(as_array(x), wanted) if part is not None]
    return found[0] if len(found) == 1 else tuple(found)


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Array:
    """Returns whether each element of x1 is in x2."""
    found = any_of(equal(_array.expand(as_array(x1), (-1,)), ravel(x2)), -1)
    return logical_not(found) if invert else found


__all__ = ["argsort", "isin", "searchsorted", "sort", "unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"]
