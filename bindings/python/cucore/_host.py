# SPDX-License-Identifier: Apache-2.0
"""Host functions: callables that a stream runs between its other work.

They run on one daemon thread of this package, never on a thread of the driver.
"""
from __future__ import annotations

import atexit
import threading
from typing import Any, Callable, NamedTuple, Optional, TypeVar

from ._cucore import Graph, Queue, Stream, _call_reported, new_token, take_dropped_token
from ._errors import Error, InvalidStateError, NotFoundError
from ._members import member

_SECONDS_AT_EXIT = 1.0  # for the function that runs then
_Result = TypeVar("_Result")


class _Entry(NamedTuple):
    function: Callable[[], Any]
    is_kept: bool  # a graph launches it again, until it drops its token


class _Runner:
    """One queue, the thread that drains it, and the functions by token."""

    def __init__(self) -> None:
        self._queue = Queue()
        self._owner = new_token()  # of the tokens that graphs hold
        self._entries: dict[int, _Entry] = {}
        self._begun = 0  # completions of the queue
        self._dropped: dict[int, int] = {}  # by token: the completions that the queue then had had
        self._thread = threading.Thread(target=self._run, name="cucore-host", daemon=True)
        self._thread.start()
        atexit.register(self._end)

    def add(self, function: Callable[[], Any], keeper: Optional[Graph], launch: Callable[[Queue, int], _Result]) -> _Result:
        self._forget()
        token = new_token()
        self._entries[token] = _Entry(function, keeper is not None)
        try:
            result = launch(self._queue, token)
            if keeper is not None:
                keeper._hold_token(self._owner, token)
            return result
        except BaseException:
            del self._entries[token]
            raise

    def _forget(self) -> None:
        """Forgets the functions of graphs that have ended, when the runs that were in the queue at their end have begun.

        A run without waits does not keep its graph alive.
        """
        while token := take_dropped_token(self._owner):
            self._dropped[token] = self._queue._query_completed()
        for token in list(self._dropped):  # other threads do the same
            if self._dropped.get(token, 0) <= self._begun:
                self._dropped.pop(token, None)
                self._entries.pop(token, None)

    def _run(self) -> None:
        while True:
            try:
                some = self._queue.wait()
            except InvalidStateError:
                return  # closed, or the process ends
            for each in some:
                self._run_one(each.token, each.ticket)
            self._forget()

    def _run_one(self, token: int, ticket: int) -> None:
        entry = self._entries.get(token)  # None: a graph could not hold the token
        self._begun += 1
        if entry and not entry.is_kept:
            del self._entries[token]
        if entry:
            _call_reported(entry.function)
        del entry  # the next wait must not keep what the function refers to
        if ticket:
            try:
                self._queue.resume(ticket)
            except NotFoundError:
                pass  # the time limit was over, which the log reports

    def _end(self) -> None:
        """Before Python ends: the streams go on, and no function runs any more."""
        try:
            self._queue.end()
        except Error:
            return
        self._thread.join(_SECONDS_AT_EXIT)


_runner: Optional[_Runner] = None
_lock = threading.Lock()


def add_host(function: Callable[[], Any], keeper: Optional[Graph], launch: Callable[[Queue, int], _Result]) -> _Result:
    """Calls launch() with a queue and a token, for which the function runs. A keeper launches it again."""
    global _runner
    if not callable(function):
        raise TypeError(f"a callable is needed, not {type(function).__name__}")
    with _lock:
        if _runner is None:
            _runner = _Runner()
    return _runner.add(function, keeper, launch)


@member(Stream, "launch_host")
def stream_launch_host(self: Stream, function: Callable[[], Any], *, waits: bool = True) -> None:
    """Adds a function to the stream. It runs when the work before it is complete, on one thread of this package.

    With waits, work after it starts when the function has returned. Its exceptions go to sys.unraisablehook, and the
    stream goes on. On a captured stream it runs at each launch of the graph, which keeps it. It must not wait for the stream.
    """
    add_host(function, self.capture_graph if self.is_capturing else None, lambda queue, token: self.launch_host_queued(queue, token, waits))
