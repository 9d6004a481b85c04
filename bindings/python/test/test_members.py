# SPDX-License-Identifier: Apache-2.0
"""Members that Python adds to the C functions: whole buffers, optional streams, names, weak references, texts."""
import gc
import pickle
import weakref

import numpy as np
import pytest

import cucore
from conftest import SOURCE


def test_attributes_are_found_by_name(device):
    assert device.attribute("WARP_SIZE") == device.attribute("warp_size") == device.attribute(10) == 32
    assert device.attribute("CU_DEVICE_ATTRIBUTE_WARP_SIZE") == device.attribute(cucore.DeviceAttribute.WARP_SIZE)
    for each in cucore.DeviceAttribute:
        assert device.attribute(each.name) == device.attribute(each)
    assert device.attribute("HOST_ALLOC_DMA_BUF_SUPPORTED") == device.attribute(146)  # not in the enumeration
    with pytest.raises(ValueError, match="'WARP_SIZ'; .*; did you mean 'WARP_SIZE'?"):
        device.attribute("WARP_SIZ")


def test_whole_buffers_need_no_length_and_no_stream(device, stream):
    first, second = cucore.Buffer.from_host(np.arange(16, dtype=np.uint8)), cucore.Buffer(device, 16, stream)
    stream.synchronize()
    second.fill(b"\7")
    assert list(second.to_numpy()) == [7] * 16
    second.copy_from(first)
    assert list(second.to_numpy()) == list(range(16))
    second.fill(b"\0", offset=12)
    second.copy_to(first)
    assert list(first.to_numpy()) == [*range(12), 0, 0, 0, 0]
    first.copy_from(second, 4, stream, 8, 2)  # the order of the C function
    stream.synchronize()
    assert list(first.to_numpy())[8:12] == [2, 3, 4, 5]
    second.write(b"abcd")
    out = bytearray(4)
    second.read(out)
    assert out == b"abcd"
    small = cucore.Buffer(device, 3, stream)
    stream.synchronize()
    small.copy_from(second)  # as much as both have
    assert small.to_numpy().tobytes() == b"abc"


@pytest.mark.parametrize("call", [
    lambda buffer: buffer.write("text"), lambda buffer: buffer.fill("x"), lambda buffer: buffer.copy_from(b"x"),
    lambda buffer: buffer.copy_to(bytearray(4)), lambda buffer: buffer.read("x"), lambda buffer: buffer.write(b"x", 5),
    lambda buffer: cucore.ObjectCode.deserialize("x"), lambda buffer: cucore.ObjectCode.from_bytes(cucore.CodeType.CUBIN, "x"),
    lambda buffer: buffer.copy_from(buffer, "all"), lambda buffer: cucore.Buffer.from_host("text"),
    lambda buffer: cucore.Program("x").compile(7)])
def test_texts_and_other_types_are_refused(call, device, stream):
    with pytest.raises(TypeError):
        call(cucore.Buffer(device, 16, stream))


def test_ranges_outside_are_refused(device, stream):
    buffer, other = cucore.Buffer(device, 16, stream), cucore.Buffer(device, 16, stream)
    for call in (lambda: buffer.fill(b"x", offset=17), lambda: buffer.copy_from(other, offset=17), lambda: buffer.fill(b"x", 17),
                 lambda: buffer.copy_to(other, destination_offset=17)):
        with pytest.raises((ValueError, OverflowError)):
            call()


def test_text_of_ptx_and_sources_may_be_str(code):
    ptx = code.data.decode()
    assert cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, ptx).kernel("scale").name == "scale"
    assert cucore.Program(SOURCE.encode()).compile().kernel("scale").name == "scale"


def test_streams_are_equal_if_they_are_one_native_stream(device, stream):
    assert cucore.Stream.from_native(stream.native) == stream and hash(cucore.Stream.from_native(stream.native)) == hash(stream)
    assert {stream: 1}[cucore.Stream.from_native(stream)] == 1
    assert cucore.Stream(device) != stream and stream != 5 and stream != device
    assert device.default_stream() == device.default_stream() != device.default_stream(cucore.DefaultStream.PER_THREAD)
    closed = cucore.Stream(device)
    before = hash(closed)
    closed.close()
    assert hash(closed) == before and closed != stream and closed == closed


def test_streams_and_events_report_their_options(device):
    with cucore.Stream(device, nonblocking=False, priority=-1) as stream:
        for each in (stream, cucore.Stream.from_native(stream.native)):
            assert (each.priority, each.is_nonblocking) == (-1, False)
    assert (cucore.Stream(device).priority, cucore.Stream(device).is_nonblocking) == (0, True)
    assert not cucore.Stream(device).is_capturing
    assert cucore.Event(device, blocking_sync=True).is_blocking_sync and not cucore.Event(device).is_blocking_sync


def test_time_between_events_is_their_difference(device, stream):
    start = stream.record()
    end = stream.record()
    end.synchronize()
    assert end - start == start.elapsed(end) >= 0 and isinstance(end - start, float)
    given = cucore.Event(device)
    assert stream.record(given) is given and not stream.record(timing=False).has_timing
    for wrong in (lambda: end - 1, lambda: 1 - end, lambda: end - stream, lambda: stream.record(5)):
        with pytest.raises((TypeError, AttributeError)):
            wrong()
    with pytest.raises(cucore.InvalidStateError):
        end - given  # without timing
    closed = stream.record()
    closed.close()
    with pytest.raises(cucore.InvalidHandleError):
        end - closed


def test_kernels_of_others_are_launched(device, stream, code):
    native = code.kernel("scale").native
    kernel = cucore.Kernel.from_native(native)
    assert kernel.name == "scale" and kernel.native == native and kernel.parameter_count == 3
    data = cucore.Buffer.from_host(np.ones(4, np.float32))
    kernel[1, 4](np.float32(3), data, np.int32(4))
    assert list(data.to_numpy(np.float32)) == [3] * 4
    with pytest.raises(cucore.InvalidArgumentError):
        cucore.Kernel.from_native(0)
    with pytest.raises(TypeError):
        cucore.Kernel.from_native("kernel")


def test_memory_of_others_is_exported_as_what_it_is(device, stream):
    cases = [(cucore.Buffer(device, 64, stream), cucore.MemoryKind.DEVICE, 2),
             (cucore.Buffer.pinned(device, 64), cucore.MemoryKind.PINNED, 3),
             (cucore.Buffer.managed(device, 64), cucore.MemoryKind.MANAGED, 13)]
    for owner, kind, number in cases:
        borrowed = cucore.Buffer.from_native(device, owner.address, 64, owner)
        for each in (owner, borrowed):
            assert each.memory_kind is kind and each.__dlpack_device__() == (number, 0)


def test_files_need_no_type(code, tmp_path):
    ptx, container, text = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    ptx.write_bytes(code.data)
    container.write_bytes(code.serialize())
    text.write_text("Dear reader")
    for path in (ptx, str(ptx), container):
        assert cucore.ObjectCode.from_file(path).kernel("scale").name == "scale"
    assert cucore.ObjectCode.from_file("ptx", ptx).type is cucore.CodeType.PTX
    assert cucore.ObjectCode.from_file(cucore.CodeType.PTX, ptx).name == "a"
    with pytest.raises(cucore.InvalidCodeError, match="type"):
        cucore.ObjectCode.from_file(text)
    with pytest.raises(FileNotFoundError):
        cucore.ObjectCode.from_file(tmp_path / "none")


def test_one_result_is_removed(code, tmp_path):
    cache, key = cucore.Cache(tmp_path), bytes(range(32))
    cache.put(key, code)
    assert cache.get(key) is not None
    assert cache.remove(key) is True and cache.remove(key) is False and cache.get(key) is None
    cache.put(key, code)
    assert [cache.remove(entry.key) for entry in cache.entries()] == [True]
    for wrong in ("x" * 32, None, 5):
        with pytest.raises(TypeError):
            cache.remove(wrong)
    with pytest.raises(ValueError):
        cache.remove(b"short")
    with pytest.raises(cucore.NotPermittedError):
        cucore.Cache(tmp_path, read_only=True).remove(key)


def test_texts_of_objects_have_content(device, stream, code, tmp_path):
    buffer = cucore.Buffer.pinned(device, 48)
    assert "48 bytes of pinned memory" in repr(buffer) and f"0x{buffer.address:x}" in repr(buffer)
    assert "device 0" in repr(stream) and "priority 0" in repr(stream) and "default" in repr(device.default_stream())
    assert "with timing" in repr(cucore.Event(device, timing=True)) and "without timing" in repr(cucore.Event(device))
    assert repr(cucore.Program("x", name="scale.cu")) == "<cucore.Program 'scale.cu'>"
    assert "extern" in repr(cucore.Program('extern "C" void f();'))
    assert " of 1 byte of device memory" in repr(cucore.Buffer(device, 1))
    assert repr(cucore.Key(cucore.KeyAlgorithm.HMAC_SHA256, b"k")).endswith(", 1 byte)")
    cache = cucore.Cache(tmp_path)
    cache.put(bytes(32), code)
    entry, = cache.verify()
    assert repr(entry._replace(size=1)).endswith(", 1 byte>")
    assert entry.key.hex()[:16] in repr(entry) and f", {entry.size} bytes>" in repr(entry) and "PTX" in repr(entry)
    assert "kernels.cu" in repr(cucore.BatchResult(code, None))
    failed, = cucore.compile_batch([cucore.Program("no CUDA")])
    assert "CompilationError" in repr(failed)
    assert str(cucore.CodeType.CUBIN) == f"{cucore.CodeType.CUBIN}" == "CUBIN" and cucore.CodeType.CUBIN == 2
    assert pickle.loads(pickle.dumps(cucore.CodeType.CUBIN)) is cucore.CodeType.CUBIN


def every_object(device, code):
    stream, queue = cucore.Stream(device), cucore.Queue()
    kernel = code.kernel("scale")
    return [cucore.Device(), stream, cucore.Event(device), cucore.Event(device, timing=True), cucore.Buffer(device, 8, stream),
            cucore.Program("x"), cucore.Linker(), cucore.ObjectCode.deserialize(code.serialize()), kernel,
            cucore.Cache(""), queue, cucore.Future.from_stream(stream, queue, 1), device.default_stream(), stream.device,
            cucore.LaunchConfig(1, 1), kernel[1, 1], stream.record()]


def test_every_object_may_be_referenced_weakly(device, code):
    objects = every_object(device, code)
    ended = []
    references = [weakref.ref(each, lambda _: ended.append(1)) for each in objects]
    assert all(reference() is each for reference, each in zip(references, objects))
    del objects
    gc.collect()
    assert [reference() for reference in references] == [None] * len(references) and len(ended) == len(references)


def test_weak_dictionaries_lose_objects_that_end(device, code):
    names = weakref.WeakKeyDictionary()
    buffers = [cucore.Buffer(device, 8, device.default_stream()) for _ in range(100)]
    for index, buffer in enumerate(buffers):
        names[buffer] = index
    assert len(names) == 100 and names[buffers[7]] == 7
    del buffers[50:], buffer
    assert len(names) == 50
    closed = weakref.ref(buffers[0])
    buffers[0].close()
    assert closed() is buffers[0]  # the Python object lives on


def test_weak_references_of_subclasses_under_collections(device):
    class Mine(cucore.Stream):
        pass

    gc.set_threshold(1)
    try:
        for _ in range(200):
            made = Mine(device)
            made.itself = weakref.proxy(made)
            reference = weakref.ref(made)
            event = weakref.ref(cucore.Event(device))
            assert event() is None and reference() is made
            del made
            gc.collect(0)
            assert reference() is None
    finally:
        gc.set_threshold(700)
