"""CUDA's object model for Python: devices, streams, events, memory, run-time compiling, launches."""
from . import _cucore, _enums, _errors

_cucore._register_errors(_errors._make)
_cucore._register_enums(tuple(getattr(_enums, name) for name in _cucore._ENUMS))
