# SPDX-License-Identifier: Apache-2.0
"""The output of kernels is on stdout when a wait returns, for every kind of wait."""
import pytest

import cucore
from conftest import run_python

# One wait, the program's last call of the device: it ends without Python's or the driver's exit
# handlers.
PROGRAM = r"""
import asyncio, ctypes, os, select, threading
import cucore

device = cucore.Device()
stream, other = cucore.Stream(device), cucore.Stream(device)
event = cucore.Event(device)
queue = cucore.Queue()
buffer = cucore.Buffer(device, 64, stream)
say = cucore.Program('extern "C" __global__ void say(int n) { for (int i = 0; i < n; ++i) __nanosleep(1000); printf("said %d\\n", n); }').compile().kernel("say")

def future():
    return cucore.Future.from_stream(stream, queue, 1)

def recorded():
    event.record(stream)
    return event

def poll(query):
    while not query():
        pass

def in_thread(wait):
    thread = threading.Thread(target=wait)
    thread.start()
    thread.join()

def run(awaited):
    async def main():
        await awaited()
    asyncio.run(main())

async def leave_a_block():
    async with other:
        other.wait_stream(stream)

async def gathered():
    await asyncio.gather(*[asyncio.ensure_future(each()) for each in (awaiting_stream, awaiting_future)])

async def awaiting_stream():
    await stream

async def awaiting_future():
    await future()

WAITS = {
    "stream": lambda: stream.synchronize(),
    "event": lambda: recorded().synchronize(),
    "device": lambda: device.synchronize(),
    "future": lambda: future().wait(),
    "future with a timeout": lambda: future().wait(60),
    "queue": lambda: (future(), queue.wait()),
    "descriptor": lambda: (future(), select.select([queue.descriptor], [], [])),
    "polled stream": lambda: poll(stream.query),
    "polled event": lambda: poll(recorded().query),
    "polled future": lambda: poll(future().query),
    "awaited stream": lambda: run(awaiting_stream),
    "awaited future": lambda: run(awaiting_future),
    "awaited block": lambda: run(leave_a_block),
    "gathered": lambda: run(gathered),
    "read": lambda: buffer.read(bytearray(64), stream),
    "stream in a thread": lambda: in_thread(stream.synchronize),
    "event in a thread": lambda: in_thread(recorded().synchronize),
}
wait = WAITS[os.environ["WAIT"]]
say[1, 1, stream](int(os.environ["TURNS"]))
wait()
ctypes.CDLL(None).fflush(None)  # a driver may leave its text in C's stdout
os._exit(0)
"""
WAITS = [line.split('"')[1] for line in PROGRAM.splitlines() if line.startswith('    "')]


# The work is done before the first query, or takes some time: waits have a path for each.
@pytest.mark.parametrize("turns", [1, 20_000])
@pytest.mark.parametrize("wait", WAITS)
def test_is_written_by_every_wait(wait, turns):
    out, _ = run_python(PROGRAM, WAIT=wait, TURNS=str(turns))
    assert out == f"said {turns}\n"


def test_is_written_where_a_program_ends_after_a_wait():
    out, _ = run_python("""
import cucore
stream = cucore.Stream(cucore.Device())
say = cucore.Program('extern "C" __global__ void say() { printf("said\\\\n"); }').compile().kernel("say")
say[1, 1, stream]()
stream.synchronize()
print("ended")
""")
    assert sorted(out.splitlines()) == ["ended", "said"]


def test_list_of_waits_is_complete():
    """Every call that waits or polls has a line above."""
    found = {f"{type.__name__}.{name}" for type in (cucore.Device, cucore.Stream, cucore.Event, cucore.Future, cucore.Queue)
             for name in dir(type) if name in ("synchronize", "query", "wait", "__await__", "__aexit__")}
    orders_streams = {"Stream.wait"} & found
    assert found - orders_streams == {
        "Device.synchronize", "Stream.synchronize", "Stream.query", "Stream.__await__", "Stream.__aexit__",
        "Event.synchronize", "Event.query", "Future.wait", "Future.query", "Future.__await__", "Queue.wait"}
