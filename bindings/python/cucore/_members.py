# SPDX-License-Identifier: Apache-2.0
"""Adds members that are written in Python to the native classes."""
from __future__ import annotations

from typing import Any, Callable, Iterable, Optional, TypeVar

from . import _cucore

_Function = TypeVar("_Function", bound=Callable[..., Any])


def counted(count: int, noun: str) -> str:
    """"1 byte", "2 bytes"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def comment(native: object, more: str = "", names: Optional[Iterable[str]] = None) -> str:
    """That of a native member, and more behind it. With names, only these parameters are described."""
    lines = (getattr(native, "__doc__", "") or "").strip().splitlines()
    if names is not None:
        lines = [line for line in lines if not line.startswith(":param") or line.split()[1].rstrip(":") in names]
    return "\n".join([*lines, "", more]).strip()


def member(owner: type, name: str, kind: Optional[Callable[..., object]] = None, *, native: object = None,
           more: str = "") -> Callable[[_Function], _Function]:
    """Adds a function as a method, or as what kind makes of it. Without a comment it gets that of the native member."""
    def add(function: _Function) -> _Function:
        if function.__doc__ is None:
            function.__doc__ = comment(native or getattr(owner, f"_{name}"), more, function.__code__.co_varnames)
        for each in (function, getattr(function, "__wrapped__", function)):
            each.__name__, each.__qualname__ = name, f"{owner.__name__}.{name}"  # in Python's own messages
        _cucore._extend(owner, name, kind(function) if kind else function)
        return function
    return add
