# SPDX-License-Identifier: Apache-2.0
"""profile(): a block of work, or the calls of a function."""
from __future__ import annotations

import functools
import threading
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Callable, Iterable, Optional, Type, TypeVar, Union, overload

import cucore

from ._enums import ProfilerSource, ReportFormat
from ._profiler import Profiler, _Amounts
from ._records import Finding, KernelRow
from ._report import Report

_Function = TypeVar("_Function", bound=Callable[..., Any])


class Profile:
    """A profile of one block of work; after the block it has the members of its Report. profile() returns it."""

    def __init__(self, profiler: Profiler) -> None:
        self._profiler = profiler
        self._report: Optional[Report] = None

    def __enter__(self) -> Profile:
        self._report = None
        self._profiler.begin()
        return self

    def __exit__(self, type: Optional[Type[BaseException]], value: Optional[BaseException], traceback: Optional[TracebackType]) -> None:
        try:
            self._report = self._profiler.end()
        except cucore.Error:
            if value is None:  # else the exception of the block is raised
                raise

    @property
    def report(self) -> Report:
        """The report.

        - raises InvalidStateError: the block has not ended
        """
        if self._report is None:
            raise cucore.InvalidStateError(int(cucore.Status.INVALID_STATE), "the profile has no report yet; leave its block first")
        return self._report

    @property
    def source(self) -> ProfilerSource:
        """The origin of the times and amounts."""
        return self.report.source

    @property
    def memory_efficiency(self) -> float:
        """The part of the memory rate of the roof that the kernels reach, from 0 to 1; NaN if it is unknown."""
        return self.report.memory_efficiency

    @property
    def compute_efficiency(self) -> float:
        """The part of the compute rate of the roof that the kernels reach, from 0 to 1; NaN if it is unknown."""
        return self.report.compute_efficiency

    def efficiency(self, range: str = "") -> tuple[float, float]:
        """Returns both parts for a range: see Report.efficiency()."""
        return self.report.efficiency(range)

    @property
    def rows(self) -> tuple[KernelRow, ...]:
        """A row for each kernel and geometry. The longest total time comes first."""
        return self.report.rows

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings about what costs time, with remedies. The most severe come first."""
        return self.report.findings

    def counter(self, row: int, name: str) -> float:
        """Returns a counter of a row: see Report.counter()."""
        return self.report.counter(row, name)

    def range(self, name: str) -> AbstractContextManager[None]:
        """A range for a with statement inside the block: see Profiler.begin_range()."""
        return self._profiler.range(name)

    def run(self, range: str, work: Callable[..., Any]) -> None:
        """Calls a work in a range inside the block: see Profiler.run()."""
        self._profiler.run(range, work)

    def declare(self, kernel: Union[cucore.Kernel, str], amounts: _Amounts) -> None:
        """Declares the amounts of launches: see Profiler.declare()."""
        self._profiler.declare(kernel, amounts)

    def write(self, format: Union[ReportFormat, str] = ReportFormat.TEXT) -> str:
        """Returns the report in one of the formats."""
        return self.report.write(format)

    def text(self) -> str:
        """Returns the report for people."""
        return self.report.text()

    def json(self) -> str:
        """Returns JSON of the schema cucore.report/1."""
        return self.report.json()

    def csv(self) -> str:
        """Returns a line of names, and one for each kernel."""
        return self.report.csv()

    def html(self) -> str:
        """Returns one page that needs no network."""
        return self.report.html()

    def trace(self) -> str:
        """Returns the timeline as Chrome's trace events. It needs the option timeline."""
        return self.report.trace()

    def gnuplot(self) -> str:
        """Returns a script of gnuplot with its data."""
        return self.report.gnuplot()

    def save(self, path: Any) -> None:
        """Writes a file in the format of its ending: see Report.save()."""
        self.report.save(path)

    def plot(self, axes: Any = None) -> Any:
        """Draws the rows with matplotlib: see Report.plot()."""
        return self.report.plot(axes)

    def _repr_html_(self) -> Optional[str]:
        return self._report._repr_html_() if self._report else None

    def __str__(self) -> str:
        return self.report.text() if self._report else repr(self)

    def __repr__(self) -> str:
        return f"<cucore.perf.Profile with {self._report!r}>" if self._report else "<cucore.perf.Profile without a report>"

    def __call__(self, function: _Function) -> _Function:
        """Decorates a function: each call is profiled, and the attribute `profile` of the function is this profile, of the last call.

        A call during another one runs as a part of that one.
        """
        lock = threading.Lock()

        @functools.wraps(function)
        def profiled(*args: Any, **named: Any) -> Any:
            if not lock.acquire(blocking=False):
                return function(*args, **named)
            try:
                with self:
                    return function(*args, **named)
            finally:
                lock.release()
        profiled.profile = self  # type: ignore[attr-defined]
        return profiled  # type: ignore[return-value]


@overload
def profile(function: _Function, /) -> _Function: ...


@overload
def profile(
    **options: Any,  # keywords: cucore_profiler_options
) -> Profile: ...


def profile(function: Optional[Callable[..., Any]] = None, /, **options: Any) -> Any:
    """Profiles a block of work, or each call of a function.

        with perf.profile() as p:
            kernel[grid, block, stream](*args)
        print(p.memory_efficiency, p.compute_efficiency)

        @perf.profile
        def step(): ...
        step()
        print(step.profile.text())

    The options are those of Profiler. perf.profile(timeline=True) is a decorator with options.

    - function: the function to decorate
    - options: cucore_profiler_options
    - raises InvalidArgumentError: an option is out of its range
    """
    made = Profile(Profiler(**options))
    return made if function is None else made(function)
