# SPDX-License-Identifier: Apache-2.0
"""Profilers: sessions, ranges, and declared amounts."""
from __future__ import annotations

import ctypes
import itertools
import sys
from contextlib import contextmanager
from ctypes import CFUNCTYPE, byref, c_void_p
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional, Union

import cucore
from cucore import _cucore

from . import _native
from ._calls import Handle, Options, c, call, encoded, made
from ._enums import ProfilerSource
from ._report import Report
from ._work import Works


class Launch(NamedTuple):
    """A launch whose amounts a function computes: see Profiler.declare()."""

    kernel: cucore.Kernel
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared: int
    arguments: tuple[Optional[bytes], ...]
    """The bytes of each argument; None for a buffer. Empty if the arguments are packed."""
    packed: bytes
    """The parameter block of a packed launch."""


class Declaration(NamedTuple):
    """The amounts of one launch; 0 is unknown."""

    bytes_read: float = 0.0
    bytes_written: float = 0.0
    operations: float = 0.0


_Amounts = Callable[[Launch], tuple[float, ...]]


def _extent(numbers: Any) -> tuple[int, int, int]:
    """0 is 1."""
    x, y, z = (max(number, 1) for number in numbers)
    return x, y, z


def _launch_of(operation: Any) -> Launch:
    options = _native.LaunchOptions.from_address(operation.launch)
    arguments = [_native.Argument.from_address(operation.arguments + i * ctypes.sizeof(_native.Argument)) for i in range(operation.argument_count)] \
        if operation.arguments else []
    is_object = ctypes.c_size_t(-1).value
    return Launch(_cucore._kernel_at(operation.kernel), _extent(options.grid), _extent(options.block), options.dynamic_shared,
                  tuple(None if each.size == is_object else ctypes.string_at(each.data, each.size) for each in arguments),
                  ctypes.string_at(operation.packed, operation.packed_size) if operation.packed else b"")


class _Declared:
    """The functions that profilers call, by number. C keeps the number."""

    def __init__(self) -> None:
        self._functions: dict[int, _Amounts] = {}
        self._numbers = itertools.count(1)
        self.compute = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)(self._compute)
        self.destroy = CFUNCTYPE(None, c_void_p)(self._destroy)

    def add(self, function: _Amounts) -> int:
        number = next(self._numbers)
        self._functions[number] = function
        return number

    def _destroy(self, number: int) -> None:
        self._functions.pop(number, None)

    def remove(self, number: int) -> None:
        self._destroy(number)

    def _compute(self, operation: int, out: int, number: int) -> None:
        try:
            amounts = Declaration(*self._functions[number](_launch_of(_native.Operation.from_address(operation))))
            declaration = _native.Declaration.from_address(out)
            declaration.bytes_read, declaration.bytes_written, declaration.operations = map(float, amounts)
        except BaseException:  # a launch cannot fail because of its observer
            kind, failure, trace = sys.exc_info()
            sys.unraisablehook(_Unraisable(kind, failure, trace, "Exception in a declared function, ignored", None))  # type: ignore[arg-type]


class _Unraisable(NamedTuple):
    """The parameter of sys.unraisablehook."""

    exc_type: Any
    exc_value: Any
    exc_traceback: Any
    err_msg: str
    object: Any


_declared = _Declared()  # as long as the process, because C may call it until then


class Profiler(Handle):
    """Records what a program does on its devices, from begin to end. profile() is shorter for one block of work."""

    #: cucore_profiler_create
    def __init__(self,
                 **options: Any,  # keywords: cucore_profiler_options
                 ) -> None:
        """Creates a profiler. It records nothing before begin().

        - options: cucore_profiler_options
        - raises InvalidArgumentError: an option is out of its range
        """
        native = Options(
            _native.ProfilerOptions,
            # given: cucore_profiler_options
        )
        self._options = native  # with the device
        super().__init__(made(c.cucore_profiler_create, byref(native.native)), c.cucore_profiler_release)

    #: cucore_profiler_begin
    def begin(self) -> None:
        """Begins a session, which observes the operations of all threads of the process.

        EMULATED counts each launch on the CPU device; EVENTS records two events around some launches.

        - raises InvalidStateError: the profiler has a session, or another one counts on the CPU device
        - raises UnsupportedError: EMULATED without the CPU device
        """
        call(c.cucore_profiler_begin, self._handle)

    #: cucore_profiler_end
    def end(self) -> Report:
        """Ends the session, waits for the work that was timed, and returns the report. Open ranges end.

        - raises InvalidStateError: the profiler has no session
        """
        return Report(made(c.cucore_profiler_end, self._handle))

    #: cucore_profiler_begin_range
    def begin_range(self, name: str) -> None:
        """Begins a range. Launches of this thread count in it until it ends. Ranges nest.

        - raises InvalidStateError: the profiler has no session
        """
        call(c.cucore_profiler_begin_range, self._handle, encoded(name))

    #: cucore_profiler_end_range
    def end_range(self) -> None:
        """Ends the innermost range of this thread.

        - raises InvalidStateError: the thread has no range, or the profiler has no session
        """
        call(c.cucore_profiler_end_range, self._handle)

    @contextmanager
    def range(self, name: str) -> Iterator[None]:
        """A range for a with statement."""
        self.begin_range(name)
        try:
            yield
        finally:
            self.end_range()

    #: cucore_profiler_run
    def run(self, range: str, work: Callable[..., Any]) -> None:
        """Calls a work in a range, with a new stream if it takes one, and waits for the stream.

        A session of COUNTERS calls it again, once for each pass that the counters need.

        - range: the name of the range
        - work: the callable, whose exception is raised again
        - raises InvalidStateError: the profiler has no session
        """
        calls = Works()
        native = ctypes.cast(calls.add(work), c_void_p)
        calls.run(lambda: call(c.cucore_profiler_run, self._handle, encoded(range), native, None))

    #: cucore_profiler_declare
    def declare(self, kernel: Union[cucore.Kernel, str], amounts: _Amounts) -> None:
        """Declares how many bytes and operations the launches of a kernel have.

        - kernel: the Kernel, or its name in the code
        - amounts: called with a Launch on its thread; returns a Declaration, or (bytes_read, bytes_written, operations).
            Its exceptions go to sys.unraisablehook
        """
        if not callable(amounts):
            raise TypeError(f"amounts: a callable is needed, not {type(amounts).__name__}")
        number = _declared.add(amounts)
        try:
            call(c.cucore_profiler_declare, self._handle, encoded(kernel if isinstance(kernel, str) else kernel.name),
                 ctypes.cast(_declared.compute, c_void_p), number, ctypes.cast(_declared.destroy, c_void_p))
        except BaseException:
            _declared.remove(number)
            raise

    #: cucore_profiler_release
    def close(self) -> None:
        """Releases the profiler, and drops a session that has not ended."""
        self._ending()

    def __enter__(self) -> Profiler:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
