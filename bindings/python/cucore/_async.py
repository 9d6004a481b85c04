# SPDX-License-Identifier: Apache-2.0
"""Awaits work: queues and futures, and "await stream" under asyncio.

Each event loop has one queue, whose descriptor it watches; one wake-up takes all available
completions. Threads of the library never enter Python.
"""
from __future__ import annotations

import itertools
import struct
import sys
import time
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Generator, Iterator, NamedTuple, Optional, Type, TypeVar

from ._cucore import Future, Queue, Stream
from ._enums import CompletionKind, Status
from ._errors import Error, NotReadyError
from ._members import member

if TYPE_CHECKING:
    import asyncio

_RECORD = struct.Struct("=QIIQ8x")  # cucore_completion
_MOST = 256
_MOST_AT_ONCE = 1 << 16  # bounds the memory of one call
_BETWEEN_SIGNALS = 50_000_000  # in nanoseconds
_T = TypeVar("_T")
_LONGEST = 2**62 / 1e9  # in seconds; more has no end


class _Completion(NamedTuple):
    token: int
    status: Status


class Completion(_Completion):
    """A completion from a queue: (token, status). That of a host function has a ticket for Queue.resume()."""

    kind: CompletionKind = CompletionKind.FUTURE
    ticket: int = 0

    @classmethod
    def _read(cls, token: int, status: int, kind: int, ticket: int) -> Completion:
        made = cls(token, Status(status))
        if kind:
            made.kind, made.ticket = CompletionKind(kind), ticket
        return made


class QueueInfo(NamedTuple):
    """The content of a queue, and the cost of its polling."""

    pending: int
    waiting: int
    completed: int
    cpu_ns: int
    is_closed: bool


def _nanoseconds(seconds: Optional[float]) -> int:
    return -1 if seconds is None or seconds > _LONGEST else max(0, round(seconds * 1e9))


def _slices(nanoseconds: int) -> Iterator[int]:
    """A long wait in parts: between two of them Python runs the handlers of signals, so Ctrl-C
    works."""
    if nanoseconds <= _BETWEEN_SIGNALS and nanoseconds >= 0:
        yield nanoseconds
        return
    end = None if nanoseconds < 0 else time.monotonic_ns() + nanoseconds
    part = _BETWEEN_SIGNALS
    while part > 0:
        yield part
        part = _BETWEEN_SIGNALS if end is None else min(_BETWEEN_SIGNALS, end - time.monotonic_ns())


#: cucore_queue_wait
@member(Queue, "wait", more="timeout: in seconds; None has no end.")
def queue_wait(self: Queue, timeout: Optional[float] = None, most: int = _MOST) -> list[Completion]:
    if most < 1:
        raise ValueError("most is the number of completions to take: 1 or more")
    records = bytearray(_RECORD.size * min(most, _MOST_AT_ONCE))
    count = 0
    for part in _slices(_nanoseconds(timeout)):
        count = self._wait(part, records)
        if count:
            break
    return [Completion._read(*record) for record in itertools.islice(_RECORD.iter_unpack(records), count)]


#: cucore_queue_query
@member(Queue, "info", property, native=Queue._query_pending)
def queue_info(self: Queue) -> QueueInfo:
    return QueueInfo(*(getattr(self, f"_query_{field}")() for field in QueueInfo._fields))


#: cucore_future_wait
@member(Future, "wait", more="timeout: in seconds; None has no end.")
def future_wait(self: Future, timeout: Optional[float] = None) -> None:
    for part in itertools.chain(_slices(_nanoseconds(timeout)), [0]):
        try:
            return self._wait(part)
        except NotReadyError:
            pass
    raise NotReadyError(Status.NOT_READY, f"the awaited work is not complete after {timeout} s")


class _Reader:
    """One event loop's queue, and its waiters by token."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._queue = Queue()
        self._tokens = itertools.count(1)
        self._waiting: dict[int, tuple[asyncio.Future[None], Future]] = {}
        loop.add_reader(self._queue.descriptor, self._drain)

    def awaitable(self, loop: asyncio.AbstractEventLoop, stream: Stream) -> asyncio.Future[None]:
        token = next(self._tokens)
        native = Future.from_stream(stream, self._queue, token)
        waiter = loop.create_future()
        self._waiting[token] = waiter, native
        waiter.add_done_callback(lambda done: self._forget(token) if done.cancelled() else None)
        return waiter

    def _forget(self, token: int) -> None:
        entry = self._waiting.pop(token, None)
        if entry is not None:
            entry[1].detach()

    def _drain(self) -> None:
        for token, status in self._queue.wait(0):
            waiter, native = self._waiting.pop(token, (None, None))
            if waiter is None or native is None or waiter.done():
                continue
            if status is Status.OK:
                waiter.set_result(None)
                continue
            try:
                native.check()
            except Error as error:
                waiter.set_exception(error)


_readers: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Reader]" = weakref.WeakKeyDictionary()


def _of(all: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _T]", loop: asyncio.AbstractEventLoop,
        make: Callable[[], _T]) -> _T:
    """The objects of a loop, created by its first wait."""
    nothing: Any = None
    found = all.get(loop)
    if found is None:
        # A waiter keeps its loop alive, so a closed loop would stay forever.
        # The references are copied in one step, because other threads add loops of their own.
        for each in [reference() for reference in all.keyrefs()]:
            if each is not None and each.is_closed():
                all.pop(each, nothing)
        found = all[loop] = make()
    return found


def _running_loop() -> asyncio.AbstractEventLoop:
    import asyncio  # takes half as long as all of this package, and most programs do without
    return asyncio.get_running_loop()


@member(Stream, "__await__")
@member(Stream, "_await")
def stream_await(self: Stream) -> Generator[Any, None, None]:
    """Awaits all present work of the stream, under asyncio."""
    loop = _running_loop()
    return _of(_readers, loop, lambda: _Reader(loop)).awaitable(loop, self).__await__()


class PresentWork:
    """The work that is in a stream now, to await later. Later work of the stream is not awaited in the event loop that runs
    now; in another loop it is."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._end: Optional[asyncio.Future[None]] = None
        if "asyncio" not in sys.modules:
            return
        try:
            loop = _running_loop()
        except RuntimeError:
            return
        self._end = _of(_readers, loop, lambda: _Reader(loop)).awaitable(loop, stream)
        # The object may be dropped without an await, and its failure then concerns nobody.
        self._end.add_done_callback(lambda end: end.cancelled() or end.exception())

    def __await__(self) -> Generator[Any, None, None]:
        import asyncio
        if self._end is None or self._end.get_loop() is not _running_loop():
            return self._stream.__await__()
        return asyncio.shield(self._end).__await__()  # a cancelled task leaves it to others


class _Poller:
    """Polls the futures that one event loop awaits and whose completions go to queues of their
    owners. The pauses grow with the time, and the polling takes at most a tenth of the loop's time.
    No thread is held, so nothing is left when the waiting is cancelled."""

    AT_ONCE, LONGEST = 0.0002, 0.01  # this long without a pause; later pauses are at most this long

    def __init__(self) -> None:
        self._awaited: dict[asyncio.Future[None], Future] = {}
        self._began = 0.0
        self._timer: Optional[asyncio.Handle] = None

    def awaitable(self, loop: asyncio.AbstractEventLoop, native: Future) -> asyncio.Future[None]:
        waiter: asyncio.Future[None] = loop.create_future()
        if _settle(waiter, native):
            return waiter
        self._awaited[waiter] = native
        self._began = loop.time()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_soon(self._look, loop)
        return waiter

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        began = loop.time()
        for waiter, native in list(self._awaited.items()):
            if waiter.done() or _settle(waiter, native):
                del self._awaited[waiter]
        now = loop.time()
        pause = max(min((now - self._began) / 16, self.LONGEST), 10 * (now - began))
        if not self._awaited:
            self._timer = None
        elif now - self._began < self.AT_ONCE:
            self._timer = loop.call_soon(self._look, loop)
        else:
            self._timer = loop.call_later(pause, self._look, loop)


def _settle(waiter: asyncio.Future[None], native: Future) -> bool:
    try:
        if not native.query():
            return False
    except Error as error:
        waiter.set_exception(error)
    else:
        waiter.set_result(None)
    return True


_pollers: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Poller]" = weakref.WeakKeyDictionary()


@member(Future, "__await__")
@member(Future, "_await")
def future_await(self: Future) -> Generator[Any, None, None]:
    """Awaits the future, under asyncio; its completion stays in its own queue."""
    loop = _running_loop()
    return _of(_pollers, loop, _Poller).awaitable(loop, self).__await__()


@member(Stream, "__aenter__")
async def stream_aenter(self: Stream) -> Stream:
    """The stream itself."""
    return self


@member(Stream, "__aexit__")
async def stream_aexit(self: Stream, type: Optional[Type[BaseException]], value: Optional[BaseException],
                       traceback: Optional[TracebackType]) -> None:
    """Awaits the work of the stream, unless the block has failed, and closes the stream."""
    if self.closed:
        return
    with self:
        if type is None:
            await self
