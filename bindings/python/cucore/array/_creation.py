# SPDX-License-Identifier: Apache-2.0
"""New arrays."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import index
from typing import Any, Optional, Union

from . import _array, _interop
from ._array import Array
from ._context import Device, context_of, current_context
from ._dtypes import DType, complex128, find, float64, iinfo, int64, isdtype, uint64
from ._operations import greater_equal, less_equal
from ._reductions import as_array

Shape = Union[int, Sequence[int]]


def as_shape(shape: Any) -> Sequence[int]:
    return shape if isinstance(shape, (tuple, list)) else (shape,)


def _default_float(dtype: Any) -> Any:
    return float64 if dtype is None else dtype


def empty(shape: Shape, *, dtype: Any = None, device: Device = None) -> Array:
    """Returns an array of elements that are not set."""
    return _array.empty(current_context(device), _default_float(dtype), as_shape(shape))


def full(shape: Shape, fill_value: Any, *, dtype: Any = None, device: Device = None) -> Array:
    """Returns an array of equal elements."""
    if isinstance(fill_value, Array):
        return broadcast_copy(fill_value, as_shape(shape), dtype)
    return _array.full(current_context(device), dtype, as_shape(shape), fill_value)


def broadcast_copy(value: Array, shape: Sequence[int], dtype: Any) -> Array:
    return _array.copy(_array.broadcast(value if dtype is None else _array.cast(value, dtype, None), shape))


def zeros(shape: Shape, *, dtype: Any = None, device: Device = None) -> Array:
    """Returns an array of zeros."""
    return _array.full(current_context(device), _default_float(dtype), as_shape(shape), 0)


def ones(shape: Shape, *, dtype: Any = None, device: Device = None) -> Array:
    """Returns an array of ones."""
    return _array.full(current_context(device), _default_float(dtype), as_shape(shape), 1)


def _like(x: Array, dtype: Any, device: Device) -> tuple[Any, Any]:
    context = context_of(x) if device is None else current_context(device)
    return context, x.dtype if dtype is None else dtype


def _in_order_of(x: Array, make: Callable[[Sequence[int]], Array]) -> Array:
    """The memory of a new array runs over its axes in the order of those of x, as in NumPy."""
    if x.is_contiguous:
        return make(x.shape)
    order = sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]))
    return _array.permute(make([x.shape[axis] for axis in order]), sorted(range(x.ndim), key=order.__getitem__))


def empty_like(x: Array, /, *, dtype: Any = None, device: Device = None) -> Array:
    """Returns an array of the same shape whose elements are not set."""
    context, wanted = _like(x, dtype, device)
    return _in_order_of(x, lambda shape: _array.empty(context, wanted, shape))


def full_like(x: Array, /, fill_value: Any, *, dtype: Any = None, device: Device = None) -> Array:
    """Returns an array of the same shape with equal elements."""
    context, wanted = _like(x, dtype, device)
    return _in_order_of(x, lambda shape: _array.full(context, wanted, shape, fill_value))


def zeros_like(x: Array, /, *, dtype: Any = None, device: Device = None) -> Array:
    """Returns an array of the same shape with zeros."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Array, /, *, dtype: Any = None, device: Device = None) -> Array:
    """Returns an array of the same shape with ones."""
    return full_like(x, 1, dtype=dtype, device=device)


def arange(start: float, /, stop: Optional[float] = None, step: float = 1, *, dtype: Any = None, device: Device = None) -> Array:
    """Returns the numbers start, start + step and so on, below stop."""
    first, last = (0, start) if stop is None else (start, stop)
    if step == 0:
        raise ValueError("arange(): step is 0")
    count = -((first - last) // step) if isinstance(first, int) and isinstance(last, int) and isinstance(step, int) \
        else math.ceil((last - first) / step)
    if dtype is None and any(isinstance(part, float) for part in (first, last, step)):
        dtype = float64
    if dtype is None:
        dtype = _type_of_large(first) or _type_of_large(first + (count - 1) * step if count > 0 else first)
    return _array.arange(current_context(device), int64 if dtype is None else dtype, first, step, max(int(count), 0))


def asarray(obj: Any, /, *, dtype: Any = None, device: Device = None, copy: Optional[bool] = None) -> Array:
    """Converts a number, nested lists, a NumPy array, a buffer or an object with DLPack to an array.

    Host memory is copied. An array is returned itself, unless dtype, device or copy need another one. ``copy=False`` is a
    ValueError if a copy is necessary.
    """
    wanted = None if dtype is None else find(dtype)
    if isinstance(obj, Array):
        return _of_array(obj, wanted, device, copy)
    if copy is False:
        raise ValueError("asarray(): memory of the host is always copied; copy must not be False")
    made = _new(obj, device)
    if wanted is None or made.dtype is wanted:
        return made
    _require_range(obj, made.dtype, wanted)
    return _array.cast(made, wanted, None)


def _of_array(x: Array, dtype: Optional[DType], device: Device, copy: Optional[bool]) -> Array:
    is_other = dtype is not None and dtype is not x.dtype
    if is_other and copy is False:
        raise ValueError(f"asarray(): {x.dtype} becomes {dtype} by a copy alone; copy must not be False")
    if device is not None:
        x = x.to_device(device)
    if is_other:
        return _array.cast(x, dtype, None)
    return _array.copy(x) if copy else x


def _new(obj: Any, device: Device) -> Array:
    context = current_context(device)
    if isinstance(obj, (bool, int, float, complex)) and not hasattr(obj, "dtype"):
        return _array.full(context, _type_of_large(obj), (), obj)
    made = None
    if isinstance(obj, (list, tuple)):
        made = _array.nested(context, obj)
        return _stacked(obj, device) if made is None else made
    _require_numbers(obj)
    if hasattr(obj, "__buffer__") or _has_buffer(obj):
        made = _array.from_buffer(context, obj)
    if made is None and hasattr(obj, "__array_interface__"):
        array: Any = obj
        made = _array.from_buffer(context, array.astype(array.dtype.newbyteorder("=")))
    if made is None and hasattr(obj, "__dlpack__"):
        return _interop.from_dlpack(obj, device=device, copy=True)
    if made is None and hasattr(obj, "__cuda_array_interface__"):
        return _interop.copy_of_interface(obj)
    if made is None and isinstance(obj, range):
        return arange(obj.start, obj.stop, obj.step, device=device)
    if made is None:
        raise TypeError(f"asarray(): {type(obj).__name__} has no elements of a known type; expected numbers, nested lists, a buffer or DLPack")
    return made


def _type_of_large(number: Any) -> Optional[DType]:
    """The type of an integer that needs more than 63 bits; of others None, the default."""
    if not isinstance(number, int) or -(1 << 63) <= number < 1 << 63:
        return None
    if not 0 <= number < 1 << 64:
        raise OverflowError(f"asarray(): {number} has more than 64 bits")
    return uint64


def _require_numbers(obj: Any) -> None:
    """Refuses NumPy's dates, texts and objects, whose buffers would be bytes."""
    dtype = getattr(obj, "dtype", None)
    if getattr(dtype, "kind", "") in tuple("mMOSU"):
        raise TypeError(f"asarray(): {type(obj).__name__} has elements of {dtype}; expected numbers or bools")


def _has_buffer(obj: Any) -> bool:
    try:
        memoryview(obj).release()
    except TypeError:
        return False
    except (ValueError, BufferError):
        return True
    return True


def _stacked(obj: Sequence[Any], device: Device) -> Array:
    """Lists that contain arrays."""
    parts = [_new(part, device) if not isinstance(part, Array) else part for part in obj]
    return _array.stack(parts, 0)


def _require_range(obj: Any, found: DType, wanted: DType) -> None:
    """Integers of Python must fit the type, as in NumPy; elements of arrays are converted as they are."""
    if not isinstance(obj, (int, list, tuple)) or not isdtype(found, "integral") or not isdtype(wanted, "integral"):
        return
    limits = iinfo(wanted)
    for number in _extremes(obj):
        if not limits.min <= number <= limits.max:
            raise OverflowError(f"Python integer {number} out of bounds for {wanted}")


def _extremes(obj: Any) -> list[int]:
    if isinstance(obj, (list, tuple)):
        every = [number for part in obj for number in _extremes(part)]
        return [min(every), max(every)] if every else []
    return [obj] if isinstance(obj, int) else []


def array(obj: Any, dtype: Any = None, *, copy: Optional[bool] = True, ndmin: int = 0) -> Array:
    """Converts as asarray() does, into memory of its own. Leading axes are added up to ndmin."""
    made = asarray(obj, dtype=dtype, copy=copy if isinstance(obj, Array) else None)
    return made if made.ndim >= ndmin else _array.expand(made, tuple(range(ndmin - made.ndim)))


def copy(x: Any, /) -> Array:
    """Returns a copy. The elements are copied when one of both is written, at the earliest."""
    return _array.copy(as_array(x))


def frombuffer(buffer: Any, dtype: Any = float64, count: int = -1, offset: int = 0) -> Array:
    """Returns an array with a copy of a buffer's bytes."""
    wanted = find(dtype)
    data = memoryview(buffer).cast("B")[offset:]
    size = len(data) // wanted.itemsize if count < 0 else count
    if size * wanted.itemsize > len(data) or (count < 0 and len(data) % wanted.itemsize):
        raise ValueError(f"frombuffer(): the buffer has {len(data)} bytes behind the offset; expected "
                         + (f"{size * wanted.itemsize}" if count >= 0 else f"a multiple of the {wanted.itemsize} bytes of {wanted}"))
    made = empty((size,), dtype=wanted)
    _array.write(made, data[:size * wanted.itemsize])
    return made


def fromfunction(function: Callable[..., Any], shape: Shape, *, dtype: Any = float64) -> Any:
    """Calls a function with an array of positions per axis, and returns its result."""
    sizes = as_shape(shape)
    return function(*meshgrid(*(arange(size, dtype=dtype) for size in sizes), indexing="ij"))


def linspace(start: Any, stop: Any, /, num: int = 50, *, dtype: Any = None, device: Device = None, endpoint: bool = True) -> Array:
    """Returns numbers of equal distance from start to stop."""
    if dtype is None:
        dtype = complex128 if isinstance(start, complex) or isinstance(stop, complex) else float64
    return _array.linspace(current_context(device), dtype, start, stop, num, endpoint)


def _diagonal(k: int, rows: int, columns: int) -> int:
    """Returns k, or the nearest diagonal that is outside the matrix as k is. A k of Python may exceed an int64."""
    return max(-index(rows), min(index(k), index(columns)))


def eye(n_rows: int, n_cols: Optional[int] = None, /, *, k: int = 0, dtype: Any = None, device: Device = None) -> Array:
    """Returns a matrix with ones on its k-th diagonal."""
    columns = n_rows if n_cols is None else n_cols
    return _array.eye(current_context(device), _default_float(dtype), n_rows, columns, _diagonal(k, n_rows, columns))


def identity(n: int, dtype: Any = None) -> Array:
    """Returns a square matrix with ones on its diagonal."""
    return eye(n, dtype=dtype)


def meshgrid(*arrays: Array, indexing: str = "xy") -> list[Array]:
    """Returns an array per argument, which contains its elements along one axis of a grid. The arrays are read-only views."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid(): indexing is {indexing!r}; expected 'xy' or 'ij'")
    count = len(arrays)
    axes = list(range(count))
    if indexing == "xy" and count > 1:
        axes[:2] = [1, 0]
    flat = [_array.reshape(as_array(x), (-1,), None) for x in arrays]
    if len({x.dtype for x in flat}) > 1:
        raise ValueError("meshgrid(): the arrays have different dtypes")
    shape = [0] * count
    for axis, x in zip(axes, flat):
        shape[axis] = x.size
    made = [_array.reshape(x, [-1 if at == axis else 1 for at in range(count)], None) for axis, x in zip(axes, flat)]
    return [_array.broadcast(x, shape) for x in made]


def _triangle(x: Any, k: int, comparison: Any) -> Array:
    x = as_array(x)
    if x.ndim < 2:
        raise ValueError(f"the array has {x.ndim} axes; expected at least 2")
    context = context_of(x)
    rows = _array.arange(context, int64, _diagonal(k, *x.shape[-2:]), 1, x.shape[-2])
    columns = _array.arange(context, int64, 0, 1, x.shape[-1])
    kept = comparison(_array.reshape(rows, (-1, 1), None), columns)
    return where_zero(kept, x)


def where_zero(kept: Array, x: Array) -> Array:
    from ._operations import where
    return where(kept, x, _array.full(context_of(x), x.dtype, (), 0))


def tril(x: Any, /, *, k: int = 0) -> Array:
    """Returns the matrices with zeros above the k-th diagonal."""
    return _triangle(x, k, greater_equal)


def triu(x: Any, /, *, k: int = 0) -> Array:
    """Returns the matrices with zeros below the k-th diagonal."""
    return _triangle(x, k, less_equal)


__all__ = ["arange", "array", "asarray", "copy", "empty", "empty_like", "eye", "frombuffer", "fromfunction", "full", "full_like", "identity", "linspace", "meshgrid",
           "ones", "ones_like", "tril", "triu", "zeros", "zeros_like"]
