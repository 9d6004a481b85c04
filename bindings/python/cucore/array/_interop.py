# SPDX-License-Identifier: Apache-2.0
"""NumPy, and the protocols among libraries of arrays."""
from __future__ import annotations

from typing import Any, Optional

import cucore
from cucore._errors import InvalidStateError

from . import _array
from ._array import Array
from ._context import context_of, current_context
from ._dtypes import DTYPES

_CPU, _CUDA, _CUDA_MANAGED = 1, 2, 13


def numpy_dtype(dtype: Any) -> Any:
    """NumPy's type of the elements. It has no bfloat16."""
    import numpy
    if dtype.name == "bfloat16":
        raise TypeError("NumPy has no bfloat16; convert with .astype(xp.float32)")
    return numpy.dtype(dtype.name)


def to_numpy(x: Array) -> Any:
    """Returns a NumPy array with a copy of the elements. Waits for them."""
    import numpy
    out = numpy.empty(x.shape, numpy_dtype(x.dtype))
    _array.read(x, out.reshape(-1).view(numpy.uint8))
    return out


def tolist(x: Array) -> Any:
    """Returns nested lists of Python numbers, or one number. Waits for the elements."""
    if x.ndim == 0:
        return x.item()
    return to_numpy(_array.cast(x, "float32", None) if x.dtype.name == "bfloat16" else x).tolist()


def refuse_array(x: Array, dtype: Any = None, copy: Optional[bool] = None) -> Any:
    """NumPy would copy the elements without a word; the method numpy() does it by name."""
    raise TypeError("an Array is not converted to a NumPy array implicitly; use .numpy()")


def _consumer(x: Array, stream: Any) -> Optional[cucore.Stream]:
    """The stream of a number of the Array API: None and 1 the legacy default stream, 2 that of the thread, -1 none."""
    device = context_of(x).device
    if device.is_emulated or stream == -1:
        return None
    if stream in (None, 1):
        return device.default_stream()
    if stream == 2:
        return device.default_stream(cucore.DefaultStream.PER_THREAD)
    if stream == 0:
        raise ValueError("__dlpack__(): stream 0 is ambiguous; expected 1, 2, -1 or a handle")
    return cucore.Stream.from_native(stream, device)


def dlpack(x: Array, *, stream: Any = None, max_version: Optional[tuple[int, int]] = None, dl_device: Optional[tuple[int, int]] = None,
           copy: Optional[bool] = None) -> Any:
    """Returns the memory as a DLPack capsule. From now on, writes of the array go into this memory at once.

    For a `dl_device` that is the host, it returns a copy, unless `copy` is False.
    """
    if dl_device is not None and tuple(dl_device) != dlpack_device(x):
        if dl_device[0] == _CPU and copy is not False:
            return x.numpy().__dlpack__()
        raise BufferError(f"the array is on the device {dlpack_device(x)} of DLPack, not on {tuple(dl_device)}; copy it with .numpy()")
    versioned = max_version is not None and tuple(max_version) >= (1, 0)
    try:
        return _array.to_dlpack(x, _consumer(x, stream), versioned, copy)
    except InvalidStateError as error:
        raise BufferError(str(error)) from error


def from_dlpack(x: Any, /, *, device: Any = None, copy: Optional[bool] = None) -> Array:
    """Returns an array that shares the memory of another library's array, if it is on the device; memory of the host is copied.

    Call evaluate() for what was recorded before the other library writes to the memory.
    """
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"from_dlpack(): {type(x).__name__} has no __dlpack__(); convert it with asarray()")
    kind, number = x.__dlpack_device__()
    is_on_device = kind in (_CUDA, _CUDA_MANAGED)
    context = current_context(number if is_on_device and device is None else device)
    stream = {"stream": context.stream.native} if is_on_device else {}
    try:
        capsule = x.__dlpack__(**stream, max_version=(1, 0))
    except TypeError:  # of a library before DLPack 1.0
        capsule = x.__dlpack__(**stream)
    try:
        return _array.from_dlpack(context, capsule, copy)
    except InvalidStateError as error:
        raise BufferError(str(error)) from error


def cuda_array_interface(x: Array) -> dict[str, Any]:
    """The memory for libraries that support __cuda_array_interface__, version 3."""
    if x.dtype.name == "bfloat16":
        raise AttributeError("__cuda_array_interface__ has no bfloat16; use DLPack")
    typestr = f"{'|' if x.dtype.itemsize == 1 else '<'}{x.dtype.kind}{x.dtype.itemsize}"
    return {"shape": x.shape, "typestr": typestr, "data": (_array.address(x) if x.size else 0, not x.is_writable),
            "strides": None if x.is_contiguous else x.strides, "version": 3, "stream": context_of(x).stream.native or 1}


def copy_of_interface(x: Any) -> Array:
    """A copy of an object with __cuda_array_interface__. Later changes of the object do not reach it."""
    copy = _array.copy(_from_interface(x))
    _array.evaluate([copy])
    context_of(copy).stream.synchronize()
    return copy


def _from_interface(x: Any) -> Array:
    """An array that shares the memory of an object with __cuda_array_interface__."""
    interface = x.__cuda_array_interface__
    context = current_context()
    typestr, shape, strides = interface["typestr"], interface["shape"], interface.get("strides")
    dtype = next((one for one in DTYPES if one.name != "bfloat16" and one.kind == typestr[1] and one.itemsize == int(typestr[2:])), None)
    if dtype is None or typestr[0] == ">":
        raise TypeError(f"elements of the type {typestr} have no dtype")
    return _array.from_memory(context, dtype, cucore.Buffer.from_array(x, context.device, context.stream), 0, shape, strides)


def dlpack_device(x: Array) -> tuple[int, int]:
    """Returns (kind, number) of the device in the terms of DLPack."""
    context = context_of(x)
    return (_CPU, 0) if context.device.is_emulated else (_CUDA, context._ordinal)
