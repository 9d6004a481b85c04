"""Memory and streams of other libraries, and ours for them: DLPack, __cuda_array_interface__, __cuda_stream__."""
from __future__ import annotations

from typing import Any, Optional, TypeVar

from . import _cucore
from ._cucore import Buffer, Device, Stream
from ._errors import InvalidArgumentError

_CUDA, _CUDA_HOST, _CUDA_MANAGED = 2, 3, 13
_NO_SYNCHRONIZATION = -1
_LEGACY = 1


def _is_dense(interface: dict[str, Any]) -> bool:
    strides = interface.get("strides")
    if strides is None:
        return True
    expected = _item_size(interface)
    for extent, stride in zip(reversed(interface["shape"]), reversed(strides)):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def _item_size(interface: dict[str, Any]) -> int:
    digits = "".join(c for c in interface["typestr"] if c.isdigit())
    return int(digits) * (4 if interface["typestr"][1:2] == "U" else 1)


def _from_array(interface: dict[str, Any], stream: Optional[Stream]) -> tuple[int, int]:
    """(address, bytes) of memory with __cuda_array_interface__, ready for work in the stream."""
    if interface.get("mask") is not None:
        raise BufferError("arrays with a mask are not supported")
    if not _is_dense(interface):
        raise BufferError("the array is not contiguous")
    other = interface.get("stream")
    if other is not None and stream is not None and other != stream.native:
        with stream.device as device, Stream._from_native(device, other) as producer:
            stream.wait_stream(producer)
    size = _item_size(interface)
    for extent in interface["shape"]:
        size *= extent
    return interface["data"][0] or 0, size


def _from_dlpack(value: Any, stream: Optional[Stream]) -> tuple[int, int, int, Any]:
    """(address, bytes, device, keeper) of memory with __dlpack__, ready for work in the stream."""
    kind = int(value.__dlpack_device__()[0])
    if kind not in (_CUDA, _CUDA_HOST, _CUDA_MANAGED):
        raise BufferError("the array is not in memory that the device can use: write it to a Buffer")
    native = _NO_SYNCHRONIZATION if stream is None else stream.native or _LEGACY
    capsule = value.__dlpack__(stream=native)
    address, size, _, ordinal, keeper = _cucore._import_dlpack(capsule)
    return address, size, ordinal, keeper


def foreign_memory(value: Any, stream: Stream) -> Optional[tuple[int, Any]]:
    """(address, keeper) of a launch's argument; None if the object has no memory."""
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        return _from_array(interface, stream)[0], None
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


def stream_from_native(native: Any, device: Optional[Device] = None) -> Stream:
    """Wraps a stream that somebody else made: an int or an object with __cuda_stream__.

    It is borrowed, never destroyed, and must outlive the result. Without a device the one that it belongs to is
    found.

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
    """The stream of a call that is no Stream; an address is none, for it could be anything."""
    if not hasattr(type(value), "__cuda_stream__"):
        raise TypeError(f"a cucore.Stream is needed, not {type(value).__name__}")
    return stream_from_native(value)


_Owned = TypeVar("_Owned")


def _keep(ours: _Owned, owner: object) -> _Owned:
    """Keeps the owner of borrowed memory or of a borrowed stream as long as ours lives."""
    ours.__dict__["_owner"] = owner
    return ours


def cuda_stream(self: Stream) -> tuple[int, int]:
    """The protocol of streams among Python's libraries: (0, the CUstream)."""
    return 0, self.native


def pinned(device: Device, length: int) -> Buffer:
    return _mark(Buffer._pinned(device, length), _CUDA_HOST)


def managed(device: Device, length: int) -> Buffer:
    return _mark(Buffer._managed(device, length), _CUDA_MANAGED)


pinned.__doc__ = Buffer._pinned.__doc__
managed.__doc__ = Buffer._managed.__doc__


def _mark(buffer: Buffer, kind: int) -> Buffer:
    buffer.__dict__["_dlpack_kind"] = kind
    return buffer


def buffer_from_native(device: Device, address: int, length: int, owner: object = None) -> Buffer:
    """Wraps memory that somebody else allocated; it is borrowed and never freed. owner is kept alive as long as the
    result."""
    return _keep(Buffer._borrow(device, address, length), owner)


def buffer_from_array(value: Any, device: Optional[Device] = None, stream: Optional[Stream] = None) -> Buffer:
    """Wraps the memory of an object with __cuda_array_interface__ or DLPack, which is kept alive.

    With a stream, work in it comes after what the object's own stream has to do.
    """
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        address, size = _from_array(interface, stream)
        return buffer_from_native(device or Device(0), address, size, value)
    if getattr(value, "__dlpack__", None) is None:
        raise TypeError(f"no memory on a device: {type(value).__name__}")
    address, size, ordinal, keeper = _from_dlpack(value, stream)
    return buffer_from_native(device or Device(ordinal), address, size, (value, keeper))


def dlpack_device(self: Buffer) -> tuple[int, int]:
    """(kind, number) of the device in the terms of DLPack: CUDA, pinned or managed memory."""
    with self.device as device:
        return self.__dict__.get("_dlpack_kind", _CUDA_HOST if self.host_pointer else _CUDA), device.ordinal


def dlpack(self: Buffer, *, stream: Optional[int] = None, max_version: object = None, dl_device: object = None,
           copy: Optional[bool] = None) -> object:
    """The bytes as a DLPack capsule, which keeps the memory alive. Waits for the device's work, unless stream is -1."""
    kind = dlpack_device(self)
    if copy or (dl_device is not None and tuple(dl_device) != kind):  # type: ignore[arg-type]
        raise BufferError("a Buffer is exported where it is, without a copy")
    if stream != _NO_SYNCHRONIZATION:
        _wait(self)
    return _cucore._export_dlpack(self, *kind)


def cuda_array_interface(self: Buffer) -> dict[str, Any]:
    """The bytes for libraries that know __cuda_array_interface__, version 3. Waits for the device's work."""
    _wait(self)
    return {"shape": (self.size,), "typestr": "|u1", "data": (self.address, False), "strides": None, "version": 3,
            "stream": None}


def _wait(buffer: Buffer) -> None:
    # The stream of the last use is not known here.
    with buffer.device as device:
        device.synchronize()


for _type, _name, _member in (
    (Stream, "from_native", staticmethod(stream_from_native)),
    (Stream, "__cuda_stream__", cuda_stream),
    (Buffer, "pinned", staticmethod(pinned)),
    (Buffer, "managed", staticmethod(managed)),
    (Buffer, "from_native", staticmethod(buffer_from_native)),
    (Buffer, "from_array", staticmethod(buffer_from_array)),
    (Buffer, "__dlpack__", dlpack),
    (Buffer, "__dlpack_device__", dlpack_device),
    (Buffer, "__cuda_array_interface__", property(cuda_array_interface)),
):
    _cucore._extend(_type, _name, _member)
