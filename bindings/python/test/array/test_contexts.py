# SPDX-License-Identifier: Apache-2.0
"""Contexts, scopes, evaluation, statistics, lifetimes and threads."""
import asyncio
import gc
import json
import os
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
from compared import equal

import cucore
import cucore.array as xp
from cucore.array import _array


def launched(context=None):
    return xp.statistics(context)["kernels_launched"]


def test_operations_are_lazy_and_fused():
    x = xp.asarray(np.linspace(1, 2, 1000, dtype="float32")).evaluate()
    before = launched()
    r = xp.sqrt(xp.sin(x) * xp.cos(x) + xp.exp(-x * x) + xp.log(x + 1))
    assert r.is_pending and launched() == before
    xp.evaluate(r)
    assert not r.is_pending and launched() == before + 1
    xp.synchronize()


def test_synchronize_computes_every_array() -> None:
    with xp.using(xp.Context()) as context:
        x = xp.asarray([1.0, 2.0])
        y = x + 1
        z = y * 2  # is computed from y, which is pending too
        xp.synchronize()
        assert not y.is_pending and not z.is_pending and context.statistics()["pending"] == 0
        assert context.statistics()["kernels_launched"] == 1
        assert y.tolist() == [2, 3] and z.tolist() == [4, 6]


def test_plans_are_explained():
    x = xp.asarray(np.linspace(1, 2, 1000, dtype="float32")).named("x").evaluate()
    r = xp.sqrt(xp.sin(x) * 2 + 1).named("r")
    before = launched()
    assert "1 kernel" in r.explain() and "sqrt" in r.explain() and "x" in r.explain()
    counts = json.loads(xp.explain(r, r.sum(), what="counts"))
    assert counts["kernels"] >= 1 and counts["bytes_read"] >= 4000
    assert xp.explain(r, what="graph").startswith("digraph")
    assert "__global__" in xp.explain(r, what="source") and ".version" in xp.explain(r, what="ptx")
    assert launched() == before and r.is_pending
    with pytest.raises(ValueError, match="what is 'all'; expected one of plan, graph, source, ptx, counts"):
        r.explain("all")
    with pytest.raises(ValueError, match="at least one array"):
        xp.explain()


def test_settings_of_using():
    default = xp.current_context()
    with xp.using(policy="eager") as eager:
        assert xp.current_context() == eager != default
        assert not xp.sin(xp.ones(3)).is_pending
        with xp.using(math="fast") as inner:
            assert inner != eager
            assert not xp.sin(xp.ones(3)).is_pending  # policy stays
        assert xp.current_context() == eager
    assert xp.current_context() == default
    with xp.using(policy="eager") as again:
        assert again == eager
    with pytest.raises(ValueError, match="policy is 'soon'; expected one of lazy, eager"):
        with xp.using(policy="soon"):
            pass
    with xp.using(max_depth=32):  # the refused setting does not remain
        assert xp.ones(3).tolist() == [1, 1, 1]
    with pytest.raises(TypeError, match="not a dtype"):
        xp.Context(default_float="text")


def test_a_trim_gives_plans_and_memory_back():
    context = xp.Context()
    with xp.using(context=context):
        large = xp.zeros(1 << 20) + 1.0
        large.evaluate()
        counts = context.statistics()
        assert counts["plans_cached"] >= 1 and counts["reserved_bytes"] >= 8 << 20
        context.trim(1 << 40)
        assert context.statistics()["plans_cached"] == 0
        assert large[-1] == 1
        del large
        context.trim()
        assert context.statistics()["plans_cached"] == 0 and float(xp.sum(xp.ones(4))) == 4


def test_a_context_of_a_stream():
    device = cucore.Device()
    with cucore.Stream(device) as stream:
        context = xp.Context(stream=stream)
        with xp.using(context):
            x = xp.ones(4) + 1
        assert x.context == context and context.stream is stream and x.device == device
        assert x.tolist() == [2] * 4
        assert xp.statistics(context)["evaluations"] == 1
    assert xp.Context().stream.device == device


def test_a_captured_stream_computes_no_arrays():
    with cucore.Stream(cucore.Device()) as stream:
        context, other = xp.Context(stream=stream), xp.Context()
        with xp.using(context):
            x = xp.asarray([1.0, 2.0, 3.0])
            there = _array.to_context(x, other)
            with stream.capture() as graph:
                y = x + 1
                for refused in (y.evaluate, y.sum().item, lambda: xp.asarray([1.0]), lambda: _array.to_context(there, context),
                                lambda: _array.to_context(x * 2, other)):
                    with pytest.raises(cucore.InvalidStateError, match="the stream of the context is captured"):
                        refused()
            graph.executable().launch(stream)
            assert y.tolist() == [2, 3, 4] and x.sum().item() == 6


def test_a_stream_does_not_keep_its_context():
    context = xp.Context()
    stream, ended = context.stream, weakref.ref(context)
    del context
    gc.collect()
    assert ended() is None
    stream.synchronize()


def in_call(thread, name):
    """Waits until a thread is in a function of Python, which then calls native code."""
    while thread.ident is None or sys._current_frames()[thread.ident].f_code.co_name != name:
        time.sleep(0.01)
    time.sleep(0.2)


def test_a_scope_ends_while_a_thread_reads():
    gate, found = threading.Event(), []
    with cucore.Stream(cucore.Device()) as stream:
        context = xp.Context(stream=stream)
        with xp.using(context):
            with xp.scope():
                x = xp.asarray([1.0, 2.0, 3.0])
                context.synchronize()
                stream.launch_host(lambda: gate.wait(30))
                reader = threading.Thread(target=lambda: found.append(x.numpy().tolist()))
                reader.start()
                in_call(reader, "to_numpy")
            with pytest.raises(cucore.InvalidHandleError):
                x.shape
            assert context.statistics()["arrays"] == 1
            gate.set()
            reader.join()
            assert found == [[1, 2, 3]] and context.statistics()["arrays"] == 0


WAITS = """
import faulthandler, threading, time
faulthandler.dump_traceback_later(60, exit=True)
import cucore, cucore.array as xp
stream = cucore.Stream(cucore.Device())
context = xp.Context(stream=stream)
with xp.using(context):
    x, good = xp.arange(4.0), xp.asarray([1, 2, 3])
    y = xp.take(x, good + 0).evaluate()
    context.synchronize()
"""
PENDING = WAITS + """
    ran = []
    stream.launch_host(lambda: ran.append([time.sleep(0.01) for _ in range(30)]))
    done = False
    def poll():
        while not done:
            y.is_pending, y.is_view
    threading.Thread(target=poll, daemon=True).start()
    for _ in range(1100):  # waits for the reports of earlier ones
        xp.take(x, good + 0).evaluate()
done = True
print("done", len(ran))
"""
ENDING = WAITS + """
    imported = xp.from_dlpack(xp.asarray([1.0, 2.0]))
    last = (imported + 1).evaluate()
    ran = []
    stream.launch_host(lambda: ran.append(time.sleep(1)))
    del imported
    last = last + 1
del x, good, y, context
del last
print("done", len(ran))
"""


@pytest.mark.parametrize("program", [PENDING, ENDING], ids=["pending", "ending"])
def test_host_functions_run_while_arrays_wait(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "done 1\n"), done.stderr


def test_the_settings_belong_to_the_thread():
    found = []
    with xp.using(policy="eager") as eager:
        thread = threading.Thread(target=lambda: found.append(xp.current_context()))
        thread.start()
        thread.join()
        assert xp.current_context() == eager
    assert found == [xp.default_context()]


def test_a_scope_releases_what_was_made_inside():
    with xp.scope() as outer:
        with xp.scope() as scope:
            x = xp.ones(3)
            kept, escaped = scope.keep(x + 1), outer.keep(scope.keep(x + 2))
        with pytest.raises(cucore.InvalidHandleError, match="released at the end of its scope"):
            x.shape
        assert kept.tolist() == [2] * 3
    with pytest.raises(cucore.InvalidHandleError):
        kept + 1
    assert escaped.tolist() == [3] * 3


def test_max_bytes_limits_the_context():
    with xp.using(xp.Context(max_bytes=1 << 16)):
        with pytest.raises(MemoryError):
            xp.ones(1 << 16).evaluate()
        assert xp.ones(16).tolist() == [1] * 16


def test_evaluations_are_awaited():
    async def main():
        x, y = xp.ones(3) + 1, xp.ones(2)
        assert await xp.evaluate_async(x) is x
        first, second = await xp.evaluate_async(x, y)
        assert first is x and second is y
        return await (x * 2)
    assert asyncio.run(main()).tolist() == [4] * 3


def held_stream(device):
    """A stream, a function that holds its later work, and one that lets it go on."""
    until = cucore.Program('extern "C" __global__ void until(volatile int *flag) { while (!*flag) {} }').compile().kernel("until")
    stream, flag = cucore.Stream(device), cucore.Buffer.pinned(device, 4)
    memoryview(flag)[:] = bytes(4)

    def go_on():
        memoryview(flag)[:] = bytes([1, 0, 0, 0])
    return stream, lambda: until[1, 1, stream](flag), go_on


def test_awaited_arrays_wait_for_their_own_work():
    device = cucore.Device(0)
    stream, hold, go_on = held_stream(device)

    async def main(x, wrong, other):
        of_x, of_wrong, scalar = xp.evaluate_async(x), xp.evaluate_async(wrong), xp.evaluate_async(x.sum())
        hold()
        try:
            assert await asyncio.wait_for(of_x, 60) is x
            assert await asyncio.wait_for(of_x, 60) is x  # again
            with pytest.raises(IndexError, match="index 99 is out of range"):
                await asyncio.wait_for(of_wrong, 60)
            await asyncio.wait_for(scalar, 60)
            assert other.is_pending and not stream.query()
        finally:
            go_on()
        return (await scalar).item(), (await other).tolist()
    with xp.using(stream=stream):
        start = xp.arange(3.0)
        assert asyncio.run(main(start + 1, xp.take(start, xp.asarray([98]) + 1), start * 2)) == (6, [0, 2, 4])


def test_dropped_and_cancelled_evaluations():
    async def main():
        x = xp.ones(3) + 1
        evaluation = xp.evaluate_async(x)
        waiting = asyncio.ensure_future(asyncio.wait_for(evaluation, 60))
        await asyncio.sleep(0)
        waiting.cancel()
        assert await evaluation is x
        del evaluation
        with xp.scope():
            inside = xp.evaluate_async(x * 2)
        await inside  # its array is released
        return xp.evaluate_async(x)
    later = asyncio.run(main())

    async def other_loop():
        return await later
    assert asyncio.run(other_loop()).tolist() == [2] * 3


def test_late_errors_name_the_index():
    x = xp.arange(10)
    wrong = xp.take(x, xp.asarray([3]) + 9)
    with pytest.raises(IndexError, match="12") as raised:
        wrong.numpy()
    assert isinstance(raised.value, cucore.Error)
    assert x.sum().item() == 45


def test_memory_of_dropped_arrays_is_given_back():
    live = xp.statistics()["live_bytes"]
    x = xp.ones(1 << 16).evaluate()
    assert xp.statistics()["live_bytes"] >= live + (1 << 19)
    reference = weakref.ref(x)
    del x
    xp.ones(1).evaluate()
    assert reference() is None and xp.statistics()["live_bytes"] < live + (1 << 19)


def test_long_chains_end_without_recursion():
    with xp.using(max_pending=1 << 30, max_depth=1 << 30):
        x = xp.ones(4)
        for _ in range(300_000):
            x = x + 1
        assert xp.statistics()["pending"] >= 300_000
        del x
        assert xp.ones(1).tolist() == [1]
        assert xp.statistics()["pending"] == 0


def _everything(x):
    y = ((x + 1) * x.T - 2.5)[0, 1:]
    y += [1.0, 2.0]
    x[1:, ::2] = y[0]
    float(y.sum()), y.shape, y.dtype, y.strides, x[[0, 1]], xp.concat([y, y]), xp.asarray([[1, 2]]), divmod(x, 3)
    for wrong in (lambda: x + "text", lambda: x[9], lambda: x.sum(axis=7), lambda: xp.add(x)):
        try:
            wrong()
        except (TypeError, IndexError):
            continue
        raise AssertionError("no exception")


def _held():
    """The blocks of memory, and references to objects that the calls return."""
    gc.collect()
    sys._clear_type_cache()  # keeps the names of up to 4096 attributes, among them new strings of native code
    return [sys.getallocatedblocks(), *(sys.getrefcount(one) for one in (xp.Array, None, NotImplemented, xp.float64, xp.int64))]


def test_no_call_leaks():
    x = xp.asarray(np.ones((3, 3)))
    for _ in range(400):
        _everything(x)
    before = _held()
    for _ in range(300):
        _everything(x)
    grown = [new - old for new, old in zip(_held(), before)]
    assert all(abs(one) < 50 for one in grown), grown
    assert grown[1] == 0  # each array has a reference to its type


def test_threads_share_arrays():
    x, results = xp.arange(1000.0), []

    def work():
        for _ in range(50):
            results.append(((x * 2 + 1)[::10].sum()).item())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [float((np.arange(1000) * 2 + 1)[::10].sum())] * 400


def test_arrays_end_with_the_process():
    program = "import cucore.array as xp; x = xp.ones(5) + 1; y = x * 2; xp.evaluate(y); z = y + x; print(z.sum().item())"
    done = subprocess.run([sys.executable, "-X", "dev", "-W", "error::ResourceWarning", "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "30.0\n"), done.stderr


class Taken:
    """A producer for np.from_dlpack(), of a capsule of the host."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


def test_the_host_gets_a_copy_by_dlpack(monkeypatch):
    x = xp.arange(6.0)
    monkeypatch.setattr("cucore.array._interop.dlpack_device", lambda x: (2, 0))  # as on a GPU
    theirs = np.from_dlpack(Taken(x.__dlpack__(dl_device=(1, 0), max_version=(1, 0))))
    x += 1
    np.testing.assert_array_equal(theirs, np.arange(6.0))
    with pytest.raises(BufferError, match=r"is on the device \(2, 0\) of DLPack, not on \(1, 0\)"):
        x.__dlpack__(dl_device=(1, 0), copy=False)


def test_memory_is_shared_by_dlpack():
    x = xp.arange(6).reshape(2, 3)
    if x.device.is_emulated:
        theirs = np.from_dlpack(x)
        x[0, 0] = 9
        xp.synchronize()
        assert theirs[0, 0] == 9 and theirs.shape == (2, 3)
    ours = xp.from_dlpack(x)
    ours += 1
    assert x.tolist()[1] == [4, 5, 6] and xp.shares_memory(ours, ours[0])
    equal(xp.from_dlpack(np.arange(4.0)), np.arange(4.0))
    assert "dltensor_versioned" in repr(x.__dlpack__(max_version=(1, 0))) and '"dltensor"' in repr(x.__dlpack__())
    with pytest.raises(BufferError, match=r"not on \(4, 0\)"):
        x.__dlpack__(dl_device=(4, 0))
    with pytest.raises(BufferError):
        xp.broadcast_to(x, (2, 2, 3)).__dlpack__(copy=False)
    with pytest.raises(TypeError, match=r"int has no __dlpack__\(\)"):
        xp.from_dlpack(3)


class Producer:
    """Shows the memory of an array to other libraries."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(max_version=(1, 0))

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_copies_do_not_show_later_changes() -> None:
    x = xp.arange(4.0)
    for made in (xp.from_dlpack(Producer(x), copy=True), xp.asarray(Producer(x))):
        assert not made.is_pending
        x[...] = 9.0
        xp.synchronize()
        assert made.tolist() == [0, 1, 2, 3]
        x[...] = xp.arange(4.0)
        xp.synchronize()


def test_kernels_take_arrays():
    source = 'extern "C" __global__ void twice(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }'
    twice = cucore.Program(source).compile().kernel("twice")
    x = xp.arange(8, dtype=xp.float32) + 1
    interface = x.__cuda_array_interface__
    assert (interface["shape"], interface["typestr"], interface["strides"]) == ((8,), "<f4", None)
    twice[1, 32, x.context.stream](x, 8)
    assert x.tolist() == [2.0 * value for value in range(1, 9)]


SLOW = """extern "C" __global__ void slow(float *p, int n, int rounds) {
  float sum = 0;
  for (int round = 0; round < rounds; ++round) sum = sum * 0.5f + p[(threadIdx.x + round) % n];
  p[threadIdx.x] = sum > 1e30f ? 0 : 7;
}"""


def test_launches_order_the_streams_of_arrays():
    """A launch in another stream waits for the array, and later operations wait for the kernel."""
    slow, stream = cucore.Program(SLOW).compile().kernel("slow"), cucore.Stream(xp.current_context().device)
    for _ in range(3):
        x = xp.full(256, 1, dtype=xp.float32) + 0
        before = x * 2  # is computed from the elements before the kernel
        slow[1, 256, stream](x, 256, 20000)
        assert (x + 1).tolist() == [8.0] * 256 and before.tolist() == [2.0] * 256
    with pytest.raises(BufferError, match=r"slow argument 1 of 3: the array is not contiguous; pass a copy, as by \.copy\(\)"):
        slow[1, 1, stream](x.reshape(16, 16).T, 256, 1)
    slow[1, 4, stream](xp.zeros(8, dtype=xp.bfloat16), 4, 0)  # a type without __cuda_array_interface__


def test_launches_refuse_arrays_of_another_device():
    done = subprocess.run([sys.executable, "-c", f"""
import cucore, cucore.array as xp
slow, stream = cucore.Program({SLOW!r}).compile().kernel("slow"), cucore.Stream(cucore.Device(1))
try:
    slow[1, 1, stream](xp.zeros(4, dtype="float32"), 4, 1)
except cucore.InvalidArgumentError as error:
    print(error)
"""], env={**os.environ, "CUCORE_DRIVER": "cpu", "CUCORE_CPU_DEVICES": "2"}, capture_output=True, text=True, timeout=60)
    assert "an Array of the launch is on device 0; expected one on device 1, the device of the stream; copy it with .to_device(1)" in done.stdout, done


def test_arrays_are_printed_as_in_numpy():
    x = np.arange(12.0).reshape(3, 4) / 7
    assert str(xp.asarray(x)) == str(x)
    assert repr(xp.asarray([[1, 2], [3, 4]])) == "Array([[1 2]\n       [3 4]], dtype=int64)"
    assert repr(xp.asarray(1.5)) == "Array(1.5, dtype=float64)"
    assert str(xp.ones(2, dtype=xp.bfloat16)) == "[1. 1.]"
    with xp.printoptions(precision=2, threshold=5):
        assert str(xp.asarray(x)) == np.array2string(x, precision=2, threshold=5)
        assert xp.get_printoptions()["precision"] == 2
    assert xp.array2string(xp.arange(3) / 3, precision=0) == np.array2string(np.arange(3) / 3, precision=0)
    with pytest.raises(TypeError, match="'digits' is not a print option; expected one of threshold"):
        xp.set_printoptions(digits=3)


def test_interoperation_with_numpy():
    x = xp.arange(3)
    assert x.__array_namespace__() is xp and x.__array_namespace__(api_version="2024.12") is xp
    with pytest.raises(ValueError, match="2099.12"):
        x.__array_namespace__(api_version="2099.12")
    with pytest.raises(TypeError, match=r"use \.numpy\(\)"):
        np.asarray(x)
    equal(np.concatenate([x, x]), np.array([0, 1, 2, 0, 1, 2]))
    with pytest.raises(TypeError):
        np.add.reduce(x)
    assert x.__dlpack_device__() in ((1, 0), (2, 0))
    assert x.to_device(x.device) is x
