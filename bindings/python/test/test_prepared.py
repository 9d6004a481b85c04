# SPDX-License-Identifier: Apache-2.0
"""Prepared launches: arguments are converted once, updated by index, and kept."""
import contextlib
import gc
import threading
import weakref

import numpy as np
import pytest

import cucore

PTX = """.version 7.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 to, .param .f32 value, .param .u32 n) {
  .reg .u64 %p; .reg .f32 %v, %x;
  ld.param.u64 %p, [to]; ld.param.f32 %v, [value];
  atom.global.add.f32 %x, [%p], %v;
  ret;
}
"""


@pytest.fixture
def add():
    return cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, PTX).kernel("add")


def filled(device):
    memory = cucore.Buffer.managed(device, 4)
    view = np.frombuffer(memory, np.float32)
    view[0] = 0
    return memory, view


def test_runs_again_and_again_with_new_arguments(device, stream, add):
    memory, view = filled(device)
    other, other_view = filled(device)
    prepared = add.prepare(stream, cucore.LaunchConfig(1, 1), memory, 2.0, 0)
    assert view[0] == 0
    for _ in range(3):
        assert prepared.run() is None
    prepared.update(1, np.float64(10))
    prepared.run()
    prepared.update(0, other)
    prepared.run()
    stream.synchronize()
    assert (view[0], other_view[0]) == (16, 10)


def test_arguments_are_converted_and_refused_as_by_a_launch(device, stream, add):
    memory, view = filled(device)
    config = cucore.LaunchConfig(1, 1)
    with pytest.raises(TypeError, match="argument 2 of 3: the argument is 'x' .* expected a floating-point number"):
        add.prepare(stream, config, memory, "x", 0)
    with pytest.raises(TypeError, match="add takes 3 arguments, 1 was given"):
        add.prepare(stream, config, memory)
    with pytest.raises(TypeError, match="a LaunchConfig is needed, not tuple"):
        add.prepare(stream, (1, 1), memory, 1.0, 0)
    with pytest.raises(cucore.InvalidArgumentError, match=r"grid\[0\] is 0"):
        add.prepare(stream, cucore.LaunchConfig(0, 1), memory, 1.0, 0)
    prepared = add.prepare(stream, config, memory, 2, 0)
    with pytest.raises(OverflowError, match="argument 3 of 3"):
        prepared.update(2, 1 << 40)
    with pytest.raises(TypeError, match="argument 1 of 3: the argument is 1.5"):
        prepared.update(0, 1.5)
    with pytest.raises(cucore.InvalidArgumentError, match="index is 3; kernel add takes 3 arguments"):
        prepared.update(3, 1)
    with pytest.raises((TypeError, ValueError, OverflowError), match="index"):
        prepared.update(-1, 1)
    with pytest.raises(TypeError):
        prepared.run(1)
    prepared.run()
    stream.synchronize()
    assert view[0] == 2, "a refused update changed an argument"


def test_keeps_what_it_uses(device, add):
    stream, event = cucore.Stream(device), cucore.Event(device)
    memory, view = filled(device)
    prepared = add.prepare(stream, cucore.LaunchConfig(1, 1), memory, 1.0, 0)
    again = cucore.Stream.from_native(stream.native, device)
    for each in (add, stream):
        each.close()
    prepared.run()
    prepared.update(1, 4.0)
    prepared.run()
    event.record(again)
    event.synchronize()
    assert view[0] == 5


def test_keeps_arrays_of_other_libraries_until_they_are_replaced(device, stream, add):
    memory, view = filled(device)

    class Array:
        __cuda_array_interface__ = {"shape": (1,), "typestr": "<f4", "data": (memory.address, False), "version": 3}

    array = Array()
    gone = weakref.ref(array)
    prepared = add.prepare(stream, cucore.LaunchConfig(1, 1), array, 1.0, 0)
    del array
    gc.collect()
    assert gone() is not None
    prepared.run()
    prepared.update(0, memory)
    gc.collect()
    assert gone() is None
    stream.synchronize()
    assert view[0] == 1


def test_keeps_memory_that_an_array_exports_but_does_not_keep(device, stream, add):
    pool = cucore.MemoryPool(device)

    class Exporter:
        def __dlpack_device__(self):
            return cucore.Buffer(device, 4, stream).__dlpack_device__()

        def __dlpack__(self, **options):
            return cucore.Buffer.from_pool(pool, 4, stream).__dlpack__(**options)

    def live():
        gc.collect()
        return pool.statistics().live
    prepared = add.prepare(stream, cucore.LaunchConfig(1, 1), Exporter(), 1.0, 0)
    assert live() == 1
    prepared.update(0, Exporter())
    assert live() == 1
    prepared.run()
    stream.synchronize()
    prepared.close()
    assert live() == 0


def test_keeps_the_owner_of_a_borrowed_stream(device, stream, add):
    memory, view = filled(device)

    class Foreign:
        def __cuda_stream__(self):
            return 0, stream.native

    foreign = Foreign()
    gone = weakref.ref(foreign)
    prepared = add.prepare(foreign, cucore.LaunchConfig(1, 1), memory, 1.0, 0)
    del foreign
    gc.collect()
    assert gone() is not None
    prepared.run()
    prepared.close()
    gc.collect()
    assert gone() is None
    stream.synchronize()
    assert view[0] == 1


def test_an_update_outlives_a_close(device, stream, add):
    memory, view = filled(device)
    launches = [add.prepare(stream, cucore.LaunchConfig(1, 1), memory, 1.0, 0)]

    class Closing:
        @property
        def __cuda_array_interface__(self):
            launches[0].close()
            return {"shape": (1,), "typestr": "<f4", "data": (memory.address, False), "version": 3}
    launches[0].update(0, Closing())
    with pytest.raises(cucore.InvalidHandleError):
        launches[0].run()

    def update(prepared, ended):
        with contextlib.suppress(cucore.InvalidHandleError):
            for _ in range(50):
                prepared.update(1, 2.0)
            ended.append("not closed")
            return
        ended.append("closed")
    for _ in range(100):
        prepared, ended = add.prepare(stream, cucore.LaunchConfig(1, 1), memory, 1.0, 0), []
        threads = [threading.Thread(target=update, args=(prepared, ended)) for _ in range(2)]
        for thread in threads:
            thread.start()
        prepared.close()
        for thread in threads:
            thread.join()
        assert len(ended) == 2


def test_closed_objects_are_refused(device, stream, add):
    memory, _ = filled(device)
    prepared = add.prepare(stream, cucore.LaunchConfig(1, 1), memory, 1.0, 0)
    closed = cucore.Buffer(device, 4, stream)
    closed.close()
    with pytest.raises(cucore.InvalidHandleError, match="argument 1 of 3: the Buffer is closed"):
        prepared.update(0, closed)
    prepared.close()
    for call in (prepared.run, lambda: prepared.update(1, 1.0)):
        with pytest.raises(cucore.InvalidHandleError, match="PreparedLaunch"):
            call()


def test_several_threads_run_and_update_one(device, stream, add):
    memory, view = filled(device)
    prepared = add.prepare(stream, cucore.LaunchConfig(1, 1), memory, 1.0, 0)

    def work():
        for _ in range(100):
            prepared.run()
            prepared.update(1, 1.0)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stream.synchronize()
    assert view[0] == 400
