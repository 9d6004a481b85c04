# SPDX-License-Identifier: Apache-2.0
"""Memory and streams shared with other libraries: DLPack, __cuda_array_interface__,
__cuda_stream__."""
from __future__ import annotations

import math
import operator
from typing import Any, NamedTuple, Optional, TypeVar

from . import _cucore
from ._cucore import Buffer, Device, Kernel, Stream
from ._enums import MemoryKind
from ._errors import InvalidArgumentError
from ._members import member

_CUDA, _CUDA_HOST, _CUDA_MANAGED = 2, 3, 13
_NO_SYNCHRONIZATION = -1
_LEGACY = 1


def _is_integer(value: Any) -> bool:
    return hasattr(type(value), "__index__")


class _Array(NamedTuple):
    """The content of a well-formed __cuda_array_interface__."""

    address: int
    size: int
    is_read_only: bool
    stream: Optional[int]


_INTERFACE = "__cuda_array_interface__"
_TYPE = r"[<>|=]?([a-zA-Z])(\d+)(\[\w+\])?"


def _interface_of(value: Any) -> Optional[dict[str, Any]]:
    try:
        found = getattr(value, _INTERFACE, None)
    except Exception as error:
        if hasattr(type(value), "__dlpack__"):
            return None  # which may support it
        raise BufferError(f"its {_INTERFACE} raised {type(error).__name__}: {error}") from error
    if found is not None and not isinstance(found, dict):
        raise BufferError(f"its {_INTERFACE} is a {type(found).__name__}, not a dict")
    return found


def _extents(interface: dict[str, Any], name: str, least: Optional[int]) -> tuple[int, ...]:
    given = interface[name]
    if not isinstance(given, (tuple, list)) or not all(map(_is_integer, given)) or \
            (least is not None and any(each < least for each in given)):
        raise BufferError(f"the {name} of its {_INTERFACE} is {given!r}, not a tuple of ints")
    return tuple(map(operator.index, given))


def _item_size(interface: dict[str, Any]) -> int:
    typestr = interface["typestr"]
    import re  # compiles the pattern at the first use
    match = re.fullmatch(_TYPE, typestr) if isinstance(typestr, str) else None
    if match is None:
        raise BufferError(f"the typestr of its {_INTERFACE} is {typestr!r}, no type such as '<f4'")
    return int(match[2]) * (4 if match[1] == "U" else 1)


def _is_dense(shape: tuple[int, ...], strides: tuple[int, ...], item: int) -> bool:
    expected = item
    for extent, stride in zip(reversed(shape), reversed(strides)):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def _read_array(interface: dict[str, Any]) -> _Array:
    for name in ("shape", "typestr", "data"):
        if name not in interface:
            raise BufferError(f"its {_INTERFACE} has no {name}")
    if interface.get("mask") is not None:
        raise BufferError("arrays with a mask are not supported")
    shape, item, data = _extents(interface, "shape", 0), _item_size(interface), interface["data"]
    if not isinstance(data, (tuple, list)) or len(data) != 2 or not (data[0] is None or _is_integer(data[0])):
        raise BufferError(f"the data of its {_INTERFACE} is {data!r}, not (address, read-only)")
    size = item * math.prod(shape)
    if interface.get("strides") is not None:
        strides = _extents(interface, "strides", None)
        if len(strides) != len(shape):
            raise BufferError(f"its {_INTERFACE} has {len(shape)} extents and {len(strides)} strides")
        if size and not _is_dense(shape, strides, item):
            raise BufferError("the array is not contiguous")
    if size and not data[0]:
        raise BufferError(f"its {_INTERFACE} has {size} bytes at no address")
    return _Array(operator.index(data[0] or 0), size, bool(data[1]), interface.get("stream"))


def _from_array(interface: dict[str, Any], stream: Optional[Stream]) -> _Array:
    """Memory with __cuda_array_interface__, ready for work in the stream."""
    array = _read_array(interface)
    if array.stream is not None and stream is not None and array.stream != stream.native:
        with stream.device as device, Stream._from_native(device, array.stream) as producer:
            stream.wait_stream(producer)
    return array


def _from_dlpack(value: Any, stream: Optional[Stream]) -> tuple[int, int, int, Any]:
    """(address, bytes, device, keeper) of memory with __dlpack__, ready for work in the stream."""
    try:
        kind = int(value.__dlpack_device__()[0])
    except Exception as error:
        raise BufferError(f"its __dlpack_device__ raised {type(error).__name__}: {error}") from error
    if kind not in (_CUDA, _CUDA_HOST, _CUDA_MANAGED):
        raise BufferError("the array is not in memory that the device can use: write it to a Buffer")
    native = _NO_SYNCHRONIZATION if stream is None else stream.native or _LEGACY
    try:
        capsule = value.__dlpack__(stream=native)
    except Exception as error:
        raise BufferError(f"its __dlpack__ raised {type(error).__name__}: {error}") from error
    address, size, _, ordinal, keeper = _cucore._import_dlpack(capsule)
    return address, size, ordinal, keeper


def foreign_memory(value: Any, stream: Stream) -> Optional[tuple[int, Any]]:
    """Returns (address, keeper) for a launch's argument; None if the object has no memory.
    Read-only memory is accepted, because a kernel may only read it."""
    lend = getattr(type(value), "_lend", None)
    if lend is not None:  # an array of cucore.array
        lent: tuple[int, Any] = lend(value, stream)
        return lent
    interface = _interface_of(value)
    if interface is not None:
        return _from_array(interface, stream).address, None
    if getattr(value, "__dlpack__", None) is None:
        return None
    address, _, _, keeper = _from_dlpack(value, stream)
    return address, keeper


def _native_stream(value: Any) -> int:
    if isinstance(value, int):
        return value
    protocol = getattr(value, "__cuda_stream__", None)
    if protocol is None:
        raise TypeError(f"a Stream, an int or an object with __cuda_stream__ is needed, not {type(value).__name__}")
    version, native = protocol() if callable(protocol) else protocol
    if version != 0:
        raise TypeError(f"version {version} of __cuda_stream__ is not known")
    return int(native)


#: cucore_stream_from_native
@member(Stream, "from_native", staticmethod)
def stream_from_native(native: Any, device: Optional[Device] = None) -> Stream:
    """Wraps a stream that somebody else made: an int or an object with __cuda_stream__.

    It is borrowed, never destroyed, and must outlive the result. Without a device the one that it belongs to is
    found.

    An object is kept alive as long as the result. If the object keeps the result, neither ends before close() of the
    result, because the garbage collector does not find cycles through a Stream. Pass the address then, as an int.

    :raises InvalidArgumentError: the stream belongs to another device or context
    """
    address = _native_stream(native)
    if device is not None:
        return _keep(Stream._from_native(device, address), native)
    refusal: Exception = InvalidArgumentError(101, "the stream belongs to none of the devices")
    for ordinal in range(Device.count()):
        with Device(ordinal) as candidate:
            try:
                return _keep(Stream._from_native(candidate, address), native)
            except InvalidArgumentError as error:
                refusal = error
    raise refusal


def foreign_stream(value: Any) -> Stream:
    """The stream of a call that is not a Stream. An address is refused, because it could be
    anything."""
    if not hasattr(type(value), "__cuda_stream__"):
        raise TypeError(f"a cucore.Stream is needed, not {type(value).__name__}")
    return stream_from_native(value)


_Owned = TypeVar("_Owned")


def _keep(ours: _Owned, owner: object) -> _Owned:
    """Keeps the owner of borrowed memory or of a borrowed stream as long as the borrower lives."""
    ours.__dict__["_owner"] = owner
    return ours


#: cucore_kernel_from_native
@member(Kernel, "from_native", staticmethod)
def kernel_from_native(native: int, device: Optional[Device] = None) -> Kernel:
    """Wraps a CUkernel that another library loaded. It is borrowed, never unloaded, and must outlive the result.

    Launches of it convert arguments by their size alone, because the driver records no classes.

    native is the address of the CUkernel. A CUfunction is not accepted, and 0 is an InvalidArgumentError.

    device is a device of the kernel's code, by default device 0.
    """
    return Kernel._from_native(device or Device(0), native)


@member(Stream, "__cuda_stream__")
def cuda_stream(self: Stream) -> tuple[int, int]:
    """The protocol of streams among Python's libraries: (0, the CUstream)."""
    return 0, self.native


_DLPACK = {MemoryKind.PINNED: _CUDA_HOST, MemoryKind.MANAGED: _CUDA_MANAGED}


#: cucore_buffer_from_native
@member(Buffer, "from_native", staticmethod)
def buffer_from_native(device: Device, address: int, length: int, owner: object = None) -> Buffer:
    """Wraps memory that another library allocated; it is borrowed and never freed. owner is kept
    alive as long as the result.

    If owner keeps the result, neither ends before close() of the result, because the garbage collector does not find
    cycles through a Buffer.
    """
    return _keep(Buffer._from_native(device, address, length), owner)


@member(Buffer, "from_array", staticmethod)
def buffer_from_array(value: Any, device: Optional[Device] = None, stream: Optional[Stream] = None) -> Buffer:
    """Wraps the memory of an object with __cuda_array_interface__ or DLPack, which is kept alive.

    With a stream, work in it comes after what the object's own stream has to do.
    """
    interface = _interface_of(value)
    if interface is not None:
        array = _from_array(interface, stream)
        if array.is_read_only:
            raise BufferError("the array is read-only, and a Buffer can be written")
        return buffer_from_native(device or Device(0), array.address, array.size, value)
    if getattr(value, "__dlpack__", None) is None:
        raise TypeError(f"no memory on a device: {type(value).__name__}")
    address, size, ordinal, keeper = _from_dlpack(value, stream)
    return buffer_from_native(device or Device(ordinal), address, size, (value, keeper))


@member(Buffer, "from_host", staticmethod)
def from_host(data: Any, stream: Optional[Stream] = None, *, device: Optional[Device] = None) -> Buffer:
    """Returns new device memory with a copy of an array, bytes or other contiguous host memory.

    Without a stream the copy is complete when the call returns.
    """
    length = memoryview(data).nbytes
    owner = device if device is not None else stream.device if isinstance(stream, Stream) else Device()
    order = owner.default_stream() if stream is None else stream
    made = Buffer(owner, length, order)
    made.write(data, order)
    if stream is None:
        order.synchronize()
    return made


@member(Buffer, "to_numpy")
def to_numpy(self: Buffer, dtype: Any = "u1", shape: Any = -1, stream: Optional[Stream] = None) -> Any:
    """Returns a NumPy array with a copy of the memory. One extent of shape may be -1.

    Without a stream the call first waits for the work of the device.
    """
    import numpy
    kind = numpy.dtype(dtype)
    if self.size % kind.itemsize:
        raise ValueError(f"the Buffer has {self.size} bytes; expected a multiple of the {kind.itemsize} bytes of {kind}")
    out = numpy.empty(self.size // kind.itemsize, kind).reshape(shape)
    if stream is None:
        _wait(self)
    self.read(out, stream)
    return out


def _rest(length: Optional[int], *pairs: tuple[Buffer, int]) -> int:
    """The length of a copy: the given one, else as much as both have behind their offsets."""
    return min(buffer.size - offset for buffer, offset in pairs) if length is None else length


def _is_buffer(value: object) -> None:
    if not isinstance(value, Buffer):
        raise TypeError(f"a cucore.Buffer is needed, not {type(value).__name__}; write() and read() copy host memory")


#: cucore_buffer_copy
@member(Buffer, "copy_from", more="length: None copies as much as both buffers have.")
def buffer_copy_from(self: Buffer, source: Buffer, length: Optional[int] = None, stream: Optional[Stream] = None,
                     offset: int = 0, source_offset: int = 0) -> None:
    _is_buffer(source)
    self._copy_from(source, _rest(length, (self, offset), (source, source_offset)), stream, offset, source_offset)


@member(Buffer, "copy_to")
def buffer_copy_to(self: Buffer, destination: Buffer, length: Optional[int] = None, stream: Optional[Stream] = None,
                   offset: int = 0, destination_offset: int = 0) -> None:
    """Copies to another buffer, as destination.copy_from(self).

    The length is in bytes. Without one the call copies as much as both buffers have behind their offsets.

    The stream belongs to the device of either buffer. Without one the default stream of the device orders the call.
    """
    _is_buffer(destination)
    order = self.device.default_stream() if stream is None else stream
    buffer_copy_from(destination, self, length, order, destination_offset, offset)


#: cucore_buffer_fill
@member(Buffer, "fill", more="length: None fills the rest of the buffer.")
def buffer_fill(self: Buffer, data: Any, length: Optional[int] = None, stream: Optional[Stream] = None,
                offset: int = 0) -> None:
    self._fill(data, _rest(length, (self, offset)), stream, offset)


@member(Buffer, "__dlpack_device__")
def dlpack_device(self: Buffer) -> tuple[int, int]:
    """Returns (kind, number) of the device in the terms of DLPack: CUDA, pinned or managed memory.
    """
    with self.device as device:
        return _DLPACK.get(MemoryKind(self.memory_kind), _CUDA), device.ordinal


@member(Buffer, "__dlpack__")
def dlpack(self: Buffer, *, stream: Optional[int] = None, max_version: object = None, dl_device: object = None,
           copy: Optional[bool] = None) -> object:
    """Returns the bytes as a DLPack capsule, which keeps the memory alive. Waits for the device's
    work, unless stream is -1."""
    kind = dlpack_device(self)
    if copy or (dl_device is not None and tuple(dl_device) != kind):  # type: ignore[arg-type]
        raise BufferError("a Buffer is exported where it is, without a copy")
    if stream != _NO_SYNCHRONIZATION:
        _wait(self)
    return _cucore._export_dlpack(self, *kind)


@member(Buffer, "__cuda_array_interface__", property)
def cuda_array_interface(self: Buffer) -> dict[str, Any]:
    """Returns the bytes for libraries that support __cuda_array_interface__, version 3. Waits for
    the device's work."""
    _wait(self)
    return {"shape": (self.size,), "typestr": "|u1", "data": (self.address, False), "strides": None, "version": 3,
            "stream": None}


@member(Buffer, "__array__")
def array(self: Buffer, dtype: Any = None, copy: Optional[bool] = None) -> Any:
    """The bytes of pinned or managed memory for NumPy. Device memory is refused, because NumPy would make an array of
    one object out of it: read it with Buffer.read()."""
    if self.size != 0 and not self.host_pointer:
        raise TypeError("the Buffer is device memory, which NumPy cannot read; copy it with Buffer.read(array, stream)")
    import numpy
    found = numpy.frombuffer(self, numpy.uint8)  # type: ignore[call-overload]  # the stubs lack the buffer protocol
    changed = found if dtype is None else found.astype(dtype, copy=False)
    if changed is not found and copy is False:
        raise ValueError(f"bytes become {numpy.dtype(dtype)} by a copy alone")
    return changed.copy() if copy and changed is found else changed


def _wait(buffer: Buffer) -> None:
    # The stream of the last use is not known here.
    with buffer.device as device:
        device.synchronize()
