# SPDX-License-Identifier: Apache-2.0
"""Texts of arrays, in the format of NumPy."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Optional, Union

from . import _array
from ._array import Array

_DEFAULTS: dict[str, Union[int, bool]] = {"threshold": 1000, "precision": 8, "edgeitems": 3, "linewidth": 75, "suppress": False}
_options: ContextVar[dict[str, Union[int, bool]]] = ContextVar("cucore.array.printoptions", default=_DEFAULTS)


def _merged(given: dict[str, Optional[int]]) -> dict[str, Union[int, bool]]:
    for name in given:
        if name not in _DEFAULTS:
            raise TypeError(f"{name!r} is not a print option; expected one of {', '.join(_DEFAULTS)}")
    return {**_options.get(), **{name: value for name, value in given.items() if value is not None}}


def get_printoptions() -> dict[str, Union[int, bool]]:
    """Returns the print options of this thread or task."""
    return dict(_options.get())


def set_printoptions(**options: Optional[int]) -> None:
    """Sets print options: threshold, precision, edgeitems, linewidth, suppress."""
    _options.set(_merged(options))


@contextmanager
def printoptions(**options: Optional[int]) -> Iterator[None]:
    """Sets print options for a with statement."""
    token = _options.set(_merged(options))
    try:
        yield
    finally:
        _options.reset(token)


def array2string(x: Array, **options: Optional[int]) -> str:
    """Returns the elements as a text. Waits for them; of a large array, only for those that are shown."""
    chosen = _merged(options)
    return _array.print(x, chosen["threshold"], chosen["precision"] or -1, chosen["edgeitems"], chosen["linewidth"], chosen["suppress"])


def text(x: Array) -> str:
    return array2string(x)


def description(x: Array) -> str:
    """The elements and the dtype."""
    lines = array2string(x, linewidth=max(int(_options.get()["linewidth"]) - len("Array()"), 1)).replace("\n", "\n      ")
    return f"Array({lines}, dtype={x.dtype.name})"


__all__ = ["array2string", "get_printoptions", "printoptions", "set_printoptions"]
