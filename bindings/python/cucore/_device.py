# SPDX-License-Identifier: Apache-2.0
"""Members of Device, Kernel and the launch in addition to the native ones."""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Optional, Union

from . import _cucore
from ._cucore import Buffer, Device, Event, Kernel, LaunchConfig, MemoryPool, Stream
from ._enums import AccessProperty, DeviceAttribute
from ._members import member
from ._records import GraphMemory, PoolStatistics

if TYPE_CHECKING:
    import uuid


class Memory(NamedTuple):
    """Device memory, in bytes."""

    free: int
    total: int


class Priorities(NamedTuple):
    """The range of stream priorities."""

    least: int
    greatest: int


class AccessWindow(NamedTuple):
    """A part of a buffer whose accesses the L2 cache treats in its own way.

    Without a size it ends with the buffer. The part hit_ratio of the accesses gets the property hit, the others get miss.
    """

    buffer: Buffer
    offset: int = 0
    size: Optional[int] = None
    hit_ratio: float = 1.0
    hit: AccessProperty = AccessProperty.PERSISTING
    miss: AccessProperty = AccessProperty.NORMAL


def devices() -> list[Device]:
    """Returns all devices of the driver in use."""
    return [Device(ordinal) for ordinal in range(Device.count())]


#: cucore_kernel_launch_packed
def launch_packed(stream: Stream, config: LaunchConfig, kernel: Kernel, block: Union[bytes, bytearray, memoryview]) -> None:
    """Launches a kernel with the arguments already laid out as its parameter block."""
    kernel._launch_packed(stream, config, block)


#: cucore_kernel_max_active_clusters
def max_active_clusters(kernel: Kernel, device: Device, config: LaunchConfig) -> int:
    """How many clusters of such a launch fit on the device at a time."""
    return kernel._max_active_clusters(device, config)


#: cucore_device_attribute
@member(Device, "attribute")
def device_attribute(self: Device, name: Union[DeviceAttribute, int, str]) -> int:
    return self._attribute(_cucore.device_attribute_number(name) if isinstance(name, str) else name)  # type: ignore[arg-type]


#: cucore_stream_set_access_window
@member(Stream, "set_access_window")
def stream_set_access_window(self: Stream, window: Optional[AccessWindow]) -> None:
    self._set_access_window(window)


@member(Stream, "record")
def stream_record(self: Stream, event: Optional[Event] = None, *, timing: bool = True) -> Event:
    """Records an event behind the work that is in the stream now, and returns it. Without an event the call creates one.

    A new event measures time unless timing is False.
    """
    if event is None:
        event = Event(self.device, timing=timing)
    Event.record(event, self)  # of a Stream, record() would come back here
    return event


def _uuid_of(data: bytes) -> uuid.UUID:
    import uuid  # takes more time than most of this package, and few programs use it
    return uuid.UUID(bytes=data)


def _property(native: str, make: object = tuple, type: object = Device) -> property:
    return property(lambda self: make(getattr(self, native)()), doc=getattr(type, native).__doc__)  # type: ignore[operator]


#: cucore_device_compute_capability
_cucore._extend(Device, "compute_capability", _property("_compute_capability"))
#: cucore_device_memory
_cucore._extend(Device, "memory", _property("_memory", lambda pair: Memory(*pair)))
#: cucore_device_stream_priorities
_cucore._extend(Device, "stream_priorities", _property("_stream_priorities", lambda pair: Priorities(*pair)))
#: cucore_device_uuid
_cucore._extend(Device, "uuid", _property("_uuid", _uuid_of))
#: cucore_kernel_max_potential_block_size
_cucore._extend(Kernel, "max_potential_block_size", Kernel._max_potential_block_size)


#: cucore_device_graph_memory
@member(Device, "graph_memory")
def graph_memory(self: Device) -> GraphMemory:
    return GraphMemory._make(memoryview(self._graph_memory()).cast("q"))


#: cucore_pool_query
@member(MemoryPool, "statistics")
def pool_statistics(self: MemoryPool) -> PoolStatistics:
    return PoolStatistics._make(memoryview(self._statistics()).cast("q"))
