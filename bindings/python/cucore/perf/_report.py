# SPDX-License-Identifier: Apache-2.0
"""Reports of profiles."""
from __future__ import annotations

import html as _html
import math
import os
from ctypes import byref, c_double
from typing import Any, Union

from . import _native
from ._calls import Handle, c, call, chosen, encoded, filled, text
from ._enums import ProfilerSource, ReportFormat
from ._measure import _new_axes
from ._records import Finding, KernelRow, to_finding, to_kernel_row

_FORMAT_OF_FILE = {".html": ReportFormat.HTML, ".json": ReportFormat.JSON, ".csv": ReportFormat.CSV, ".trace": ReportFormat.TRACE, ".gp": ReportFormat.GNUPLOT,
                   ".txt": ReportFormat.TEXT}


class Report(Handle):
    """Kernels, ranges, other operations and findings of a profiled part of a program. Profiler.end() returns it.

    It never changes. In a notebook it is displayed as a page.
    """

    def __init__(self, handle: int) -> None:
        super().__init__(handle, c.cucore_report_release)

    #: cucore_report_source
    @property
    def source(self) -> ProfilerSource:
        """The origin of the times and amounts."""
        return ProfilerSource(c.cucore_report_source(self._handle))

    #: cucore_report_efficiency
    def efficiency(self, range: str = "") -> tuple[float, float]:
        """Returns the parts of the memory rate and of the compute rate of the roof that the kernels of a range reach.

        They are from 0 to 1, and NaN if the kernels with a known percentage have less than half of the time.

        - range: the name of a range; "" is the whole session
        - raises NotFoundError: no range has this name
        """
        memory, compute = c_double(), c_double()
        call(c.cucore_report_efficiency, self._handle, encoded(range), byref(memory), byref(compute))
        return memory.value, compute.value

    @property
    def memory_efficiency(self) -> float:
        """The part of the memory rate of the roof that the kernels reach, from 0 to 1; NaN if it is unknown."""
        return self.efficiency()[0]

    @property
    def compute_efficiency(self) -> float:
        """The part of the compute rate of the roof that the kernels reach, from 0 to 1; NaN if it is unknown."""
        return self.efficiency()[1]

    #: cucore_report_kernel_count cucore_report_kernel_at
    @property
    def rows(self) -> tuple[KernelRow, ...]:
        """A row for each kernel and geometry. The longest total time comes first."""
        return tuple(to_kernel_row(filled(_native.KernelRow, c.cucore_report_kernel_at, self._handle, i))
                     for i in range(c.cucore_report_kernel_count(self._handle)))

    #: cucore_report_counter
    def counter(self, row: int, name: str) -> float:
        """Returns a counter of a row, of all calls together.

        - row: the index of the row
        - name: of the counter, "cpu.divergent_branches"
        - raises InvalidArgumentError: the report does not have this row
        - raises NotFoundError: the row does not have this counter
        """
        out = c_double()
        call(c.cucore_report_counter, self._handle, row, encoded(name), byref(out))
        return out.value

    #: cucore_report_finding_count cucore_report_finding_at
    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings about what costs time, with remedies. The most severe come first."""
        return tuple(to_finding(filled(_native.Finding, c.cucore_report_finding_at, self._handle, i))
                     for i in range(c.cucore_report_finding_count(self._handle)))

    #: cucore_report_write
    def write(self, format: Union[ReportFormat, str] = ReportFormat.TEXT) -> str:
        """Returns the report in one of the formats."""
        return text(c.cucore_report_write, self._handle, chosen(ReportFormat, format))

    def text(self) -> str:
        """Returns the report for people."""
        return self.write(ReportFormat.TEXT)

    def json(self) -> str:
        """Returns JSON of the schema cucore.report/1."""
        return self.write(ReportFormat.JSON)

    def csv(self) -> str:
        """Returns a line of names, and one for each kernel."""
        return self.write(ReportFormat.CSV)

    def html(self) -> str:
        """Returns one page that needs no network."""
        return self.write(ReportFormat.HTML)

    def trace(self) -> str:
        """Returns the timeline as Chrome's trace events, for Perfetto. It needs the option timeline."""
        return self.write(ReportFormat.TRACE)

    def gnuplot(self) -> str:
        """Returns a script of gnuplot with its data."""
        return self.write(ReportFormat.GNUPLOT)

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a file in the format of its ending: .html, .json, .csv, .trace, .gp or .txt."""
        ending = os.path.splitext(os.fspath(path))[1]
        if ending not in _FORMAT_OF_FILE:
            raise ValueError(f"the file ends in {ending!r}; expected one of {', '.join(_FORMAT_OF_FILE)}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.write(_FORMAT_OF_FILE[ending]))

    def plot(self, axes: Any = None) -> Any:
        """Draws the percentages of the roof of each row with matplotlib, or the bytes if the times are unknown. Returns the axes."""
        axes = axes if axes is not None else _new_axes()
        rows = self.rows
        if any(math.isfinite(row.memory_percent) for row in rows):
            axes.barh([row.name for row in rows], [row.memory_percent for row in rows], alpha=0.6, label="memory")
            axes.barh([row.name for row in rows], [row.compute_percent for row in rows], height=0.4, label="compute")
            axes.set(xlabel="percent of the roof")
        else:
            axes.barh([row.name for row in rows], [row.bytes_read for row in rows], alpha=0.6, label="read")
            axes.barh([row.name for row in rows], [row.bytes_written for row in rows], height=0.4, label="written")
            axes.set(xlabel="bytes")
        axes.legend()
        return axes

    def _repr_html_(self) -> str:
        page = _html.escape(self.html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:600px;border:0"></iframe>'

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<cucore.perf.Report of {self.source.name} with {c.cucore_report_kernel_count(self._handle)} rows>"
