"""Awaiting work: queues, futures, asyncio."""
import asyncio
import gc
import os
import select
import threading
import time

import pytest

import cucore
from conftest import run_python


@pytest.fixture()
def data(device, stream):
    with cucore.Buffer(device, 64, stream) as made:
        made.fill(bytes(1), 64, stream)
        yield made


def test_queue_and_future(device, stream, code, data):
    spin = code.kernel("spin")
    with cucore.Queue() as queue:
        spin[1, 1, stream](data, 5_000_000)
        first = cucore.Future.from_stream(stream, queue, 7)
        spin[1, 1, stream](data, 1)
        second = cucore.Future.from_stream(stream, queue, (1 << 64) - 1)
        assert queue.wait(0) == [] and not first.query() and first.token == 7 and queue.info.pending == 2
        with pytest.raises(cucore.NotReadyError):
            first.check()
        with pytest.raises(cucore.NotReadyError):
            second.wait(0.001)
        assert select.select([queue.descriptor], [], [], 60)[0]
        got = queue.wait(60)
        while len(got) < 2:
            got += queue.wait(60)
        assert got == [(7, cucore.Status.OK), ((1 << 64) - 1, cucore.Status.OK)]
        second.wait()
        second.check()
        assert first.query() and queue.info.completed == 2 and not first.detach()
        spin[1, 1, stream](data, 5_000_000)
        dropped = cucore.Future.from_stream(stream, queue, 3)
        assert dropped.detach()
        dropped.wait(60)
        assert queue.wait(0.01) == []
        queue.end()
        assert queue.info.is_closed
        with pytest.raises(cucore.InvalidStateError):
            queue.wait()
        with pytest.raises(cucore.InvalidStateError):
            cucore.Future.from_stream(stream, queue, 1)
    with pytest.raises(cucore.InvalidHandleError):
        queue.wait(0)
    with pytest.raises(cucore.InvalidArgumentError):
        cucore.Queue(spin_ns=-2)


def test_await_stream(device, code):
    async def one(i):
        with cucore.Stream(device) as stream, cucore.Buffer(device, 4, stream) as data:
            data.fill(bytes(4), 4, stream)
            code.kernel("spin")[1, 1, stream](data, 1000 + i)
            await stream
            assert stream.query()
            out = bytearray(4)
            data.read(out, stream)
            return int.from_bytes(out, "little")

    async def many():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticker = asyncio.ensure_future(tick())
        results = await asyncio.gather(*map(one, range(100)))
        await one(2_000_000)
        ticker.cancel()
        assert ticks > 10  # the loop goes on meanwhile
        return results

    for _ in range(3):  # each run has a loop, and so a queue, of its own
        assert asyncio.run(many()) == [1000 + i for i in range(100)]
    gc.collect()
    assert len(cucore._async._readers) == 0


def test_await_cancelled_and_future(device, stream, code, data):
    async def main():
        code.kernel("spin")[1, 1, stream](data, 2_000_000)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(stream_done(), 0.001)
        queue = cucore.Queue()
        future = cucore.Future.from_stream(stream, queue, 1)
        await future
        assert future.query() and [c.token for c in queue.wait(60)] == [1]
        await stream
        await asyncio.gather(*(stream_done() for _ in range(50)))

    async def stream_done():
        await stream

    asyncio.run(main())
    with pytest.raises(RuntimeError):
        stream.__await__()  # no loop


def test_loops_in_threads(device, code):
    results = []

    def work():
        async def main():
            for i in range(50):
                with cucore.Stream(device) as stream:
                    code.kernel("spin")[1, 1, stream](data, 10)
                    await stream
            return True

        results.append(asyncio.run(main()))

    data = cucore.Buffer(device, 4, device.default_stream())
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == [True] * 4


def test_await_fault_and_exit():
    path = f"{os.path.dirname(__file__)}:{os.environ['PYTHONPATH']}"
    run_python("""
import asyncio
import cucore
from conftest import SOURCE
device = cucore.Device()
code = cucore.Program(SOURCE).compile()

async def main():
    stream = cucore.Stream(device)
    data = cucore.Buffer(device, 4, stream)
    code.kernel("crash")[1, 1, stream](data)
    try:
        await stream
    except cucore.KernelFaultError as error:
        assert "crash" in error.message
    else:
        raise AssertionError("no fault")
    device.reset()

asyncio.run(main())
stream = cucore.Stream(device)
data = cucore.Buffer(device, 4, stream)
queue = cucore.Queue()
code.kernel("spin")[1, 1, stream](data, 1_000_000)
pending = cucore.Future.from_stream(stream, queue, 1)
""", PYTHONPATH=path)


def test_latency(device, stream):
    async def main():
        began = time.perf_counter()
        for _ in range(200):
            await stream
        return (time.perf_counter() - began) / 200

    assert asyncio.run(main()) < 0.05  # a lost wake-up would take for ever


def test_closed_loops_do_not_stay():
    """A loop that was closed while somebody waited goes with the next loop's first wait."""
    out, _ = run_python("""
import asyncio, gc, weakref
import cucore
stream = cucore.Stream(cucore.Device())

def close_early():
    loop = asyncio.new_event_loop()
    async def wait():
        await stream
    waiting = wait()
    task = loop.create_task(waiting)
    task._log_destroy_pending = False
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    return weakref.ref(loop)

loops = [close_early() for _ in range(10)]
gc.collect()
print(sum(loop() is not None for loop in loops))
""")
    assert int(out) <= 1


def test_timeouts_without_an_end(device, stream):
    with cucore.Queue() as queue:
        cucore.Future.from_stream(stream, queue, 5).wait(float("inf"))
        assert [each.token for each in queue.wait(1e30)] == [5]
