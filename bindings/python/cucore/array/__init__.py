# SPDX-License-Identifier: Apache-2.0
"""N-dimensional arrays with fused expressions, under the names of NumPy and of the Array API.

    import cucore.array as xp
    x = xp.linspace(0, 1, 1_000_000, dtype=xp.float32)
    r = xp.sqrt(xp.sin(x) * xp.cos(x) + 1)   # nothing is computed yet
    print(r.sum())                           # one kernel

An operation records what to compute. The elements are computed when they are read, printed or evaluated, and one kernel computes
as many operations as possible. The results do not depend on that.
"""
from __future__ import annotations

import inspect as _inspect
import math as _math
import sys as _sys
from types import ModuleType as _ModuleType
from typing import Any as _Any

from . import _array, _context, _dtypes
from ._array import Array, Operation
from ._context import Context, current_context, default_context, evaluate, evaluate_async, explain, scope, statistics, synchronize, using
from ._dtypes import (
    DType, bfloat16, bool, bool_, can_cast, complex64, complex128, finfo, float16, float32, float64, iinfo, int8, int16, int32, int64, isdtype,
    promote_types, result_type, uint8, uint16, uint32, uint64,
)


def _signature(operands: int) -> _inspect.Signature:
    names = ("x",) if operands == 1 else tuple(f"x{at + 1}" for at in range(operands))
    own = [_inspect.Parameter(name, _inspect.Parameter.POSITIONAL_ONLY) for name in names]
    settings = [_inspect.Parameter(name, _inspect.Parameter.KEYWORD_ONLY, default=None) for name in ("out", "where", "dtype")]
    return _inspect.Signature([*own, *settings])


def _convert(value: _Any) -> Array:
    return asarray(value)


_array._register(_dtypes.BY_NUMBER, _convert, _dtypes.find, _signature, _context._scope)


def _namespace() -> _ModuleType:
    return _sys.modules[__name__]


from . import _creation, _elements, _files, _indexing, _linear, _members, _operations, _printing, _shapes, _sorting, random  # noqa: E402
from ._operations import *  # noqa: E402,F401,F403
from ._creation import *  # noqa: E402,F401,F403
from ._creation import asarray  # noqa: E402
from ._printing import *  # noqa: E402,F401,F403
from ._shapes import *  # noqa: E402,F401,F403
from ._elements import *  # noqa: E402,F401,F403
from ._files import *  # noqa: E402,F401,F403
from ._indexing import *  # noqa: E402,F401,F403
from ._interop import from_dlpack  # noqa: E402
from ._linear import *  # noqa: E402,F401,F403
from ._sorting import *  # noqa: E402,F401,F403
from ._namespace_info import __array_namespace_info__  # noqa: E402

_members.attach()
__array_api_version__ = "2024.12"

e = _math.e
pi = _math.pi
inf = _math.inf
nan = _math.nan
newaxis = None

__all__ = [
    "Array", "Context", "DType", "Operation", "__array_api_version__", "__array_namespace_info__", "bfloat16", "bool", "bool_", "can_cast",
    "complex128", "complex64", "current_context", "default_context", "e", "evaluate", "evaluate_async", "explain", "finfo", "from_dlpack", "float16",
    "float32", "float64", "iinfo", "inf", "int16", "int32", "int64", "int8", "isdtype", "nan", "newaxis", "pi", "promote_types", "random",
    "result_type", "scope", "statistics", "synchronize", "uint16", "uint32", "uint64", "uint8", "using"]
__all__ += _creation.__all__
__all__ += _elements.__all__
__all__ += _files.__all__
__all__ += _indexing.__all__
__all__ += _linear.__all__
__all__ += _operations.__all__
__all__ += _printing.__all__
__all__ += _shapes.__all__
__all__ += _sorting.__all__
