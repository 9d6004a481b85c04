# SPDX-License-Identifier: Apache-2.0
"""NumPy's ufuncs and functions of arrays. They compute on the device, and return Arrays."""
from __future__ import annotations

import inspect
from functools import lru_cache
from typing import Any, Callable, Optional

from . import _operations
from ._array import Array

#: Functions of NumPy that have another name here.
_NAMES = {"around": "round", "round_": "round", "product": "prod", "cumproduct": "cumprod", "alltrue": "all", "sometrue": "any"}
#: Parameters of NumPy that have another name here.
_PARAMETERS = {"a_min": "min", "a_max": "max", "ddof": "correction"}
#: Functions of numpy.linalg that mean the same as those of the main namespace.
_OF_LINALG = {"cross", "matmul", "matrix_transpose", "outer", "tensordot", "vecdot"}


def array_ufunc(x: Array, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
    """NumPy's ufuncs of arrays compute on the device, and return Arrays."""
    import numpy
    from . import _namespace
    function = getattr(_namespace(), ufunc.__name__, None)
    if method != "__call__" or function is None or getattr(numpy, ufunc.__name__, None) is not ufunc:
        return NotImplemented
    for out in keywords.get("out", ()):
        if out is not None and not isinstance(out, Array):
            raise TypeError(f"{ufunc.__name__}(): out is {type(out).__name__}; expected an Array; use .numpy() for elements on the host")
    return function(*inputs, **keywords)


def array_function(x: Array, function: Any, types: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """NumPy's functions of arrays compute on the device, and return Arrays."""
    ours = _counterpart(function)
    if ours is None:
        return NotImplemented
    bind = _binding(function, ours)
    if bind is not None:
        arguments, keywords = bind(arguments, keywords)
    return ours(*arguments, **keywords)


def _norm(x: Any, /, *, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """numpy.linalg.norm of vectors. Without an order, matrices are vectors too."""
    axes = x.ndim if axis is None else len(axis) if isinstance(axis, tuple) else 1
    if ord is not None and axes != 1:
        raise TypeError(f"norm(): ord is {ord!r} for {axes} axes; expected None, because norms of matrices do not exist here")
    return _operations.norm(x, axis, order=2.0 if ord is None else ord, keepdims=keepdims)


def _size(x: Array, axis: Optional[int] = None) -> int:
    return x.size if axis is None else x.shape[axis]


_OWN: dict[tuple[str, str], Callable[..., Any]] = {
    ("numpy", "shape"): lambda x: x.shape, ("numpy", "ndim"): lambda x: x.ndim, ("numpy", "size"): _size,
    ("numpy", "array_repr"): repr, ("numpy", "array_str"): str, ("numpy.linalg", "norm"): _norm}


@lru_cache(maxsize=None)
def _counterpart(function: Any) -> Optional[Callable[..., Any]]:
    from . import _namespace
    module, name = function.__module__, function.__name__
    if (module, name) in _OWN:
        return _OWN[module, name]
    if module != "numpy" and (module != "numpy.linalg" or name not in _OF_LINALG):
        return None
    found: Optional[Callable[..., Any]] = getattr(_namespace(), _NAMES.get(name, name), None)
    return found if callable(found) else None


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and isinstance(value, (str, int, float)) and value == default)


@lru_cache(maxsize=None)
def _binding(function: Any, ours: Any) -> Optional[Callable[..., Any]]:
    """Arguments of NumPy's function as those of ours; None if a signature is not known or has any number of arguments.

    A parameter that has NumPy's default is left out.
    """
    try:
        theirs, own = inspect.signature(function), inspect.signature(ours)
    except ValueError:
        return None
    if any(each.kind is each.VAR_POSITIONAL for each in (*theirs.parameters.values(), *own.parameters.values())):
        return None
    others = [each.name for each in theirs.parameters.values() if each.kind is each.VAR_KEYWORD]
    leading = [each for each in own.parameters.values() if each.kind is each.POSITIONAL_ONLY or
               (each.kind is each.POSITIONAL_OR_KEYWORD and each.default is each.empty)]
    named = {each.name for each in own.parameters.values() if each.kind is not each.POSITIONAL_ONLY}

    def bind(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        bound = theirs.bind(*arguments, **keywords)
        bound.apply_defaults()
        every = bound.arguments
        more = [every.pop(name) for name in others]
        given = {name: value for name, value in every.items() if not _is_default(value, theirs.parameters[name].default)}
        for each in more:
            given.update(each)
        names = list(every)[:len(leading)]
        while names and names[-1] not in given and leading[len(names) - 1].default is not inspect.Parameter.empty:
            names.pop()
        rest = {_PARAMETERS.get(name, name): value for name, value in given.items() if name not in names}
        for name in rest:
            if name not in named:
                raise TypeError(f"{function.__name__}(): {name} has no counterpart in cucore.array; leave it out")
        return [every[name] for name in names], rest

    return bind
