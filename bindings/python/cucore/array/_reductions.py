# SPDX-License-Identifier: Apache-2.0
"""The calls of the generated reductions and scans."""
from __future__ import annotations

from typing import Any, Optional

from . import _array
from ._array import Array


def as_axes(axis: Any) -> Any:
    """None, or a tuple of axes."""
    return axis if axis is None or isinstance(axis, (tuple, list)) else tuple(axis) if isinstance(axis, range) else (axis,)


def as_array(x: Any) -> Array:
    """An array itself; other objects are converted."""
    return x if isinstance(x, Array) else Array._convert(x)


def _reduce(op: int, x: Any, axis: Any, keepdims: bool, dtype: Any, correction: float, order: float) -> Array:
    return _array.reduce(op, as_array(x), as_axes(axis), keepdims, dtype, correction, order)


def _scan(op: int, x: Any, axis: Optional[int], dtype: Any, include_initial: bool) -> Array:
    x = as_array(x)
    if axis is None:
        x, axis = (x if x.ndim == 1 else _array.reshape(x, (-1,), None)), 0
    return _array.scan(op, x, axis, dtype, include_initial, 0)
