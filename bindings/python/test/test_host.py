# SPDX-License-Identifier: Apache-2.0
"""Host functions: callables in streams, on a thread of the package."""
import gc
import sys
import threading
import time
import weakref

import pytest

import cucore
from cucore._host import add_host
from conftest import run_python


def test_run_in_the_order_of_the_stream(device, stream):
    order, threads = [], set()

    def note(number):
        threads.add(threading.current_thread())
        order.append(number)

    with cucore.Buffer.pinned(device, 4) as buffer:
        for number in range(20):
            buffer.fill(bytes([number]), stream=stream)
            stream.launch_host(lambda: note(memoryview(buffer)[0]))
        stream.synchronize()
    assert order == list(range(20))
    assert len(threads) == 1 and threads != {threading.current_thread()} and all(t.daemon for t in threads)


def test_the_stream_waits(stream):
    gate, ended = threading.Event(), []
    stream.launch_host(lambda: (gate.wait(10), ended.append(1)))
    assert not stream.query()
    gate.set()
    stream.synchronize()
    assert ended == [1]


def test_the_stream_goes_on_without_waits(stream):
    gate, ended = threading.Event(), threading.Event()
    stream.launch_host(lambda: (gate.wait(10), ended.set()), waits=False)
    stream.synchronize()
    assert not ended.is_set()
    gate.set()
    assert ended.wait(10)


@pytest.mark.parametrize("adds", [False, True])
def test_functions_without_waits_run_after_the_end_of_their_graph(device, stream, adds):
    begun, gate, ran = threading.Event(), threading.Event(), threading.Event()
    stream.launch_host(lambda: (begun.set(), gate.wait(10)), waits=False)
    assert begun.wait(10)
    with cucore.Graph(device) as graph:
        graph.host(ran.set, waits=False)
        with graph.executable() as executable:
            executable(stream)
            stream.synchronize()
    time.sleep(0.3)  # a thread of the library drops the graph
    if adds:
        stream.launch_host(lambda: None, waits=False)
    assert not ran.is_set()
    gate.set()
    assert ran.wait(5), "the function was forgotten before its run"


def test_functions_run_while_another_is_added(stream):
    ran, last = threading.Event(), threading.Event()

    def launch(queue, token):  # the driver may block in it
        stream.launch_host(lambda: stream.launch_host(ran.set))
        assert ran.wait(10), "a function waits for the call that adds another"
        stream.launch_host_queued(queue, token, True)

    add_host(last.set, None, launch)
    stream.synchronize()
    assert last.is_set()


def test_exceptions_are_reported_and_the_stream_goes_on(stream, monkeypatch):
    reports, after = [], []
    monkeypatch.setattr(sys, "unraisablehook", lambda report: reports.append((report.exc_type, str(report.exc_value))))

    def fail():
        raise ValueError("on purpose")

    stream.launch_host(fail)
    stream.launch_host(lambda: sys.exit(3))
    stream.launch_host(lambda: after.append(1))
    stream.synchronize()
    assert reports == [(ValueError, "on purpose"), (SystemExit, "3")] and after == [1]


def test_functions_are_dropped_after_their_run(stream):
    class Callable:
        def __call__(self):
            pass

    function = Callable()
    there = weakref.ref(function)
    stream.launch_host(function)
    stream.synchronize()
    del function
    end = time.monotonic() + 10
    while there() is not None and time.monotonic() < end:
        gc.collect()
        time.sleep(0.001)
    assert there() is None


def test_refusals(stream):
    with pytest.raises(TypeError, match="a callable is needed, not int"):
        stream.launch_host(1)
    with cucore.Queue() as queue:
        queue.end()
        with pytest.raises(cucore.InvalidStateError, match="a queue that was closed"):
            stream.launch_host_queued(queue, 1, 1)


def test_queues_have_tickets(stream):
    with cucore.Queue(host_timeout_ms=10_000) as queue:
        stream.launch_host_queued(queue, 7, 1)
        (first,) = queue.wait(10)
        assert first == (7, cucore.Status.OK) and first.kind is cucore.CompletionKind.HOST and first.ticket != 0
        assert not stream.query()
        queue.resume(first.ticket)
        stream.synchronize()
        with pytest.raises(cucore.NotFoundError, match=f"ticket is {first.ticket}"):
            queue.resume(first.ticket)
        future = cucore.Future.from_stream(stream, queue, 8)
        (second,) = queue.wait(10)
        assert (second.token, second.kind, second.ticket) == (8, cucore.CompletionKind.FUTURE, 0)
        future.close()


def test_many_threads(device):
    ran = []

    def work():
        with cucore.Stream(device) as stream:
            for _ in range(10):
                stream.launch_host(lambda: ran.append(1))
            stream.synchronize()

    threads = [threading.Thread(target=work) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ran) == 640


def test_words(device, stream):
    with cucore.Buffer.pinned(device, 16) as buffer, cucore.Stream(device) as other:
        buffer.fill(b"\0", stream=stream)
        stream.synchronize()
        stream.wait_value(buffer, 8, 5, 8, cucore.Comparison.GREATER_EQUAL)
        assert not stream.query()
        other.write_value(buffer, 8, 6, 8)
        stream.synchronize()
        with pytest.raises(cucore.InvalidArgumentError, match="size is 3; expected 4 or 8"):
            stream.write_value(buffer, 0, 1, 3)


@pytest.mark.parametrize("end", ["", "sys.exit(0)", "gc.collect()"])
def test_exit_in_the_middle(end):
    started = time.monotonic()
    run_python(f"""
import gc, sys, time, threading, cucore
stream = cucore.Stream(cucore.Device(0))
begun = threading.Event()
stream.launch_host(lambda: (begun.set(), time.sleep(0.3)))
stream.launch_host(lambda: print("never"))
begun.wait(10)
{end}
""")
    assert time.monotonic() - started < 20
