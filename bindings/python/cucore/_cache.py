# SPDX-License-Identifier: Apache-2.0
"""The cache of compiles and links, and compiles of many programs at once."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Callable, Iterable, NamedTuple, Optional, Sequence, Tuple, Union

from . import _cucore, _options
from ._cucore import Cache, Linker, ObjectCode, Program
from ._enums import CacheFile, CacheOutcome, CodeType
from ._errors import Error
from ._members import comment, counted, member
from ._program import compile_through, fill
from ._records import CacheStatistics

if TYPE_CHECKING:
    from datetime import datetime


class CacheResult(NamedTuple):
    """Object code, and the place where it was found."""

    code: ObjectCode
    outcome: CacheOutcome


class CacheEntry(NamedTuple):
    """One file of a cache, as it was at the time of the report."""

    key: bytes
    """Its name in the folder, 32 bytes."""
    kind: CacheFile
    is_sound: bool
    """False: damaged, and removed where the cache may write."""
    size: int
    """Bytes of the file."""
    made: datetime
    """UTC."""
    used: datetime
    """The last time, UTC."""
    type: Optional[CodeType]
    """Of an entry, where it was read; else None."""
    name: str
    """Of the object code; "" where it was not read."""
    arch: str
    """"sm_90"."""
    problem: str
    """What is wrong; ""."""

    def __repr__(self) -> str:
        state = "" if self.is_sound else f", damaged: {self.problem}"
        content = "".join(f" {part}" for part in (self.type, self.name, self.arch) if part)
        return f"<cucore.CacheEntry {self.key.hex()[:16]} {self.kind}{content}, {counted(self.size, 'byte')}{state}>"


class BatchItem(NamedTuple):
    """One compile of many."""

    program: Program
    target: CodeType = CodeType.PTX
    names: Sequence[str] = ()
    """Name expressions."""


class BatchResult(NamedTuple):
    """The result of an item: either code or error is None."""

    code: Optional[ObjectCode]
    error: Optional[Error]

    def __repr__(self) -> str:
        if self.error is None:
            return f"<cucore.BatchResult {self.code!r}>"
        return f"<cucore.BatchResult {type(self.error).__name__}: {self.error.message}>"


def arguments(directory=None, **keywords):  # type: ignore[no-untyped-def]
    """The arguments of Cache(...) for the library."""
    return (fill(_cucore._CacheOptions(), _options.cache_options, {"directory": directory, **keywords}, "Cache"),)


#: cucore_cache_compile
@member(Cache, "compile", more="names: name expressions, as of Program.compile.")
def cache_compile(self: Cache, program: Program, target: CodeType = CodeType.PTX, names: Sequence[str] = ()) -> CacheResult:
    return CacheResult(*compile_through(self, program, target, names))


#: cucore_cache_find
@member(Cache, "find", more="None: it is not there. names: name expressions, as of Program.compile.")
def cache_find(self: Cache, program: Program, target: CodeType = CodeType.PTX,
               names: Sequence[str] = ()) -> Optional[CacheResult]:
    code, outcome = self._find(program, target, names)
    return CacheResult(code, outcome) if code is not None else None


#: cucore_cache_link
@member(Cache, "link")
def cache_link(self: Cache, linker: Linker, target: CodeType = CodeType.CUBIN) -> CacheResult:
    return CacheResult(*self._link(linker, target))


#: cucore_cache_get_or_build
@member(Cache, "get_or_build",
        more="build: called without arguments, on this thread; gives the ObjectCode. What it raises comes out of this call\n"
             "as it is, and is nobody else's: threads that were waiting for this build build for themselves.")
def cache_get_or_build(self: Cache, key: bytes, build: Callable[[], ObjectCode]) -> CacheResult:
    return CacheResult(*self._get_or_build(key, build))


#: cucore_cache_statistics
@member(Cache, "statistics", property)
def cache_statistics(self: Cache) -> CacheStatistics:
    return CacheStatistics._make(memoryview(self._statistics()).cast("Q"))


#: cucore_cache_statistics_of_all
@member(Cache, "statistics_of_all", property)
def cache_statistics_of_all(self: Cache) -> CacheStatistics:
    return CacheStatistics._make(memoryview(self._statistics_of_all()).cast("Q"))


def _moment(nanoseconds: int) -> datetime:
    from datetime import datetime, timedelta, timezone  # for reports alone
    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=nanoseconds // 1000)


def _entry(all_of_them: _cucore._CacheEntries, index: int) -> CacheEntry:
    type = all_of_them.type(index)
    return CacheEntry(all_of_them.key(index), all_of_them.kind(index), all_of_them.is_sound(index), all_of_them.size(index),
                      _moment(all_of_them.made_ns(index)), _moment(all_of_them.used_ns(index)),
                      CodeType(type) if type else None, all_of_them.name(index), all_of_them.arch(index),
                      all_of_them.problem(index))


def _list(all_of_them: _cucore._CacheEntries) -> list[CacheEntry]:
    return [_entry(all_of_them, index) for index in range(all_of_them.count)]


#: cucore_cache_query
@member(Cache, "entries", more="Nothing is read for it: name, arch and type are not there.")
def cache_entries(self: Cache) -> list[CacheEntry]:
    return _list(self._entries())


#: cucore_cache_verify
@member(Cache, "verify", more="All that was read; those with is_sound False were damaged.")
def cache_verify(self: Cache) -> list[CacheEntry]:
    return _list(self._verify())


#: cucore_cache_trim
@member(Cache, "trim", more="What was removed.")
def cache_trim(self: Cache, max_bytes: int) -> list[CacheEntry]:
    return _list(self._trim(max_bytes))


#: cucore_cache_explain_miss
@member(Cache, "explain_miss")
def cache_explain_miss(self: Cache, program: Program, target: CodeType = CodeType.PTX, names: Sequence[str] = ()) -> str:
    return self._explain_miss(program, target, names)


#: cucore_cache_add_remote_url
@member(Cache, "add_remote",
        more="read_only: nothing is sent to it.\nconnect_timeout_ms: 0: 100.\ntimeout_ms: of one request; 0: 1000.")
def cache_add_remote(self: Cache, url: str, *, read_only: bool = False, connect_timeout_ms: int = 0,
                     timeout_ms: int = 0) -> None:
    self._add_remote(url, read_only, connect_timeout_ms, timeout_ms)


def _milliseconds(time_limit: Optional[float]) -> int:
    if time_limit is None:
        return 0
    if not time_limit > 0:
        raise ValueError(f"time_limit: more than 0 seconds are needed, not {time_limit}")
    return math.ceil(time_limit * 1000)


def _result(batch: _cucore._Batch, index: int) -> BatchResult:
    try:
        batch.check(index)
    except Error as error:
        return BatchResult(None, error.with_traceback(None))
    return BatchResult(batch.code(index), None)


_Item = Union[Program, BatchItem, Tuple[Program, CodeType], Tuple[Program, CodeType, Sequence[str]]]


#: cucore_program_compile_batch
def compile_batch(items: Iterable[_Item], *, workers: int = 0, time_limit: Optional[float] = None,
                  cache: Optional[Cache] = None) -> list[BatchResult]:
    batch = _cucore._Batch()
    count = 0
    for count, item in enumerate(items, 1):
        batch.add(*(BatchItem(item) if isinstance(item, Program) else BatchItem(*item)))
    batch._run(workers, _milliseconds(time_limit), cache)
    return [_result(batch, index) for index in range(count)]


compile_batch.__doc__ = comment(
    _cucore._Batch._run,
    "items: of each a Program, or (program, target, names).\nworkers: processes; 0: one a core.\n"
    "time_limit: of each compile, in seconds.\ncache: looked in first, and told of what was compiled.")
