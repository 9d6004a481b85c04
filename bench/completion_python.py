# SPDX-License-Identifier: Apache-2.0
"""Measures the delay of a kernel's end in Python, for each way of waiting, and the ends that it can await per second.

    completion_python.py LIBBENCH [SAMPLES]

Writes tables in markdown. Latency begins when a polling thread of C reads the kernel's last word in pinned memory,
and ends at the line of Python that continues.
"""
import asyncio
import ctypes
import os
import statistics
import sys
import time

import cucore

# Reads a word `turns` times, then writes a value to another.
SOURCE = """
extern "C" __global__ void work(volatile unsigned *word, unsigned turns, unsigned value) {
  for (unsigned i = 0; i < turns; ++i) word[16];
  __threadfence_system();
  *word = value;
}
"""
PENDING, ROUNDS = 1000, 20

bench = ctypes.CDLL(sys.argv[1])
bench.bench_seen.restype = ctypes.c_uint64
samples = int(sys.argv[2]) if len(sys.argv) > 2 else 500

device = cucore.Device()
stream = cucore.Stream(device)
word = cucore.Buffer.pinned(device, 4096)
memoryview(word)[:] = bytes(4096)
work = cucore.Program(SOURCE).compile().kernel("work")[1, 1, stream]
blocking = cucore.Event(device, blocking_sync=True)
queue = cucore.Queue()
now = time.perf_counter_ns


def turns_for(microseconds):
    """Returns the number of turns of the kernel that take this long."""
    def took(turns):
        began = now()
        work(word, turns, 0)
        stream.synchronize()
        return (now() - began) / 1e3

    took(100)
    return round(microseconds / max(1e-3, (took(21_000) - took(1000)) / 20_000))


async def polled():
    while not stream.query():
        pass


async def synchronized():
    stream.synchronize()


async def blocked():
    blocking.record(stream)
    blocking.synchronize()


async def from_queue():
    cucore.Future.from_stream(stream, queue, 1)
    queue.wait()


async def awaited():
    await stream


async def awaited_future():
    await cucore.Future.from_stream(stream, queue, 1)


WAYS = [("polling `stream.query()`", polled), ("`stream.synchronize()`", synchronized),
        ("`event.synchronize()`, blocking", blocked), ("`queue.wait()`", from_queue),
        ("`await stream`", awaited), ("`await future`", awaited_future)]


async def latencies(way, turns):
    """Sorted, in microseconds."""
    found = []
    for i in range(1, samples + 11):
        bench.bench_expect(i)
        work(word, turns, i)
        await way()
        heard = now()
        found.append((heard - bench.bench_seen()) / 1e3)
        if way is awaited_future:
            queue.wait()
        time.sleep(0.0002)  # as after other work
        memoryview(word)[:4] = bytes(4)
    return sorted(found[10:])  # the first ones include one-time work


def measure_latency(microseconds):
    turns = turns_for(microseconds)
    print(f"\n| after a kernel of {microseconds} µs | median µs | 90 % | 99 % |\n|---|---|---|---|")
    for title, way in WAYS:
        found = asyncio.run(latencies(way, turns))
        row = (found[int(part * (len(found) - 1))] for part in (0.5, 0.9, 0.99))
        print(f"| {title} | " + " | ".join(f"{each:.1f}" for each in row) + " |", flush=True)


async def gathered():
    async def one():
        await stream

    await asyncio.gather(*(one() for _ in range(PENDING)))


async def bare():
    """The same tasks and futures of asyncio, without a device."""
    loop = asyncio.get_running_loop()

    async def one():
        waiter = loop.create_future()
        loop.call_soon(waiter.set_result, None)
        await waiter

    await asyncio.gather(*(one() for _ in range(PENDING)))


async def one_by_one():
    for _ in range(PENDING):
        await stream


async def drained():
    for i in range(PENDING):
        cucore.Future.from_stream(stream, queue, i)
    taken = 0
    while taken < PENDING:
        taken += len(queue.wait())


def measure_throughput():
    print(f"\n| completions per second | | µs each |\n|---|---|---|")
    for title, form in ((f"futures through a queue, {PENDING} pending", drained),
                        (f"`await stream`, {PENDING} pending", gathered),
                        (f"asyncio alone, {PENDING} tasks and futures", bare), ("`await stream`, one at a time", one_by_one)):
        async def timed():
            await form()
            took = []
            for _ in range(ROUNDS):
                began = now()
                await form()
                took.append((now() - began) / 1e3 / PENDING)
            return statistics.median(took)

        each = asyncio.run(timed())
        print(f"| {title} | {1e6 / each:.0f} | {each:.2f} |", flush=True)


print(f"{device.name}, {os.cpu_count()} threads of the host, CPython {sys.version.split()[0]}")
bench.bench_watch(ctypes.c_void_p(word.address))
for length in (20, 2000):
    measure_latency(length)
bench.bench_watch_end()
measure_throughput()
