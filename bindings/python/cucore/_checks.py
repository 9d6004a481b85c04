# SPDX-License-Identifier: Apache-2.0
"""Checks of kernels on the CPU device: the reports, and the block ``with cucore.checks():``."""
from __future__ import annotations

import gc
import struct
from types import TracebackType
from typing import Any, Iterable, NamedTuple, Optional, Union

from ._cucore import Checks
from ._members import member


class CheckReport(NamedTuple):
    """One report of the checks."""

    kind: str
    """"shared-race", "out-of-bounds", "leak" and others."""
    kernel: str
    """Its name, "reverse"; or the work of the driver."""
    message: str
    file: str
    """Of the source; "" without line information."""
    line: int
    """In the source; 0 without line information."""
    ptx_line: int
    block: Optional[tuple[int, int, int]]
    """None if the report is not of one thread."""
    thread: Optional[tuple[int, int, int]]
    """Its index in the block."""
    space: str
    """"global", "shared", "local"; "" without an access."""
    address: int
    size: int
    allocation: int
    """The address of the allocation; 0 without one."""
    allocation_size: int
    allocated_by: str
    """The call of the driver that made it."""
    freed_by: str
    other: str
    """The other access of a race."""
    other_file: str
    other_line: int
    other_ptx_line: int
    schedule: str
    """"random:7"; "" under other schedules."""
    seed: int
    times: int
    """How often it happened."""
    text: str
    json: str

    def __str__(self) -> str:
        return self.text


_INDICES = ("block", "thread")


def _index(raw: bytes) -> tuple[int, int, int]:
    x, y, z = struct.unpack("=3I", raw)
    return x, y, z


def _report(checks: Checks, index: int) -> CheckReport:
    of_thread = checks._report_has_thread(index)
    fields = {name: getattr(checks, f"_report_{name}")(index) for name in CheckReport._fields}
    for name in _INDICES:
        fields[name] = _index(fields[name]) if of_thread else None
    return CheckReport(**fields)


#: cucore_checks_report_at
@member(Checks, "reports", property, native=Checks._report_kind)
def reports(self: Checks) -> tuple[CheckReport, ...]:
    """The reports that were read last, without suppressed ones."""
    return tuple(_report(self, i) for i in range(self.report_count))


class checks:
    """Checks the kernels of a block on the CPU device.

        with cucore.checks():
            code.kernel("reverse")[1, 64, stream](data)

    At the end, the block waits for the device, and raises ChecksError if there are reports. With ``collect=True`` it
    raises nothing: ``with cucore.checks(collect=True) as found`` leaves them in ``found.reports``. If the block raises
    an exception, its reports become a note of the exception.

    kinds: "all", or some of "memory", "init", "race", "barrier", "host" and "leak". The other options are those of
    Checks: schedule, seed, suppressions, suppression_files, faults, trace_file, stop_at_report,
    launch_instructions, launch_memory, launch_output.
    """

    def __init__(self, kinds: Union[str, Iterable[str]] = "all", *, collect: bool = False, **options: Any) -> None:
        self._options: dict[str, Any] = {"kinds": kinds if isinstance(kinds, str) else ",".join(kinds), **options}
        self._collect = collect

    def __enter__(self) -> Checks:
        gc.collect()  # a stream or buffer in a cycle is not a leak
        self._checks = Checks(**self._options)
        return self._checks

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        gc.collect()
        if error is None and not self._collect:
            self._checks.verify()
            return
        self._checks.end()
        if error is not None and self._checks.report_count and hasattr(error, "add_note"):
            error.add_note(self._checks.text)
