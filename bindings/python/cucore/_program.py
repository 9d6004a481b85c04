# SPDX-License-Identifier: Apache-2.0
"""Program's constructor and compile(): keywords become the fields of the options."""
from __future__ import annotations

import os
import threading
from functools import lru_cache
from typing import Callable, Iterable, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union

from . import _cucore, _options
from ._cucore import Cache, ObjectCode, Program
from ._enums import CacheOutcome, CodeType, KeyAlgorithm, SourceType
from ._members import counted, member


class Key(NamedTuple):
    """A key that signs or verifies."""

    algorithm: KeyAlgorithm
    data: bytes

    def __repr__(self) -> str:
        return f"Key({self.algorithm!r}, {counted(len(self.data), 'byte')})"  # the bytes may be a secret


def _macros(value: _options.Macros) -> Iterable[str]:
    """Converts `{"N": 4, "DEBUG": None}` to `["N=4", "DEBUG"]`."""
    if isinstance(value, Mapping):
        return [name if number is None else f"{name}={number}" for name, number in value.items()]
    return _texts(value)


def _texts(value: Union[str, Iterable[str]]) -> Iterable[str]:
    return [value] if isinstance(value, (str, os.PathLike)) else value


def _number(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name}: an int is needed, not {type(value).__name__}")
    return value


def as_keys(given: Union[None, Key, Iterable[Key]]) -> Iterable[Key]:
    """None, one key or several."""
    return () if given is None else [given] if isinstance(given, Key) else given


def _fill(options: _cucore._ProgramOptions, name: str, kind: str, value: object) -> None:
    if kind == "text":
        if value is not None:
            options.set_text(name, os.fspath(value))  # type: ignore[call-overload]
    elif kind == "toggle":
        if value is not None:
            if not isinstance(value, int):
                raise TypeError(f"{name}: a bool, None or Toggle is needed, not {type(value).__name__}")
            options.set_number(name, {True: 1, False: 2}[value] if isinstance(value, bool) else value)
    elif kind in ("number", "uint32", "uint64"):
        options.set_number(name, _number(name, value))
    elif kind == "flag":
        if not isinstance(value, bool):
            raise TypeError(f"{name}: a bool is needed, not {type(value).__name__}")
        options.set_number(name, int(value))
    elif kind in ("key", "keys"):
        for algorithm, data in as_keys(value):  # type: ignore[arg-type]
            options.add_key(name, algorithm, data)
    elif kind == "texts":
        for each in _macros(value) if name.endswith("_macros") else _texts(value):  # type: ignore[arg-type]
            options.add_text(name, os.fspath(each))
    elif kind == "blobs":
        for each in value:  # type: ignore[attr-defined]
            options.add_bytes(name, each.encode() if isinstance(each, str) else each)
    else:
        for number in value:  # type: ignore[attr-defined]
            options.add_number(name, _number(name, number))


# Fields that users write in another form, and the keywords for it.
_PARTS = ("header_names", "header_sources", "extra_source_names")
_OWN = {"Program": ("type", "headers", "extra_sources")}
_Filled = TypeVar("_Filled", bound=_cucore._ProgramOptions)


def _suggestion(given: Iterable[str], fields: Iterable[str], name: str) -> str:
    """The known keyword next to the first unknown one, for a message."""
    import difflib
    known = [field for field in fields if field not in _PARTS] + list(_OWN.get(name, ()))
    unknown = next((each for each in given if each not in fields), "")
    near = difflib.get_close_matches(unknown, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


_Fields = Callable[..., Mapping[str, Tuple[str, object]]]


def _refuse(function: _Fields, keywords: Mapping[str, object], name: str) -> None:
    """Raises Python's own error for the first unknown keyword."""
    try:
        function(**keywords)
    except TypeError as error:
        message = str(error).replace(f"{function.__name__}()", f"{name}()")
        raise TypeError(message + _suggestion(keywords, function.__kwdefaults__, name)) from None


@lru_cache(maxsize=None)
def _kinds(function: _Fields) -> Mapping[str, str]:
    """The kind of each field. Every call of the function makes them anew, with their defaults."""
    return {field: kind for field, (kind, _) in function().items()}


def fill(filled: _Filled, function: _Fields, keywords: Mapping[str, object], name: str) -> _Filled:
    """Returns the options from the keywords."""
    kinds = _kinds(function)
    for field, value in keywords.items():
        kind = kinds.get(field)
        if kind == "text" and type(value) is str:  # the most common one
            filled.set_text(field, value)
            continue
        if kind is None:
            _refuse(function, keywords, name)
        try:
            _fill(filled, field, kinds[field], value)
        except TypeError as error:
            raise TypeError(f"{name}({field}=...): {str(error).replace(f'{field}: ', '', 1)}") from None
    return filled


def arguments(source, type=SourceType.CUDA_CPP, *, headers=None, extra_sources=None, **keywords):  # type: ignore[no-untyped-def]
    """The arguments of Program(source, ...) for the library: (type, source, options).

    A path is read, and is the name of the program unless it has another.
    """
    if isinstance(source, str):
        source = source.encode()
    elif isinstance(source, os.PathLike):
        keywords.setdefault("name", os.fspath(source))
        with open(source, "rb") as file:
            source = file.read()
    if headers:
        keywords["header_names"] = list(headers)
        keywords["header_sources"] = list(headers.values())
    if extra_sources:
        keywords["extra_source_names"] = list(extra_sources)
        keywords["extra_sources"] = list(extra_sources.values())
    return type, source, fill(_cucore._ProgramOptions(), _options.program_options, keywords, "Program")


def _by_keywords(name: str) -> Callable[..., Tuple[object, ...]]:
    options, function = _options.ALL[name]
    return lambda **keywords: (fill(getattr(_cucore, options)(), function, keywords, name),)


def constructors(own: Mapping[str, Callable[..., Tuple[object, ...]]]) -> dict[str, Callable[..., Tuple[object, ...]]]:
    """The arguments for the library of each class whose options are keywords."""
    made = {**{name: _by_keywords(name) for name in _options.ALL}, **own}
    for name, function in made.items():
        function.__qualname__ = name  # in Python's own messages
    return made


_CODE_TYPES = {name: each for each in CodeType for name in (each.name, each.name.lower())}


def code_type(given: Union[CodeType, str]) -> CodeType:
    """The enumerator of "ptx" or "PTX"."""
    if type(given) is str and given in _CODE_TYPES:
        return _CODE_TYPES[given]
    if isinstance(given, CodeType):
        return given
    if not isinstance(given, str):
        raise TypeError(f"target: a CodeType or its name is needed, not {type(given).__name__}")
    try:
        return CodeType[given.upper()]
    except KeyError:
        raise ValueError(f"target is {given!r}; expected a CodeType or its name: "
                         f"{', '.join(each.name.lower() for each in CodeType)}") from None


# The descriptors refuse an object that is not a Cache, at no cost.
_find = _cucore.Cache._find
_compile_in_cache = _cucore.Cache._compile
_SLICE_MS = 20


def _is_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


def _wait(compiling: _cucore._Compiling) -> Tuple[ObjectCode, CacheOutcome]:
    """Python handles signals on the main thread, between two calls."""
    while not compiling.wait(_SLICE_MS):
        pass
    return compiling.take()


def compile_through(cache: Cache, program: Program, target: CodeType, names: Sequence[str]) -> Tuple[ObjectCode, CacheOutcome]:
    """Returns the object code and the place where it was found. A hit takes no thread."""
    code, outcome = _find(cache, program, target, names)
    if code is not None:
        return code, outcome
    if not _is_main_thread():
        return _compile_in_cache(cache, program, target, names)
    return _wait(_cucore._Compiling(program, cache, target, names))


#: cucore_program_compile
@member(Program, "compile",
        more="cache: looked in first, and told of what was compiled; see Cache.compile. Ctrl-C ends the call at once;\nthe compile goes on in a thread of the library, into the cache if there is one.")
def _compile(self: Program, target: Union[CodeType, str] = CodeType.PTX, names: Sequence[str] = (), *,
             cache: Optional[Cache] = None) -> ObjectCode:
    target = code_type(target)
    if cache is not None:
        return compile_through(cache, self, target, names)[0]
    if not _is_main_thread():
        return self._compile(target, names)
    return _wait(_cucore._Compiling(self, None, target, names))[0]
