# SPDX-License-Identifier: Apache-2.0
"""Scenarios about threads, collection, exit and the log. See tests/bindings/scenarios.md."""
import gc
import os
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import cucore
from conftest import ON_GPU, SOURCE, run_python


def run_threads(count, work):
    """Runs work(i) on threads; an exception in one is the test's."""
    failures = []

    def guarded(i):
        try:
            work(i)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    if failures:
        raise failures[0]


def test_eight_threads(device):
    shared = cucore.Program(SOURCE).compile()

    def work(i):
        code = shared if i % 2 else cucore.Program(SOURCE.replace("*=", "+="), name=f"{i}.cu").compile()
        with cucore.Stream(device) as stream, cucore.Buffer(device, 4000, stream) as data:
            host = np.full(1000, i, np.float32)
            for round_ in range(20):
                data.write(host, stream)
                code.kernel("scale")[4, 256, stream](2.0, data, 1000)
                out = np.empty_like(host)
                data.read(out, stream)
                assert (out == (i * 2 if i % 2 else i + 2)).all()
                with pytest.raises(cucore.NotFoundError):
                    code.kernel(f"none {round_}")

    run_threads(8, work)


def test_collected_while_in_use(device, code):
    kernel = code.kernel("spin")
    for _ in range(20):
        stream = cucore.Stream(device)
        data = cucore.Buffer(device, 4, stream)
        kernel[1, 1, stream](data, 20_000)
        waiting = threading.Event()

        def wait(own, synchronize=stream.synchronize):
            waiting.set()
            synchronize()

        thread = threading.Thread(target=wait, args=(None,))
        thread.start()
        waiting.wait()
        del wait, stream, data
        gc.collect()
        thread.join(60)
        assert not thread.is_alive()


def test_close_while_in_use(device, code):
    kernel = code.kernel("spin")
    results = set()
    for attempt in range(30):
        stream, data = cucore.Stream(device), None
        data = cucore.Buffer(device, 1 << 16, stream)
        program = cucore.Program(SOURCE, name=f"{attempt}.cu")
        kernel[1, 1, stream](data, 20_000)

        def use(call):
            try:
                call()
                results.add("well")
            except cucore.InvalidHandleError:
                results.add("closed")

        calls = [stream.synchronize, lambda: data.read(bytearray(1 << 16), stream)]
        if attempt % 10 == 0:
            calls.append(program.compile)
        threads = [threading.Thread(target=use, args=(call,)) for call in calls]
        for thread in threads:
            thread.start()
        for each in (stream, data, program):
            each.close()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
    assert results <= {"well", "closed"} and results
    device.synchronize()


def run_beside_collector(work):
    """Runs `work` on three threads. Another one collects until the first of them ends."""
    stop = threading.Event()

    def part(i):
        if i == 0:
            while not stop.is_set():
                gc.collect()
            return
        try:
            work()
        finally:
            if i == 1:
                stop.set()

    run_threads(4, part)


def test_finalizer_thread(device, code):
    """Objects in cycles: the collector releases them on whatever thread it runs."""
    def litter():
        with cucore.Stream(device) as stream:
            for round_ in range(300):
                cycle = [cucore.Event(device), cucore.Buffer(device, 64, stream),
                         cucore.ObjectCode.deserialize(code.serialize()) if round_ % 50 == 0 else None]
                cycle.append(cycle)
                code.kernel("scale")[1, 1, stream](1.0, None, 0)

    run_beside_collector(litter)


@pytest.mark.skipif(ON_GPU, reason="counts the calls of the CPU device")
def test_finalizer_thread_of_graphs(device, code):
    """Graphs, executables and views of nodes in cycles: each is destroyed, and a view keeps its graph."""
    spin = code.kernel("spin")

    def litter():
        with cucore.Stream(device) as stream, cucore.Buffer(device, 4, stream) as data:
            data.fill(b"\0", 4, stream)
            for _ in range(50):
                graph = cucore.Graph(device)
                node = graph.kernel(spin, cucore.LaunchConfig(1, 1), data, 1)
                cycle = [graph.executable(), node]
                cycle[0].launch(stream)
                cycle.append(cycle)
                del graph, cycle
                gc.collect()
                assert node.info.kernel == "spin"
            total = bytearray(4)
            data.read(total, stream)
            assert int.from_bytes(total, sys.byteorder) == 50

    with cucore.checks("none") as checks:
        run_beside_collector(litter)
        gc.collect()
        device.synchronize()
        end = time.monotonic() + 60

        def calls(*names):
            checks.query()
            return [checks.call_count(name) for name in names]

        # The library destroys on its own thread what work used last.
        while calls("cuGraphDestroy", "cuGraphExecDestroy") != [150, 150] and time.monotonic() < end:
            time.sleep(0.01)
        assert calls("cuGraphCreate", "cuGraphDestroy") == [150, 150]
        assert calls("cuGraphInstantiateWithParams", "cuGraphExecDestroy") == [150, 150]


EXIT = """
import sys, threading
import cucore
from conftest import SOURCE
device = cucore.Device(0)
stream = cucore.Stream(device)
data = cucore.Buffer(device, 4, stream)
code = cucore.Program(SOURCE).compile()
event = cucore.Event(device)
cucore.set_log_callback(lambda level, text: None, cucore.LogLevel.DEBUG)
code.kernel("spin")[1, 1, stream](data, 100_000)
event.record(stream)
pinned = cucore.Buffer.pinned(device, 64)
view = memoryview(pinned)
class Late:
    def __del__(self, stream=stream, event=event):
        event.query(); stream.close()
late = Late()

def for_ever():  # inside calls of all kinds when the interpreter ends
    with cucore.Stream(device) as own, cucore.Buffer(device, 4, own) as buffer:
        while True:
            code.kernel("spin")[1, 1, own](buffer, 200)
            own.synchronize()
            buffer.read(bytearray(4), own)
            cucore.Event(device)

cycle = [late, code, data]; cycle.append(cycle)
%s
"""


INTERRUPT = """
import signal, threading, time
import numpy as np
import cucore
from conftest import SOURCE
device = cucore.Device()
code = cucore.Program(SOURCE).compile()
stream, event, queue = cucore.Stream(device), cucore.Event(device), cucore.Queue()
plain = cucore.Event(device, blocking_sync=True)
pinned = cucore.Buffer.pinned(device, 4)
flag = np.frombuffer(pinned, np.int32)
looks = 0

def look(number, frame):
    global looks
    looks += 1
    if looks == 3:  # a handler that returns lets the wait continue
        raise KeyboardInterrupt

signal.signal(signal.SIGALRM, look)
for name in ("stream", "event", "blocking", "device", "queue", "queue with an end", "future", "future with an end"):
    flag[0] = looks = 0
    code.kernel("until")[1, 1, stream](pinned)
    event.record(stream)
    plain.record(stream)
    future = cucore.Future.from_stream(stream, queue, 1)
    wait = {"stream": stream.synchronize, "event": event.synchronize, "blocking": plain.synchronize,
            "device": device.synchronize, "queue": queue.wait, "queue with an end": lambda: queue.wait(100),
            "future": future.wait, "future with an end": lambda: future.wait(100)}[name]
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
    try:
        wait()
    except KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, 0)
    else:
        raise AssertionError(f"{name} was not interrupted")
    assert not stream.query() and looks == 3, name
    in_thread = threading.Thread(target=wait)  # in a thread that does not handle signals
    in_thread.start()
    flag[0] = 1
    wait() if "queue" not in name else None
    in_thread.join()
    stream.synchronize()
    while queue.info.pending or queue.info.waiting:
        queue.wait(0.01)
print("all")
"""


def test_interrupt():
    """Ctrl-C is seen while the main thread waits for a device."""
    assert run_python(INTERRUPT) == ("all\n", "")


def test_exit():
    for ending in ("", "sys.exit(0)", "threading.Thread(target=stream.synchronize, daemon=True).start()",
                   "for i in range(4): threading.Thread(target=for_ever, daemon=True).start()",
                   "threading.Thread(target=stream.synchronize).start()", "cucore.set_log_callback(None)",
                   "import os, warnings; warnings.simplefilter('ignore'); pid = os.fork(); sys.exit(0) if not pid else os.waitpid(pid, 0)"):
        if "fork" in ending and "asan" in os.environ.get("LD_PRELOAD", ""):
            continue  # gcc 12's AddressSanitizer forks with its allocator locked
        assert run_python(EXIT % ending) == ("", ""), ending


def test_log(device):
    got = []
    arrived = threading.Event()

    def receive(level, text):
        got.append((level, text))
        arrived.set()
        if len(got) == 1:
            raise RuntimeError("the callback's own fault")

    hook, shown = sys.excepthook, []
    sys.excepthook = lambda *failure: shown.append(failure[1])
    try:
        cucore.set_log_callback(receive, cucore.LogLevel.DEBUG)
        for name in ("schön.cu", "second.cu"):
            cucore.Program('extern "C" __global__ void k() {}', name=name).compile().load(device)
        assert arrived.wait(30)
        assert cucore.log_enabled(cucore.LogLevel.DEBUG)
        cucore.log_write(cucore.LogLevel.DEBUG, "von außen")
        cucore.set_log_callback(None)  # delivers what is there
    finally:
        sys.excepthook = hook
    texts = [text for _, text in got]
    assert "von außen" in texts and not cucore.log_enabled(cucore.LogLevel.ERROR)
    cucore.log_write(cucore.LogLevel.ERROR, "nobody receives it")
    assert any("schön.cu" in text for text in texts) and any("second.cu" in text for text in texts)
    assert all(level is cucore.LogLevel.DEBUG for level, _ in got) and [str(f) for f in shown] == ["the callback's own fault"]
    count = len(got)
    cucore.Program("", name="third.cu").compile()
    assert len(got) == count

    # Each message arrives once, also when the next one takes longer than a wait of the thread.
    # The library unloads object code on a thread of its own, which may write a message of its own here.
    again = []
    cucore.set_log_callback(lambda level, text: again.append(text), cucore.LogLevel.DEBUG)
    cucore.log_write(cucore.LogLevel.DEBUG, "only once")
    time.sleep(0.7)
    cucore.log_write(cucore.LogLevel.DEBUG, "the last")
    cucore.set_log_callback(None)
    assert [text for text in again if "unloaded" not in text] == ["only once", "the last"]

    def switch(i):
        for _ in range(20):
            if i < 2:
                cucore.set_log_callback(lambda level, text: None, cucore.LogLevel.DEBUG)
            else:
                cucore.Program('extern "C" __global__ void k() {}').compile().load(device)

    run_threads(4, switch)
    cucore.set_log_callback(None)
    with pytest.raises(cucore.InvalidArgumentError):
        cucore.set_log_callback(receive, 99)


def test_log_functions_may_end_the_messages():
    """The function changes the receiver while another thread does so too and waits for it."""
    assert run_python("""
import threading
import cucore
inside, proceeds, count = threading.Event(), threading.Event(), []

def receive(level, text):
    inside.set()
    assert proceeds.wait(60)
    cucore.set_log_callback(None)
    count.append(text)

cucore.set_log_callback(receive, cucore.LogLevel.INFO)
cucore.log_write(cucore.LogLevel.INFO, "one")
assert inside.wait(60)
other = threading.Thread(target=cucore.set_log_callback, args=(None,), daemon=True)
other.start()
other.join(0.2)  # it waits for the function
assert other.is_alive()
proceeds.set()
other.join(30)
print(other.is_alive(), count, flush=True)
if other.is_alive():
    import os
    os._exit(1)
""")[0] == "False ['one']\n"


def test_log_functions_that_exit_do_not_end_the_messages():
    assert run_python("""
import sys
import cucore
got = []

def receive(level, text):
    got.append(text)
    sys.exit("only this message")

def hook(*failure):
    raise RuntimeError("the hook's own fault")

sys.excepthook = hook
cucore.set_log_callback(receive, cucore.LogLevel.INFO)
for text in ("one", "two", "three"):
    cucore.log_write(cucore.LogLevel.INFO, text)
cucore.set_log_callback(None)
print(got)
""")[0] == "['one', 'two', 'three']\n"


def test_loops_of_other_threads_do_not_disturb():
    """The first wait of a loop looks for closed loops, while other threads add theirs."""
    class Loop:
        def is_closed(self):
            return False

    all = weakref.WeakKeyDictionary()
    kept = []

    def look(_):
        for _ in range(200):
            loop = Loop()
            kept.append(loop)
            cucore._async._of(all, loop, object)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        run_threads(4, look)
    finally:
        sys.setswitchinterval(interval)
    assert len(all) == len(kept) == 800
