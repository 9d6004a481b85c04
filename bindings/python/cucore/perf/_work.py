# SPDX-License-Identifier: Apache-2.0
"""Callables of Python as works of C. An exception ends the call of the library, which raises it again."""
from __future__ import annotations

import inspect
from ctypes import CFUNCTYPE, POINTER, c_int32, c_void_p
from typing import Any, Callable, Optional, TypeVar

import cucore
from cucore import _cucore

from ._calls import c

_Result = TypeVar("_Result")
_Native = CFUNCTYPE(c_int32, c_void_p, c_void_p, POINTER(c_void_p))


def takes_stream(function: Callable[..., Any]) -> bool:
    """Returns whether a work is called with a stream: it has one parameter without a default."""
    if not callable(function):
        raise TypeError(f"a callable is needed, not {type(function).__name__}")
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of a native callable
        return False
    required = [each for each in parameters if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    if len(required) > 1 or any(each.kind == each.KEYWORD_ONLY for each in required):
        raise TypeError(f"{function!r} takes {len(required)} arguments; expected none, or the stream")
    return bool(required)


class Works:
    """The works of one call of the library, and the first exception of one of them."""

    def __init__(self) -> None:
        self.failure: Optional[BaseException] = None
        self._kept: list[Any] = []
        self._streams: dict[int, cucore.Stream] = {}

    def run(self, call: Callable[[], _Result]) -> _Result:
        """Calls the library. The exception of a work takes the place of the library's own."""
        try:
            result = call()
        except cucore.Error:
            if self.failure is None:
                raise
        finally:
            self._streams.clear()
            self._kept.clear()
        if self.failure is not None:
            raise self.failure
        return result

    def add(self, function: Callable[..., Any]) -> Any:
        """A function of C that calls one of Python."""
        with_stream = takes_stream(function)

        def run(stream: int, _: Any, error: Any) -> int:
            try:
                function(self._stream(stream)) if with_stream else function()
                return 0
            except BaseException as failure:
                self.failure = self.failure or failure
                status = int(failure.status if isinstance(failure, cucore.Error) else cucore.Status.INVALID_STATE)
                if error:
                    error[0] = c.cucore_error_create(status, f"the work raised {type(failure).__name__}".encode(), None)
                return status

        native = _Native(run)
        self._kept.append(native)
        return native

    def _stream(self, address: int) -> cucore.Stream:
        if address not in self._streams:
            self._streams[address] = _cucore._stream_at(address)
        return self._streams[address]
