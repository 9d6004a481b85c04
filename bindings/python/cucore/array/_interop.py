# SPDX-License-Identifier: Apache-2.0
"""NumPy, and the protocols among libraries of arrays."""
from __future__ import annotations

from typing import Any, Optional

from . import _array
from ._array import Array
from ._context import context_of

_CPU, _CUDA = 1, 2


def numpy_dtype(dtype: Any) -> Any:
    """NumPy's type of the elements. It has no bfloat16."""
    import numpy
    if dtype.name == "bfloat16":
        raise TypeError("NumPy has no bfloat16; convert with .astype(xp.float32)")
    return numpy.dtype(dtype.name)


def to_numpy(x: Array) -> Any:
    """Returns a NumPy array with a copy of the elements. Waits for them."""
    import numpy
    out = numpy.empty(x.shape, numpy_dtype(x.dtype))
    _array.read(x, out.reshape(-1).view(numpy.uint8))
    return out


def tolist(x: Array) -> Any:
    """Returns nested lists of Python numbers, or one number. Waits for the elements."""
    if x.ndim == 0:
        return x.item()
    return to_numpy(_array.cast(x, "float32", None) if x.dtype.name == "bfloat16" else x).tolist()


def refuse_array(x: Array, dtype: Any = None, copy: Optional[bool] = None) -> Any:
    """NumPy would copy the elements without a word; the method numpy() does it by name."""
    raise TypeError("an Array is not converted to a NumPy array implicitly; use .numpy()")


def array_ufunc(x: Array, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
    """NumPy's ufuncs of arrays compute on the device, and return Arrays."""
    from . import _namespace
    function = getattr(_namespace(), ufunc.__name__, None)
    if method != "__call__" or function is None:
        return NotImplemented
    return function(*inputs, **keywords)


def array_function(x: Array, function: Any, types: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """NumPy's functions of arrays compute on the device, and return Arrays."""
    from . import _namespace
    ours = getattr(_namespace(), function.__name__, None)
    if ours is None or not callable(ours):
        return NotImplemented
    return ours(*arguments, **keywords)


def dlpack_device(x: Array) -> tuple[int, int]:
    """Returns (kind, number) of the device in the terms of DLPack."""
    context = context_of(x)
    return (_CPU, 0) if context.device.is_emulated else (_CUDA, context._ordinal)
