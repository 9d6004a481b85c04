# SPDX-License-Identifier: Apache-2.0
"""Element-wise functions with parameters, and comparisons of whole arrays."""
from __future__ import annotations

from typing import Any, Optional

from . import _array, _operations
from ._array import Array

from ._dtypes import find, iinfo
from ._reductions import as_array

_NAN_TO_NUM, _ISCLOSE = _operations.NUMBERS["nan_to_num"], _operations.NUMBERS["isclose"]
_OP_WHERE, _OP_CLIP = _operations.NUMBERS["where"], _operations.NUMBERS["clip"]


def where(condition: Any, x1: Any = None, x2: Any = None, /) -> Any:
    """Returns x1 where the condition is true, else x2; with a condition alone, the positions where it is true."""
    if x1 is None and x2 is None:
        from ._indexing import nonzero
        return nonzero(condition)
    if x1 is None or x2 is None:
        raise TypeError("where() has 1 or 3 operands; 2 given")
    return _array.apply(_OP_WHERE, 1, None, None, None, as_array(condition), x1, x2)


def clip(x: Any, /, min: Any = None, max: Any = None, *, out: Optional[Array] = None) -> Array:
    """Returns the elements, at least min and at most max. The dtype of x stays, unless a bound is of a higher kind."""
    given = as_array(x)
    low, high = _bound(given, min, False), _bound(given, max, True)
    stays = _rank(low) <= _rank(given) and _rank(high) <= _rank(given)
    if stays and low is not None and high is not None:
        made = _array.apply(_OP_CLIP, 1, None, None, None, given, low, high)
    else:
        made = given if low is None else _operations.maximum(given, low)
        made = made if high is None else _operations.minimum(made, high)
    if stays and made.dtype is not given.dtype:
        made = _array.cast(made, given.dtype, None)
    if out is None:
        return _array.copy(given) if made is given else made
    _array.assign(out, made)
    return out


def _rank(x: Any) -> int:
    """The kind of elements: integers, real or complex numbers."""
    kind = getattr(getattr(x, "dtype", None), "kind", None)
    if kind is None:
        kind = "c" if isinstance(x, complex) else "f" if isinstance(x, float) else "i"
    return "fc".find(kind)


def _bound(x: Array, bound: Any, is_upper: bool) -> Any:
    """An integer beyond the limits of the dtype bounds nothing on its own side."""
    if not isinstance(bound, int) or isinstance(bound, bool) or x.dtype.kind not in "iu":
        return bound
    limits = iinfo(x.dtype)
    if limits.min <= bound <= limits.max:
        return bound
    return None if is_upper == (bound > limits.max) else limits.max if bound > limits.max else limits.min


def round(x: Any, /, decimals: int = 0) -> Array:  # noqa: A001
    """Returns the nearest numbers with so many decimals; of two, the even one."""
    x = as_array(x)
    if decimals == 0:
        return _operations.round(x)
    if x.dtype.kind in "biu" and decimals > 0:
        return _array.copy(x)
    factor = 10**abs(decimals)
    if decimals > 0:
        return _operations.divide(_operations.rint(_operations.multiply(x, factor)), factor)
    return _array.cast(_operations.multiply(_operations.rint(_operations.divide(x, factor)), factor), x.dtype, None)


def real(x: Any, /) -> Array:
    """Returns the real parts: a view of complex elements."""
    given = as_array(x)
    return _array.part(given, 1) if given.dtype.kind == "c" else given


def imag(x: Any, /) -> Array:
    """Returns the imaginary parts: a view of complex elements; of others, zeros."""
    x = as_array(x)
    return _array.part(x, 2) if x.dtype.kind == "c" else _operations.imag(x)


def nan_to_num(x: Any, /, *, nan: float = 0.0, posinf: Optional[float] = None, neginf: Optional[float] = None) -> Array:
    """Replaces NaN and infinities; without numbers for these, by the largest and the least finite number."""
    from ._dtypes import finfo
    x = as_array(x)
    if x.dtype.kind in "biu":
        return _array.copy(x)
    limits = finfo(x.dtype)
    most = limits.max if posinf is None else posinf
    return _array.apply(_NAN_TO_NUM, 1, None, None, None, x, float(nan), float(most), float(limits.min if neginf is None else neginf))


def isclose(x1: Any, x2: Any, /, rtol: float = 1e-5, atol: float = 1e-8, *, equal_nan: bool = False) -> Array:
    """Returns whether |x1 - x2| is at most atol + rtol * |x2|."""
    return _array.apply(_ISCLOSE, 1, None, None, None, x1, x2, float(rtol), float(atol), bool(equal_nan))


def allclose(x1: Any, x2: Any, /, rtol: float = 1e-5, atol: float = 1e-8, *, equal_nan: bool = False) -> bool:
    """Returns whether all elements are close, as isclose(). Waits for them."""
    return bool(_operations.all(isclose(as_array(x1), x2, rtol, atol, equal_nan=equal_nan)))


def array_equal(x1: Any, x2: Any, /, *, equal_nan: bool = False) -> bool:
    """Returns whether shapes and all elements are equal. Waits for them."""
    x1, x2 = as_array(x1), as_array(x2)
    if x1.shape != x2.shape:
        return False
    equal = _operations.equal(x1, x2)
    if equal_nan:
        equal = equal | (_operations.isnan(x1) & _operations.isnan(x2))
    return bool(_operations.all(equal))


def astype(x: Array, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Array:
    """Converts the elements. An equal dtype is a copy, unless copy is False."""
    made = _array.cast(x, find(dtype), copy)
    return made if device is None else made.to_device(device)


def diff(x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Array:
    """Returns the differences of neighbours along an axis, n times."""
    made = as_array(x)
    if n < 0:
        raise ValueError(f"diff(): n is {n}; expected at least 0")
    parts = [part for part in (prepend, made, append) if part is not None]
    if n and len(parts) > 1:
        made = _array.concat([_as_part(part, made, axis) for part in parts], axis)
    for _ in range(n):
        last, first = _along(made, axis, slice(1, None)), _along(made, axis, slice(None, -1))
        made = _operations.not_equal(last, first) if made.dtype.kind == "b" else last - first
    return made


def _along(x: Array, axis: int, part: slice) -> Array:
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"axis {axis} is out of range for {x.ndim} axes")
    return x[tuple([slice(None)] * (axis % x.ndim) + [part])]


def _as_part(part: Any, x: Array, axis: int) -> Array:
    made = as_array(part)
    if made.ndim:
        return made
    shape = list(x.shape)
    shape[axis] = 1
    return _array.broadcast(made, shape)


def shares_memory(x1: Array, x2: Array, /) -> bool:
    """Returns whether an element of one array is also one of the other."""
    return _array.shares_memory(x1, x2)


def may_share_memory(x1: Array, x2: Array, /) -> bool:
    """Returns the same as shares_memory(), which is exact."""
    return _array.shares_memory(x1, x2)


__all__ = ["allclose", "array_equal", "astype", "clip", "diff", "imag", "isclose", "may_share_memory", "nan_to_num", "real", "round",
           "shares_memory", "where"]
