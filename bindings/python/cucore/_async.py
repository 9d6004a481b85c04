"""Awaiting work: queues and futures, and "await stream" under asyncio.

Each event loop has one queue, whose descriptor it watches; one wake-up takes all completions that are
there. No thread of the library ever enters Python.
"""
from __future__ import annotations

import asyncio
import itertools
import struct
import time
import weakref
from typing import Any, Generator, Iterator, NamedTuple, Optional

from . import _cucore
from ._cucore import Future, Queue, Stream
from ._enums import Status
from ._errors import Error, NotReadyError

_RECORD = struct.Struct("=QI20x")  # cucore_completion
_MOST = 256
_BETWEEN_SIGNALS = 50_000_000  # in nanoseconds
_LONGEST = 2**62 / 1e9  # in seconds; more has no end


class Completion(NamedTuple):
    """What comes out of a queue."""

    token: int
    status: Status


class QueueInfo(NamedTuple):
    """How much a queue holds, and what asking for it costs."""

    pending: int
    waiting: int
    completed: int
    cpu_ns: int
    is_closed: bool


def _nanoseconds(seconds: Optional[float]) -> int:
    return -1 if seconds is None or seconds > _LONGEST else max(0, round(seconds * 1e9))


def _slices(nanoseconds: int) -> Iterator[int]:
    """A long wait in parts: between two Python runs the handlers of signals, so Ctrl-C is seen."""
    if nanoseconds <= _BETWEEN_SIGNALS and nanoseconds >= 0:
        yield nanoseconds
        return
    end = None if nanoseconds < 0 else time.monotonic_ns() + nanoseconds
    part = _BETWEEN_SIGNALS
    while part > 0:
        yield part
        part = _BETWEEN_SIGNALS if end is None else min(_BETWEEN_SIGNALS, end - time.monotonic_ns())


def queue_wait(self: Queue, timeout: Optional[float] = None, most: int = _MOST) -> list[Completion]:
    records = bytearray(_RECORD.size * most)
    count = 0
    for part in _slices(_nanoseconds(timeout)):
        count = self._wait(part, records)
        if count:
            break
    return [Completion(token, Status(status))
            for token, status in itertools.islice(_RECORD.iter_unpack(records), count)]


def queue_info(self: Queue) -> QueueInfo:
    pending, waiting, completed, cpu_ns, is_closed = (self._query(which) for which in range(5))
    return QueueInfo(pending, waiting, completed, cpu_ns, bool(is_closed))


def future_wait(self: Future, timeout: Optional[float] = None) -> None:
    for part in _slices(_nanoseconds(timeout)):
        try:
            return self._wait(part)
        except NotReadyError:
            pass
    self._wait(0)  # says that it is not ready


queue_wait.__doc__ = f"{Queue._wait.__doc__}\n\ntimeout: in seconds; None has no end."
queue_info.__doc__ = Queue._query.__doc__
future_wait.__doc__ = f"{Future._wait.__doc__}\n\ntimeout: in seconds; None has no end."


class _Reader:
    """One event loop's queue, and who waits for which token."""

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


def stream_await(self: Stream) -> Generator[Any, None, None]:
    """Awaits all work that is in the stream now, under asyncio."""
    loop = asyncio.get_running_loop()
    reader = _readers.get(loop)
    if reader is None:
        # Who waits keeps the loop, so a loop that was closed meanwhile would stay for ever.
        for closed in [each for each in list(_readers) if each.is_closed()]:
            _readers.pop(closed, None)
        reader = _readers[loop] = _Reader(loop)
    return reader.awaitable(loop, self).__await__()


async def _outcome(future: Future) -> None:
    if not future.query():
        await asyncio.get_running_loop().run_in_executor(None, future._wait, -1)
    future.check()


def future_await(self: Future) -> Generator[Any, None, None]:
    """Awaits the future, whose completion stays in its own queue."""
    return _outcome(self).__await__()


for _type, _name, _member in (
    (Queue, "wait", queue_wait),
    (Queue, "info", property(queue_info)),
    (Future, "wait", future_wait),
    (Future, "_await", future_await),
    (Future, "__await__", future_await),
    (Stream, "_await", stream_await),
    (Stream, "__await__", stream_await),
):
    _cucore._extend(_type, _name, _member)
