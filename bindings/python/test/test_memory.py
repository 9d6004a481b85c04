# SPDX-License-Identifier: Apache-2.0
"""Scenarios about memory, streams and events. See tests/bindings/scenarios.md."""
import os
import resource
import time

import numpy as np
import pytest

import cucore


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer keeps freed memory")
def test_memory_is_flat(device, stream, code):
    stored = code.serialize()
    kernel = code.kernel("scale")
    data = cucore.Buffer(device, 4, stream)

    def make(count):
        for i in range(count):
            cucore.Event(device)
            cucore.Buffer(device, 64, stream)
            kernel[1, 1, stream]
            device.default_stream()
            stream.device
            code.kernel("scale")
            data.__cuda_array_interface__ if i % 100 == 0 else data.size
            if i % 50 == 0:
                cucore.Stream(device)
                cucore.ObjectCode.deserialize(stored)
                memoryview(code)
                data.__dlpack__()
                with pytest.raises(cucore.NotFoundError):
                    code.kernel("none")
                with pytest.raises(TypeError):
                    kernel[1, 1, stream](1)
        stream.synchronize()

    make(10_000)
    before = resident()
    make(90_000)
    assert resident() - before < 10 << 20


class Dlpack:
    """Memory that another library exports only through DLPack."""

    def __init__(self, buffer):
        self.__dlpack__, self.__dlpack_device__ = buffer.__dlpack__, buffer.__dlpack_device__


def test_bytes_without_copies(device, stream, code):
    view = memoryview(code)
    assert view.readonly and bytes(view) == code.data
    other = cucore.ObjectCode.deserialize(code.serialize())
    kept = memoryview(other)
    other.close()
    assert bytes(kept) == code.data
    for make in (cucore.Buffer.pinned, cucore.Buffer.managed):
        with make(device, 16) as memory:
            seen = np.frombuffer(memory, np.float32)
            seen[:] = [1, 2, 3, 4]
            code.kernel("scale")[1, 4, stream](10.0, memory, 4)
            stream.synchronize()
            assert seen.tolist() == [10, 20, 30, 40]
        assert seen.tolist() == [10, 20, 30, 40] and memory.closed  # the view keeps the memory
    with pytest.raises(BufferError):
        memoryview(cucore.Buffer(device, 4, stream))
    assert cucore.Buffer(device, 16, stream).__dlpack_device__() == (2, 0)
    for make, kind in ((cucore.Buffer.pinned, 3), (cucore.Buffer.managed, 13)):
        data = make(device, 16)
        data.write(np.arange(4, dtype=np.float32), stream)
        assert data.__dlpack_device__() == (kind, 0)
        array = np.from_dlpack(data)  # waits for the stream
        data.close()
        assert array.view(np.float32).tolist() == [0, 1, 2, 3]
    managed = cucore.Buffer.managed(device, 8)
    assert cucore.Buffer.from_array(Dlpack(managed)).address == managed.address
    with pytest.raises(BufferError):
        managed.__dlpack__(copy=True)
    interface = managed.__cuda_array_interface__
    assert interface["data"] == (managed.address, False) and interface["shape"] == (8,) and interface["version"] == 3
    again = cucore.Buffer.from_array(managed)
    assert (again.address, again.size) == (managed.address, 8)
    managed.close()  # the exporter is kept, its memory was released by the user
    with pytest.raises(BufferError):
        cucore.Buffer.from_array(np.zeros(4))
    with pytest.raises(TypeError):
        cucore.Buffer.from_array(object())


def test_numpy_arrays_of_buffers(device, stream):
    data = cucore.Buffer(device, 16, stream)
    for call in (np.asarray, np.array, lambda b: np.asarray(b, dtype=np.float32), lambda b: np.add(b, 1), lambda b: np.asarray([b]),
                 lambda b: b.__array__()):
        with pytest.raises(TypeError, match=r"Buffer\.read"):
            call(data)
    for make in (cucore.Buffer.pinned, cucore.Buffer.managed):
        memory = make(device, 4)
        memory.write(b"\1\2\3\4", stream)
        stream.synchronize()
        for array in (np.asarray(memory), memory.__array__(), memory.__array__(copy=False)):
            assert array.dtype == np.uint8 and array.tolist() == [1, 2, 3, 4]
            array[0] = 9
            assert memoryview(memory)[0] == 9
            array[0] = 1
        copied = memory.__array__(copy=True)
        copied[0] = 7
        assert memoryview(memory)[0] == 1
        assert np.asarray(memory, dtype=np.int32).tolist() == memory.__array__(np.int32).tolist() == [1, 2, 3, 4]
        with pytest.raises(ValueError):
            memory.__array__(np.int32, copy=False)
    assert np.asarray(cucore.Buffer(device, 0, stream)).shape == (0,)
    data.close()
    with pytest.raises(cucore.InvalidHandleError):
        np.asarray(data)


def test_buffer_ranges(device, stream):
    data = cucore.Buffer(device, 16, stream)
    data.fill(b"\x11", 16, stream)
    data.write(b"abcd", stream, offset=4)
    data.write(memoryview(b"__XY__")[2:4], stream, 14)
    data.write(b"", stream)
    data.write(b"", stream, offset=16)
    out = bytearray(16)
    data.read(out, stream)
    assert out == b"\x11" * 4 + b"abcd" + b"\x11" * 6 + b"XY"
    part = bytearray(8)
    data.read(memoryview(part)[2:6], stream, offset=4)
    assert part == b"\0\0abcd\0\0"
    other = cucore.Buffer(device, 8, stream)
    other.copy_from(data, 4, stream, offset=2, source_offset=4)
    other.fill(b"\1\2", 2, stream)
    other.fill(np.uint16(0xFFFF), 2, stream, offset=6)
    data.read(part, stream)
    other.read(part, stream)
    assert part == b"\1\2abcd\xff\xff"
    data.fill(np.float64(0.1), 16, stream)
    data.fill(b"\5" * 8, 8, stream, offset=8)
    data.read(out, stream)
    assert out == np.float64(0.1).tobytes() + b"\5" * 8
    with pytest.raises(cucore.InvalidArgumentError, match="the pattern is 3 bytes; expected 1, 2, 4 or 8 bytes"):
        data.fill(b"abc", 3, stream)
    for call in (lambda: data.write(bytes(17), stream), lambda: data.write(b"ab", stream, offset=15),
                 lambda: data.read(bytearray(17), stream), lambda: data.read(bytearray(1), stream, offset=16),
                 lambda: other.copy_from(data, 9, stream), lambda: data.copy_from(other, 4, stream, source_offset=6),
                 lambda: data.fill(b"abc", 3, stream), lambda: data.fill(b"ab", 3, stream),
                 lambda: data.fill(b"a", 17, stream), lambda: data.write(b"a", stream, offset=(1 << 64) - 1)):
        with pytest.raises(cucore.InvalidArgumentError):
            call()
    for call in (lambda: data.read(bytes(4), stream), lambda: data.write(np.zeros((4, 4))[:, 1], stream),
                 lambda: data.write(7, stream)):
        with pytest.raises((BufferError, TypeError, ValueError)):
            call()
    with cucore.Buffer(device, 0, stream) as empty:
        assert empty.size == empty.address == 0
        empty.read(bytearray(), stream)
    data.set_stream(device.default_stream())
    with pytest.raises(cucore.InvalidStateError):
        cucore.Buffer.pinned(device, 4).set_stream(stream)


@pytest.mark.parametrize("given", [(), (None,)])
def test_without_a_stream_the_default_stream_orders_the_calls(device, code, gate, given):
    data, done = cucore.Buffer(device, 4, *given), cucore.Event(device)
    data.fill(bytes(4))
    gate.hold()
    code.kernel("spin")[1, 1](data, 300_000)
    done.record(*given)
    assert not done.query()
    gate.open()
    out = np.zeros(1, np.int32)
    data.read(out, *given)  # behind the kernel
    assert out[0] == 300_000 and done.query()
    data.write(np.array([5], np.int32), *given)
    copy = cucore.Buffer(device=device, length=4, stream=given[0] if given else None)
    copy.copy_from(data)
    copy.read(out)
    assert out[0] == 5


def test_a_stream_that_has_no_default_is_required(device):
    data = cucore.Buffer(device, 4)
    for call in (data.record_use, data.set_stream):
        with pytest.raises(TypeError, match="a cucore.Stream is needed, not NoneType"):
            call(None)
    with pytest.raises(TypeError, match="a cucore.Device is needed, not NoneType"):
        cucore.Buffer(None, 4)


def test_streams_and_events(device, stream, code, gate):
    data = cucore.Buffer(device, 4, stream)
    data.fill(bytes(4), 4, stream)
    start, end = cucore.Event(device, timing=True), cucore.Event(device, timing=True)
    start.record(stream)
    gate.hold(stream)
    code.kernel("spin")[1, 1, stream](data, 300_000)
    end.record(stream)
    assert not stream.query() and not end.query()
    with pytest.raises(cucore.NotReadyError):
        start.elapsed(end)
    gate.open()
    with cucore.Stream(device) as second:
        second.wait_event(end)
        code.kernel("spin")[1, 1, second](data, 1)
        out = np.zeros(1, np.int32)
        data.read(out, second)
        assert out[0] == 300_001 and end.query() and stream.query()
        assert 0 < start.elapsed(end) < 60_000 and end.elapsed(start) < 0
        code.kernel("spin")[1, 1, second](data, 1000)
        stream.wait_stream(second)
        data.read(out, stream)
        assert out[0] == 301_001
        borrowed = cucore.Stream.from_native(second.native, device)
        code.kernel("spin")[1, 1, borrowed](data, 1)
        borrowed.synchronize()
        assert borrowed.native == second.native and second.__cuda_stream__() == (0, second.native)
        assert cucore.Stream.from_native(second).native == second.native
    end.synchronize()
    for kind in cucore.DefaultStream:
        legacy = device.default_stream(kind)
        legacy.synchronize()
        assert legacy.query() and legacy.device == device
    assert cucore.Stream.from_native(0).query() and cucore.Stream.from_native(1).query()
    low, high = device.stream_priorities
    assert cucore.Stream(device, priority=high).query()
    with pytest.raises(cucore.InvalidArgumentError):
        cucore.Stream(device, priority=high - 1)
    blocking = cucore.Event(device, blocking_sync=True)
    blocking.record(stream)
    began = time.monotonic()
    blocking.synchronize()
    assert time.monotonic() - began < 60
    with pytest.raises(cucore.InvalidArgumentError):
        cucore.Event(device, timing=True, interprocess=True)
    with pytest.raises(cucore.InvalidStateError):
        blocking.elapsed(blocking)


def test_copies_of_host_memory(device, stream, code):
    data = np.arange(12, dtype=np.float32).reshape(3, 4)
    for order in (stream, None):
        with cucore.Buffer.from_host(data, order) as buffer:
            assert buffer.size == data.nbytes
            code.kernel("scale")[1, 32, stream](2.0, buffer, 12)
            read = buffer.to_numpy(np.float32, (3, -1), order)
            assert read.dtype == np.float32 and (read == data * 2).all() and read.shape == (3, 4)
    with cucore.Buffer.from_host(b"\x01\x02\x03", device=device) as buffer:
        assert buffer.to_numpy().tolist() == [1, 2, 3] and buffer.device == device
        with pytest.raises(ValueError, match="3 bytes; expected a multiple of the 4 bytes of float32"):
            buffer.to_numpy("f4")
    with pytest.raises(TypeError):
        cucore.Buffer.from_host(5)
    with pytest.raises(ValueError):
        cucore.Buffer.from_host(data[:, ::2])
