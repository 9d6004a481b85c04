# SPDX-License-Identifier: Apache-2.0
"""Calls of libcucore-perf: the functions, errors, objects with handles, texts, and options by name."""
from __future__ import annotations

import ctypes
import weakref
from ctypes import byref, c_char_p, c_size_t, c_void_p
from types import SimpleNamespace
from typing import Any, Iterable, Optional, Union

import cucore
from cucore import _cucore

from . import _enums, _library, _native


def _functions() -> Any:
    library = ctypes.CDLL(_library.__file__)
    found = SimpleNamespace()
    for name, (result, parameters) in _native.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, parameters
        setattr(found, name, function)
    return found


c: Any = _functions()


def call(function: Any, *args: Any) -> None:
    """Calls a function whose last parameter is the error, and raises it."""
    error = c_void_p()
    status = function(*args, byref(error))
    if status:
        _cucore._raise(status, error.value or 0)


def made(function: Any, *args: Any) -> int:
    """Calls a function whose last output is a new object, and returns its handle."""
    handle = c_void_p()
    call(function, *args, byref(handle))
    assert handle.value is not None
    return handle.value


def filled(struct: Any, function: Any, *args: Any) -> Any:
    """The struct that a call fills."""
    out = struct(ctypes.sizeof(struct))
    call(function, *args, byref(out))
    return out


def text(function: Any, *args: Any) -> str:
    """The text that a call writes."""
    size = c_size_t()
    call(function, *args, None, 0, byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    call(function, *args, buffer, size.value, byref(size))
    return buffer.raw[:size.value].rstrip(b"\0").decode()


def encoded(words: Optional[str]) -> Optional[bytes]:
    """UTF-8 for a parameter or a field."""
    if words is not None and "\0" in words:
        raise ValueError("a text contains a NUL character")
    return None if words is None else words.encode()


def address(object: Any, type: Any) -> int:
    """The handle of an object of cucore."""
    return _cucore._address(object, type)


def device_of(given: Union[cucore.Device, int, None]) -> cucore.Device:
    """A Device, its number, or None for device 0."""
    return given if isinstance(given, cucore.Device) else cucore.Device(given or 0)


def chosen(enum: Any, given: Any) -> int:
    """The number of an enumerator, or of its name in any case."""
    if not isinstance(given, str):
        return int(enum(given))
    found = enum.__members__.get(given.upper())
    if found is None:
        raise ValueError(f"{given!r} is not a {enum.__name__}; expected one of {', '.join(each.lower() for each in enum.__members__)}")
    return int(found)


class Options:
    """A struct of options by the names of its fields. It keeps what the struct points to."""

    def __init__(self, struct: Any, **given: Any) -> None:
        self.native = struct(ctypes.sizeof(struct))
        self.kept: list[Any] = []
        types = dict(struct._fields_)
        for name, value in given.items():
            kind = types[name]
            if isinstance(value, _enum_types):
                value = int(value)
            elif kind is c_char_p:
                value = encoded(value)
            elif kind is c_void_p:
                value = self._pointer(name, value)
            elif kind in _REALS:
                value = float(value)
            else:
                value = self._number(name, kind, value)
            setattr(self.native, name, value)

    def _pointer(self, name: str, value: Any) -> Optional[int]:
        """Of a list of texts, whose count is another field, of a device, or of a roof."""
        if name == "device":
            if value is None:
                return None
            device = device_of(value)
            self.kept.append(device)
            return address(device, cucore.Device)
        if name == "roof":
            if value is None:
                return None
            if not isinstance(value, Handle):
                raise TypeError(f"roof: a Roof is needed, not {type(value).__name__}")
            self.kept.append(value)
            return value._handle
        if isinstance(value, str):
            raise TypeError(f"{name}: a list of str is needed, not one str")
        texts = [encoded(each) for each in value]
        setattr(self.native, name.removesuffix("s") + "_count", len(texts))
        memory = (c_char_p * len(texts))(*texts)
        self.kept.append(memory)
        return ctypes.addressof(memory) if texts else None

    def _number(self, name: str, kind: Any, value: Any) -> int:
        if value is None or isinstance(value, bool):  # a toggle
            return {None: cucore.Toggle.DEFAULT, True: cucore.Toggle.ON, False: cucore.Toggle.OFF}[value]
        enum = _ENUM_OF_FIELD.get((type(self.native).__name__, name))
        if enum is not None:
            return chosen(enum, value)
        if not isinstance(value, int):
            raise TypeError(f"{name}: an int is needed, not {type(value).__name__}")
        if kind(value).value != value:
            raise OverflowError(f"{name} is {value}, which is out of its range")
        return value


_REALS = (ctypes.c_double,)
_enum_types = tuple(getattr(_enums, name) for name in _enums.__all__)
_ENUM_OF_FIELD = {key: getattr(_enums, name) for key, name in _native.ENUMS.items()}


class Handle:
    """An object of the library. It ends with the last reference to it, on any thread."""

    def __init__(self, handle: int, release: Any) -> None:
        self._handle = handle
        self._ending = weakref.finalize(self, release, handle)
