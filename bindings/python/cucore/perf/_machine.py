# SPDX-License-Identifier: Apache-2.0
"""The machine: occupancy, roofs, passes of presets."""
from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_double, c_int32, c_size_t
from typing import Optional, Union

import cucore

from . import _native
from ._calls import Handle, Options, address, c, call, chosen, device_of, encoded, filled, made
from ._enums import RoofKind
from ._records import Occupancy, to_occupancy_info


#: cucore_occupancy_query
def occupancy(arch: str, threads: int, *, registers: int = 0, shared: int = 0) -> Occupancy:
    """Computes how many blocks of a kernel one multiprocessor of an architecture runs at a time.

    - arch: the architecture, "sm_90"
    - threads: per block
    - registers: per thread
    - shared: bytes of shared memory per block, static and dynamic together
    - raises InvalidArgumentError: a number is out of its range, or arch is not the name of an architecture
    - raises UnsupportedError: the limits of the architecture are unknown
    """
    needs = Options(_native.OccupancyNeeds, registers=registers, threads=threads, shared=shared)
    return to_occupancy_info(filled(_native.OccupancyInfo, c.cucore_occupancy_query, encoded(arch), byref(needs.native)))


class Roof(Handle):
    """The highest rates that a device reaches, which kernels of the library have measured. perf.roof() returns it."""

    def __init__(self, handle: int) -> None:
        super().__init__(handle, c.cucore_roof_release)

    #: cucore_roof_value
    def value(self, kind: Union[RoofKind, str]) -> float:
        """Returns one rate in bytes, operations or functions per second; in seconds for LAUNCH and EVENT_OFFSET.

        It is NaN if the device lacks the operation.
        """
        out = c_double()
        call(c.cucore_roof_value, self._handle, chosen(RoofKind, kind), byref(out))
        return out.value

    def values(self) -> dict[RoofKind, float]:
        """Returns all rates."""
        return {kind: self.value(kind) for kind in RoofKind if kind != RoofKind.NONE}

    #: cucore_roof_serialize
    def json(self) -> str:
        """Returns the roof as JSON of the schema cucore.roof/1."""
        size = c_size_t()
        call(c.cucore_roof_serialize, self._handle, None, 0, byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        call(c.cucore_roof_serialize, self._handle, buffer, size.value, byref(size))
        return buffer.raw.decode()

    #: cucore_roof_deserialize
    @staticmethod
    def from_json(data: Union[str, bytes]) -> Roof:
        """Reads the result of json(), of any machine. It needs no device.

        - raises InvalidArgumentError: the data is not a roof
        """
        raw = data.encode() if isinstance(data, str) else bytes(data)
        return Roof(made(c.cucore_roof_deserialize, raw, len(raw)))

    def __repr__(self) -> str:
        return f"<cucore.perf.Roof with COPY of {self.value(RoofKind.COPY) / 1e9:.1f} GB/s>"


#: cucore_roof_open
def roof(device: Union[cucore.Device, int, None] = None, *, directory: Union[str, os.PathLike[str], None] = None,
         refresh: Optional[bool] = None, max_time_ms: int = 0) -> Roof:
    """Opens the roof of a device. If none is kept, the device is measured, for two seconds at most by default.

    - device: the device or its number; None is device 0
    - options: cucore_roof_options
    - raises InvalidArgumentError: an option is out of its range
    - raises OutOfDeviceMemoryError: less than 1 MiB is free
    """
    owner = device_of(device)
    options = Options(_native.RoofOptions, directory=None if directory is None else os.fspath(directory), refresh=refresh, max_time_ms=max_time_ms)
    return Roof(made(c.cucore_roof_open, address(owner, cucore.Device), byref(options.native)))


#: cucore_preset_passes
def preset_passes(chip: str, preset: str) -> int:
    """Returns in how many passes the metrics of a preset are read. The call needs CUPTI of CUDA 13, and no GPU.

    - chip: the name of the GPU's chip, "GH100"
    - preset: "quick", "balanced", "flops", "memory", "roof" or "all"
    - raises InvalidArgumentError: preset is not the name of a preset
    - raises NotFoundError: CUPTI does not have the chip
    - raises LibraryMissingError: CUPTI cannot be opened
    - raises UnsupportedError: CUPTI is too old, or the library was built without it
    """
    passes = c_int32()
    call(c.cucore_preset_passes, encoded(chip), encoded(preset), byref(passes))
    return passes.value


#: cucore_perf_version
def version() -> int:
    """Returns the version of the library: major * 10000 + minor * 100 + patch."""
    return int(c.cucore_perf_version())


#: cucore_perf_start_from_environment
def start_from_environment() -> None:
    """Starts the profile that the environment variable CUCORE_PROFILE names. The first use of the driver does the same."""
    call(c.cucore_perf_start_from_environment)
