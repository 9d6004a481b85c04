# SPDX-License-Identifier: Apache-2.0
"""Analyses of compiled code, without a device."""
from __future__ import annotations

import os
from ctypes import byref
from typing import Any, Iterable, Optional, Union

import cucore
from cucore import _cucore

from . import _native
from ._calls import Handle, Options, address, c, chosen, encoded, filled, made, text
from ._enums import CodeLevel, InstructionClass, ModelMode, ReportFormat
from ._machine import Roof
from ._records import Finding, Instructions, KernelInfo, LaunchModel, Occupancy, to_analysis_info, to_finding, to_instruction_info, to_model_info, \
    to_occupancy_info


class KernelAnalysis(KernelInfo):
    """One kernel of one image, with its resources. Analysis.kernels has all."""

    _analysis: Analysis
    _index: int

    #: cucore_analysis_instructions
    def instruction_counts(self, instruction_class: Union[InstructionClass, str] = InstructionClass.ANY, level: Union[CodeLevel, str, None] = None) -> Instructions:
        """Counts the instructions of one class in the code.

        - instruction_class: the class; ANY counts all
        - level: MACHINE or PTX; None is that of the kernel
        - raises NotFoundError: the image does not have this level
        """
        number = int(self.level) if level is None else chosen(CodeLevel, level)
        return to_instruction_info(filled(_native.InstructionInfo, c.cucore_analysis_instructions, self._analysis._handle, self._index, number,
                                          chosen(InstructionClass, instruction_class)))

    #: cucore_analysis_occupancy
    def occupancy(self, arch: Optional[str] = None, *, block: int = 0, shared: int = 0) -> Occupancy:
        """Computes the occupancy of a kernel of machine code.

        - arch: the architecture; None is that of the code
        - block: threads per block; 0 is the largest block of the kernel
        - shared: bytes of dynamic shared memory per block
        - raises InvalidStateError: the kernel is PTX, which has no registers
        - raises UnsupportedError: the limits of the architecture are unknown
        """
        return to_occupancy_info(filled(_native.OccupancyInfo, c.cucore_analysis_occupancy, self._analysis._handle, self._index, encoded(arch), block, shared))

    #: cucore_analysis_model
    def model(self, config: cucore.LaunchConfig, *args: Any) -> LaunchModel:
        """Computes what one launch moves and computes, without a device and without memory.

        The PTX of the kernel runs on the processor for a sample of the blocks.

        - config: grid, block, cluster and dynamic_shared of the launch
        - args: the arguments; None stands for a buffer of its own
        - raises InvalidArgumentError: the launch or the arguments do not fit the kernel
        - raises NotFoundError: the code does not contain the PTX of the kernel
        - raises UnsupportedError: an instruction of the kernel needs memory
        - raises LibraryMissingError: the CPU device is not installed
        """
        code = self._analysis.code
        described = next((each.parameters for each in code.symbols if each.lowered_name == self.name and each.parameters is not None), None)
        if described is None:
            raise cucore.NotFoundError(int(cucore.Status.NOT_FOUND), f"the code does not record the parameters of {self.name}")
        parameters = tuple((each.size, int(each.parameter_class)) for each in described)

        def run(launch: int, arguments: int, count: int) -> Any:
            return filled(_native.ModelInfo, c.cucore_analysis_model, self._analysis._handle, self._index, launch, arguments, count)
        return to_model_info(_cucore._with_arguments(run, config, code.kernel(self.name), parameters, *args))


class Analysis(Handle):
    """Compiled code, analysed. perf.analyze() returns it."""

    #: The object code.
    code: cucore.ObjectCode

    def __init__(self, handle: int, code: cucore.ObjectCode) -> None:
        super().__init__(handle, c.cucore_analysis_release)
        self.code = code

    #: cucore_analysis_kernel_count cucore_analysis_kernel_at
    @property
    def kernels(self) -> tuple[KernelAnalysis, ...]:
        """The kernels in the order of the images. A kernel in several images is there once per image."""
        return tuple(self._kernel(i) for i in range(c.cucore_analysis_kernel_count(self._handle)))

    def _kernel(self, index: int) -> KernelAnalysis:
        kernel = KernelAnalysis(*to_analysis_info(filled(_native.AnalysisInfo, c.cucore_analysis_kernel_at, self._handle, index)))
        kernel._analysis, kernel._index = self, index
        return kernel

    def kernel(self, name: str) -> KernelAnalysis:
        """Returns the first kernel of a name in the code."""
        names = [each.name for each in self.kernels]
        if name not in names:
            raise cucore.NotFoundError(int(cucore.Status.NOT_FOUND), f"the code has no kernel {name!r}; it has {', '.join(names)}")
        return self._kernel(names.index(name))

    #: cucore_analysis_finding_count cucore_analysis_finding_at
    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings about what costs time, with remedies. The most severe come first."""
        return tuple(to_finding(filled(_native.Finding, c.cucore_analysis_finding_at, self._handle, i))
                     for i in range(c.cucore_analysis_finding_count(self._handle)))

    #: cucore_analysis_write
    def write(self, format: Union[ReportFormat, str] = ReportFormat.TEXT) -> str:
        """Returns the analysis as TEXT or JSON."""
        return text(c.cucore_analysis_write, self._handle, chosen(ReportFormat, format))

    def text(self) -> str:
        """Returns the analysis for people."""
        return self.write(ReportFormat.TEXT)

    def json(self) -> str:
        """Returns JSON of the schema cucore.analysis/1."""
        return self.write(ReportFormat.JSON)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<cucore.perf.Analysis of {c.cucore_analysis_kernel_count(self._handle)} kernels>"


#: cucore_analysis_create
def analyze(code: Union[cucore.ObjectCode, str, os.PathLike[str]],
            **options: Any,  # keywords: cucore_analysis_options
            ) -> Analysis:
    """Analyses all kernels of object code: CUBIN, PTX, fat binaries and bundles of them. It needs no device.

    - code: object code, or the path of a file with it
    - options: cucore_analysis_options
    - raises InvalidArgumentError: an option is out of its range, or names no finding
    - raises InvalidCodeError: the code is not well formed
    - raises UnsupportedError: the code contains neither machine code nor PTX, or the limits of an architecture are unknown
    """
    opened = code if isinstance(code, cucore.ObjectCode) else cucore.ObjectCode.from_file(code)
    native = Options(
        _native.AnalysisOptions,
        # given: cucore_analysis_options
    )
    return Analysis(made(c.cucore_analysis_create, address(opened, cucore.ObjectCode), byref(native.native)), opened)
