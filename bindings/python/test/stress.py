# SPDX-License-Identifier: Apache-2.0
"""Buffers closed, dropped, cancelled and timed out at random, while kernels of other streams use them.

    stress.py                           5 seconds; CUCORE_STRESS_SECONDS has another number

8 threads share 4 streams. Each round allocates a buffer in one stream, uses it in another, and releases it in one of
the ways below. Kernels compute a known value, and a part of the results is checked. Memory that was freed while a kernel
used it is either a fault or a wrong result of another thread. At the end all memory must be free again.
"""
import asyncio
import collections
import gc
import os
import random
import resource
import sys
import threading
import time

import numpy as np

import cucore

SECONDS = float(os.environ.get("CUCORE_STRESS_SECONDS", "5"))
THREADS, STREAMS, SIZES = 8, 4, (1 << 12, 1 << 14, 1 << 16)
RESIDENT_LIMIT, DEVICE_LIMIT = 24 << 20, 64 << 20
SOURCE = """
extern "C" __global__ void work(unsigned *data, unsigned n, unsigned rounds) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
    unsigned x = data[i];
    for (unsigned k = 0; k < rounds; ++k) x = x * 1664525u + 1013904223u;
    data[i] = x;
  }
}
"""


def after(value, rounds):
    for _ in range(rounds):
        value = (value * 1664525 + 1013904223) % (1 << 32)
    return value


# The time of a kernel depends on its rounds; the interpreter of the CPU device takes 1000 times as
# long as a GPU.
SCALE = 1 if cucore.Device().is_emulated else 200
ROUNDS = {rounds: {seed: after(seed * 0x01010101, rounds) for seed in range(4)} for rounds in (1, 10 * SCALE, 50 * SCALE)}


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


class Stress:
    def __init__(self):
        self.device = cucore.Device()
        self.kernel = cucore.Program(SOURCE).compile().kernel("work")
        self.streams = [cucore.Stream(self.device) for _ in range(STREAMS)]
        self.shared = [self.allocate(SIZES[0], self.streams[0]) for _ in range(4)]
        self.counts = collections.Counter()
        self.failures = []
        self.lock = threading.Lock()

    def allocate(self, size, stream):
        return cucore.Buffer(self.device, size, stream)

    # The ways to release a buffer that a kernel in the stream uses.

    def checked(self, buffer, stream, expected):
        seen = np.empty(buffer.size // 4, np.uint32)
        buffer.read(seen, stream)
        assert (seen == expected).all(), f"wrong result: {seen[seen != expected][:4]} instead of {expected}"

    def closed(self, buffer, stream, expected):
        buffer.close()

    def dropped(self, buffer, stream, expected):
        pass

    def forgotten(self, buffer, stream, expected):
        cycle = [buffer]
        cycle.append(cycle)

    def timed_out(self, buffer, stream, expected):
        with buffer:
            cucore.Future.from_stream(stream, cucore.Queue(), 1).wait(random.random() / 1000)

    def cancelled(self, buffer, stream, expected):
        async def wait():
            with buffer:
                await stream

        asyncio.run(asyncio.wait_for(wait(), random.random() / 1000))

    def exchanged(self, buffer, stream, expected):
        """Other threads use the shared buffers, and one of them is closed while they do."""
        place = random.randrange(len(self.shared))
        other, self.shared[place] = self.shared[place], buffer
        other.close()
        shared = random.choice(self.shared)
        self.kernel[1, 64, random.choice(self.streams)](shared, 64, 1)

    ENDINGS = (checked, checked, checked, closed, dropped, forgotten, timed_out, cancelled, exchanged)
    EXPECTED = (cucore.NotReadyError, cucore.InvalidHandleError, asyncio.TimeoutError)

    def round(self):
        own, other = random.choice(self.streams), random.choice(self.streams)
        size, seed, rounds = random.choice(SIZES), random.randrange(4), random.choice(list(ROUNDS))
        buffer = self.allocate(size, own)
        buffer.fill(bytes([seed]), size, own)
        other.wait_stream(own)
        self.kernel[1, 64, other](buffer, size // 4, rounds)
        ending = random.choice(self.ENDINGS)
        name = ending.__name__
        try:
            ending(self, buffer, other, ROUNDS[rounds][seed])
        except self.EXPECTED as error:
            assert name in ("timed_out", "cancelled", "exchanged"), f"{name}: {error!r}"
            name += ": " + type(error).__name__
        with self.lock:
            self.counts[name] += 1

    def work(self, end):
        try:
            while time.monotonic() < end and not self.failures:
                self.round()
        except BaseException as failure:
            self.failures.append(failure)

    def run(self, seconds):
        end = time.monotonic() + seconds
        threads = [threading.Thread(target=self.work, args=(end,)) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failures:
            raise self.failures[0]

    def measure(self):
        """Returns (resident bytes, free bytes of the device) with no work in progress."""
        for each in self.shared:
            each.close()
        gc.collect()
        self.device.synchronize()
        for stream in self.streams:
            stream.synchronize()
        return resident(), self.device.memory.free


def main():
    stress = Stress()
    stress.run(max(1.0, SECONDS / 10))  # threads, pools and caches reach their size
    before = stress.measure()
    stress.counts.clear()
    stress.run(SECONDS)
    after_ = stress.measure()
    total = sum(stress.counts.values())
    print(f"{total} rounds in {SECONDS:g} s on {stress.device.name}, none wrong: "
          + ", ".join(f"{count} {name}" for name, count in sorted(stress.counts.items())))
    for what, start, end in zip(("resident size", "free device memory"), before, after_):
        print(f"{what}: {start / 2**20:.1f} MiB at the start, {end / 2**20:.1f} MiB at the end")
    assert total > THREADS and stress.counts["checked"], "nothing was checked"
    assert after_[0] - before[0] < RESIDENT_LIMIT, "the resident size grows"
    assert before[1] - after_[1] < DEVICE_LIMIT, "device memory is lost"


if __name__ == "__main__":
    sys.exit(main())
