# SPDX-License-Identifier: Apache-2.0
"""Measures, profiles and analyses kernels, on a GPU and on the CPU device.

    from cucore import perf
    with perf.profile() as p:
        kernel[grid, block, stream](*args)
    print(p.memory_efficiency, p.compute_efficiency)
    print(perf.measure(lambda stream: kernel[grid, block, stream](*args)))
    print(perf.analyze(code))

``import cucore`` alone does not load this package and its library.
"""
from ._analysis import Analysis, KernelAnalysis, analyze
from ._enums import *  # noqa: F401,F403
from ._enums import __all__ as _enum_names
from ._machine import Roof, occupancy, preset_passes, roof, start_from_environment, version
from ._measure import Measurement, Pair, compare, measure, write
from ._profile import Profile, profile
from ._profiler import Declaration, Launch, Profiler
from ._records import *  # noqa: F401,F403
from ._records import __all__ as _record_names
from ._report import Report

__all__ = [*_enum_names, *_record_names, "Analysis", "Declaration", "KernelAnalysis", "Launch", "Measurement", "Pair", "Profile", "Profiler", "Report",
           "Roof", "analyze", "compare", "measure", "occupancy", "preset_passes", "profile", "roof", "start_from_environment", "version", "write"]
for _name in __all__:
    _value = globals()[_name]
    if getattr(_value, "__module__", "").startswith("cucore.perf."):
        _value.__module__ = __name__  # for tracebacks and pickles
