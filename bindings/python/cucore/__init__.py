# SPDX-License-Identifier: Apache-2.0
"""CUDA's object model for Python: devices, streams, events, memory, run-time compiling, launches.

    import cucore
    device = cucore.Device()
    stream = cucore.Stream(device)
    code = cucore.Program(source).compile()
    with cucore.Buffer(device, 4000, stream) as data:
        code.kernel("scale")[4, 256, stream](2.0, data, 1000)

Without a GPU, the same programs run on the CPU device. Every failed call raises a subclass of
``cucore.Error``.
"""
from . import _cucore, _enums, _errors, _handles
from ._async import Completion, QueueInfo
from ._cache import BatchItem, BatchResult, CacheEntry, CacheResult, compile_batch
from ._checks import CheckReport, checks
from ._code import Global, Parameter, Resources, Symbol
from ._cucore import (
    LaunchConfig,
    Launcher,
    driver_select,
    launch,
    library_set_path,
    library_symbol,
    log_enabled,
    log_write,
    status_name,
    version_number,
    version_string,
)
from ._docs import DOCS
from ._device import AccessWindow, Memory, Priorities, devices, max_active_clusters, launch_packed
from ._boxes import Box
from ._graphs import ConditionalNode, ExecutableNode, Node, NodeInfo
from ._enums import *  # noqa: F401,F403
from ._errors import *  # noqa: F401,F403
from ._errors import Error
from ._handles import *  # noqa: F401,F403
from ._records import CacheStatistics, GraphMemory, PoolStatistics
from . import _cache, _code, _host, _interop, _link, _memory, _program
from . import _captures  # noqa: F401
from ._program import Key
from ._library import LibraryInfo, _use_nvidia_wheels, library_query, set_log_callback, warn_of_cpu_device

__version__ = version_string()

_cucore._register(
    _errors._make,
    _enums.ALL,
    _program.constructors({"Program": _program.arguments, "Cache": _cache.arguments}),
    _interop.foreign_memory,
    _interop.foreign_stream,
    _memory.reclaim,
    Node,
    warn_of_cpu_device,
)
_use_nvidia_wheels()
for _name in _errors.__all__:
    getattr(_errors, _name).__module__ = __name__  # for tracebacks and pickles
for _name, _text in DOCS.items():
    _cucore._describe(globals()[_name], _text)
for _name in set(_handles.__all__) - set(DOCS):
    _cucore._describe(globals()[_name], (globals()[_name].__doc__ or "").strip() + _code.MORE.get(_name, ""))

__all__ = [
    *_enums.__all__, *_handles.__all__,
    "AccessWindow", "BatchItem", "BatchResult", "Box", "CacheEntry", "CacheResult", "CacheStatistics", "CheckReport", "Completion", "ConditionalNode",
    "ExecutableNode", "Global", "GraphMemory", "Key",
    "LaunchConfig", "Launcher", "LibraryInfo", "Memory", "Node", "NodeInfo", "Parameter", "PoolStatistics", "Priorities", "QueueInfo", "Resources",
    "Symbol", "checks", "compile_batch", "devices", "driver_select", "launch", "launch_packed", "library_query",
    "library_set_path", "library_symbol", "log_enabled", "log_write", "max_active_clusters", "set_log_callback",
    "status_name", "version_number", "version_string",
    # "from cucore import *" must not hide the IndexError of Python.
    *(name for name in _errors.__all__ if name != "IndexError"),
]
