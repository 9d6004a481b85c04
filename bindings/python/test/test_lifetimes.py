# SPDX-License-Identifier: Apache-2.0
"""Memory that is still in use is not freed: buffers of one stream used by work in another."""
import threading
import time

import pytest

import cucore
from conftest import ON_GPU, run_python

# Each way to lose a buffer runs in a separate process, because a fault breaks the whole device. `late` writes once the
# host sets a flag. `lose` uses a buffer of stream `one` on stream `two` and drops it while the kernel runs. A new
# allocation must not reuse the memory that the kernel writes to.
PROGRAM = """
import asyncio, gc, time
import numpy as np
import cucore
SOURCE = '''
extern "C" __global__ void late(volatile int *flag, int *data, int n) {
  while (!*flag) {}
  for (int i = 0; i < n; ++i) data[i] = 7;
}'''
SIZE = 1 << 16
device = cucore.Device()
late = cucore.Program(SOURCE).compile().kernel("late")
one, two, queue = cucore.Stream(device), cucore.Stream(device), cucore.Queue()
pinned = cucore.Buffer.pinned(device, 4)
flag = np.frombuffer(pinned, np.int32)

def use(buffer):
    two.wait_stream(one)
    late[1, 1, two](pinned, buffer, SIZE // 4)

%s

for round_ in range(5):
    flag[0] = 0
    lose()
    others = [cucore.Buffer(device, SIZE, one) for _ in range(16)]
    for other in others:
        other.fill(b"\\1", SIZE, one)
    end = time.monotonic() + 0.5
    # a driver may order new memory after the free of the old
    while not one.query() and time.monotonic() < end:
        pass
    flag[0] = 1
    two.synchronize()
    device.synchronize()
    seen = np.empty(SIZE, np.uint8)
    for other in others:
        other.read(seen, one)
        assert (seen == 1).all(), "a kernel wrote to memory that was freed under it"
    del others
"""

LOSSES = {
    "timeout": """
def lose():
    try:
        with cucore.Buffer(device, SIZE, one) as buffer:
            use(buffer)
            cucore.Future.from_stream(two, queue, 1).wait(0.01)
    except cucore.NotReadyError:
        return
    raise AssertionError("the kernel ended")
""",
    "exception": """
def lose():
    try:
        with cucore.Buffer(device, SIZE, one) as buffer:
            use(buffer)
            raise LookupError
    except LookupError:
        pass
""",
    "cancelled": """
async def wait():
    with cucore.Buffer(device, SIZE, one) as buffer:
        use(buffer)
        await two

def lose():
    try:
        asyncio.run(asyncio.wait_for(wait(), 0.01))
    except asyncio.TimeoutError:
        return
    raise AssertionError("the kernel ended")
""",
    "temporary": """
def lose():
    use(cucore.Buffer(device, SIZE, one))
""",
    "collected": """
def lose():
    forgotten = [cucore.Buffer(device, SIZE, one)]
    forgotten.append(forgotten)
    use(forgotten[0])
    del forgotten
    gc.collect()
""",
    "recorded": """
def lose():
    with cucore.Buffer(device, SIZE, one) as buffer:
        use(buffer.address)
        buffer.record_use(two)
""",
}


@pytest.mark.parametrize("way", LOSSES)
def test_lost_while_in_use(way):
    run_python(PROGRAM % LOSSES[way])


CLOSED_MEANWHILE = """
import threading, time
import cucore
from conftest import SOURCE
device = cucore.Device()
scale = cucore.Program(SOURCE).compile().kernel("scale")
one, two = cucore.Stream(device), cucore.Stream(device)
launches, refused, end = 0, 0, time.monotonic() + 3
shared = [cucore.Buffer(device, 4096, one)]

def launch():
    global launches, refused
    while time.monotonic() < end:
        try:
            scale[4, 256, two](1.0, shared[0], 1024)
            launches += 1
        except cucore.InvalidHandleError as error:
            assert str(error).startswith("scale argument 2 of 3: the Buffer is closed; "), error
            refused += 1

threads = [threading.Thread(target=launch) for _ in range(2)]
for thread in threads:
    thread.start()
while time.monotonic() < end:
    before = shared[0]
    before.close()
    fresh = cucore.Buffer(device, 4096, one)
    two.wait_stream(one)
    shared[0] = fresh
    time.sleep(0)
for thread in threads:
    thread.join()
device.synchronize()
assert launches > 100, launches
"""


def test_closed_by_another_thread():
    run_python(CLOSED_MEANWHILE)


FORGOTTEN = """
import gc, sys, threading
import cucore
device, failures = cucore.Device(), []
if sys.argv[1:] == ["disabled"]:
    gc.disable()

class Holder:
    def __init__(self, *arguments):
        self.itself, self.buffer = self, make(*arguments)

def make(stream):
    return cucore.Buffer(device, 64 << 20, stream)

def forget(count):
    try:
        stream = cucore.Stream(device)
        for _ in range(count):
            Holder(stream)
    except BaseException as failure:
        failures.append(failure)

%s
assert not failures, failures
"""


@pytest.mark.skipif(ON_GPU, reason="the memory of a GPU is not 8 GiB")
@pytest.mark.parametrize("how", [
    "forget(400)",
    "gc.disable(); forget(400)",
    "threads = [threading.Thread(target=forget, args=(400,)) for _ in range(4)]; [t.start() for t in threads]; "
    "[t.join() for t in threads]",
])
def test_forgotten_buffers(how):
    run_python(FORGOTTEN % how, CUCORE_CPU_MEMORY="8G")


@pytest.mark.skipif(ON_GPU, reason="the memory of a GPU is not 8 GiB")
def test_memory_that_is_in_use_stays_refused(device, stream):
    """An attempt that cannot succeed ends soon, with the original exception."""
    began = time.monotonic()
    with pytest.raises(cucore.OutOfDeviceMemoryError, match="free"):
        cucore.Buffer(device, 1 << 40, stream)
    assert time.monotonic() - began < 5


def test_interrupted_by_a_finalizer(device, stream):
    """A finalizer that allocates while the collector runs does not cause a deadlock."""
    made = []

    class Late:
        def __init__(self):
            self.itself = self

        def __del__(self):
            try:
                cucore.Buffer(device, 1 << 50, stream)
            except cucore.OutOfDeviceMemoryError as error:
                made.append(error)

    Late()
    thread = threading.Thread(target=lambda: pytest.raises(cucore.OutOfDeviceMemoryError, cucore.Buffer, device, 1 << 50, stream))
    thread.start()
    thread.join(30)
    assert not thread.is_alive() and len(made) == 1
