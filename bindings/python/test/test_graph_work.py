# SPDX-License-Identifier: Apache-2.0
"""The work of nodes: copies, fills, boxes, semaphores, events, functions, memory, words."""
import os

import numpy as np
import pytest

import cucore
from conftest import ON_GPU
from graph_testing import ONE, memory, run


def test_copies_and_fills_run(device, stream, graph):
    x, y = cucore.Buffer.managed(device, 8), cucore.Buffer.managed(device, 8)
    seen = np.frombuffer(y, np.uint8)
    fill = graph.fill(x, b"\7")
    copy = graph.copy(y, x, after=fill)
    executable = graph.executable(upload=stream)
    run(executable, stream)
    assert seen.tolist() == [7] * 8
    executable[fill].update_fill(x, b"\1\2", 4)
    executable[copy].update_copy(y, x, 4, offset=4)
    run(executable, stream)
    assert seen.tolist() == [7, 7, 7, 7, 1, 2, 1, 2]
    fill.update_fill(x, b"\3", 2)
    copy.update_copy(y, x, 2)
    run(executable, stream)  # as it was made and changed
    assert seen.tolist() == [7, 7, 7, 7, 1, 2, 1, 2]
    run(graph.executable(), stream)
    assert seen.tolist() == [3, 3, 7, 7, 1, 2, 1, 2]
    with pytest.raises(cucore.InvalidArgumentError):
        copy.update_copy(y, x, 9)
    with pytest.raises(cucore.InvalidArgumentError):
        copy.update_fill(x, b"\3", 2)


def test_boxes_are_copied(device, stream, graph):
    x, y = cucore.Buffer.managed(device, 64), cucore.Buffer.managed(device, 64)
    seen, given = np.frombuffer(y, np.uint8).reshape(8, 8), np.frombuffer(x, np.uint8).reshape(2, 4, 8)
    given.ravel()[:] = np.arange(64)
    seen[:] = 99
    target, source = cucore.Box(y, row_bytes=8, x=1, y=2), cucore.Box(x, row_bytes=8, slice_rows=4, x=3, y=1, z=1)
    stream.copy_box(target, source, 2, 3)
    stream.synchronize()
    assert (seen[2:5, 1:3] == given[1, 1:4, 3:5]).all() and (seen == 99).sum() == 58
    seen[:] = 99
    copy = graph.copy_box(target, source, 2, 3, after=graph.empty())
    info = copy.info
    assert (info.size, info.width, info.height, info.depth) == (6, 2, 3, 1) and len(copy.dependencies) == 1
    assert (info.destination_row_bytes, info.destination_slice_rows) == (8, 5)
    assert (info.source_row_bytes, info.source_slice_rows) == (8, 4)
    executable = graph.executable()
    run(executable, stream)
    assert (seen[2:5, 1:3] == given[1, 1:4, 3:5]).all() and (seen == 99).sum() == 58
    with pytest.raises(cucore.NotUpdatableError, match="make a new executable"):
        executable[copy].update_copy_box(target, source, 2, 2)
    copy.update_copy_box(cucore.Box(y), cucore.Box(x), 5)
    executable = graph.executable()
    executable[copy].update_copy_box(cucore.Box(y), cucore.Box(x, offset=10), 4)
    run(executable, stream)
    assert seen[0].tolist() == [10, 11, 12, 13, 99, 99, 99, 99]
    with pytest.raises(cucore.InvalidArgumentError, match=r"Box.row_bytes of the source is 2; expected 0 or at least 4"):
        stream.copy_box(cucore.Box(y), cucore.Box(x, row_bytes=2), 4)
    with pytest.raises(cucore.InvalidArgumentError, match="ends at byte 65 of a buffer of 64 bytes"):
        graph.copy_box(cucore.Box(y, offset=61), cucore.Box(x), 4)
    with pytest.raises(TypeError):
        stream.copy_box(cucore.Box(None), cucore.Box(x), 4)
    with pytest.raises((ValueError, OverflowError)):
        stream.copy_box(cucore.Box(y, offset=-1), cucore.Box(x), 4)


@pytest.mark.skipif(ON_GPU or not hasattr(os, "eventfd"), reason="a semaphore is an eventfd on the CPU device; Python 3.10 has it")
def test_semaphores_of_other_libraries(device, stream, graph):
    ours = os.eventfd(0)
    semaphore = cucore.External.semaphore_from_descriptor(device, os.dup(ours), 0)
    assert semaphore.device.ordinal == device.ordinal and not semaphore.is_timeline and semaphore.native
    semaphore.signal(0, stream)
    stream.synchronize()
    assert os.eventfd_read(ours) == 1
    os.eventfd_write(ours, 1)
    semaphore.wait(0, stream)
    stream.synchronize()
    file = os.memfd_create("timeline")
    os.ftruncate(file, 8)
    timeline = cucore.External.semaphore_from_descriptor(device, os.dup(file), 1)
    wait = graph.wait_semaphore(timeline, 3)
    signal = graph.signal_semaphore(semaphore, after=wait)
    assert (wait.kind, signal.kind) == (cucore.NodeKind.SEMAPHORE_WAIT, cucore.NodeKind.SEMAPHORE_SIGNAL)
    assert wait.info.pattern == 3 and wait.semaphore == timeline and signal.dependencies == (wait,)
    wait.update_semaphore(timeline, 5)
    executable = graph.executable()
    executable[wait].update_semaphore(timeline, 7)
    executable(stream)
    os.pwrite(file, (6).to_bytes(8, "little"), 0)
    assert not stream.query()
    os.pwrite(file, (7).to_bytes(8, "little"), 0)
    stream.synchronize()
    assert os.eventfd_read(ours) == 1
    with pytest.raises(cucore.InvalidArgumentError, match="descriptor is -1"):
        cucore.External.semaphore_from_descriptor(device, -1, 0)
    with pytest.raises(cucore.InvalidArgumentError, match="has no semaphore"):
        graph.empty().semaphore
    os.close(ours)
    os.close(file)


def test_events_are_recorded_and_waited_for(device, stream, graph):
    first, second = (cucore.Event(device, timing=True) for _ in range(2))
    record = graph.record(first)
    graph.wait(first, after=record)
    executable = graph.executable()
    run(executable, stream)
    assert first.query()
    executable[record].update_event(second)
    record.update_event(second)
    assert record.event == second
    run(executable, stream)
    assert (second - first) >= 0


def test_functions_of_python_are_nodes(device, stream, graph, add):
    x, view = memory(device)
    seen = []
    first = graph.kernel(add, ONE, x, 1.0)
    host = graph.host(lambda: seen.append(float(view[0])), after=first)
    last = graph.kernel(add, ONE, x, 10.0, after=host)
    assert host.dependencies == (first,) and host.dependents == (last,)
    executable = graph.executable()
    run(executable, stream)
    run(executable, stream)
    assert seen == [1.0, 12.0] and view[0] == 22
    assert graph.host(lambda: None).dependencies == ()
    with stream.capture() as captured:
        stream.launch_host(lambda: seen.append("captured"))
    run(captured.executable(), stream)
    assert seen[-1] == "captured"


def test_graphs_allocate_memory(device, stream, graph, add):
    device.trim_graph_memory(True)
    before = device.graph_memory()
    assert before.used == before.used_peak and before.reserved == before.reserved_peak
    x, view = memory(device)
    buffer, node = graph.buffer(64, peers=[device])
    assert node.kind == cucore.NodeKind.ALLOCATION and node.info.destination == buffer.address and node.info.size == 64
    filled = graph.fill(buffer, b"\0\0\x80\x3f", after=node)
    last = graph.copy(x, buffer, 4, after=graph.kernel(add, ONE, buffer, 1.0, after=filled))
    end = graph.free(buffer, after=last)
    assert end.kind == cucore.NodeKind.FREE and end.dependencies == (last,)
    executable = graph.executable()
    run(executable, stream)
    run(executable, stream)
    assert view[0] == 2
    assert ON_GPU or device.graph_memory().used == before.used  # NVIDIA's driver counts memory until it is trimmed
    with pytest.raises(cucore.UnsupportedError, match="the driver keeps all nodes and edges"):
        node.remove()
    with pytest.raises(cucore.InvalidArgumentError, match="size is 0"):
        graph.buffer(0)


def test_memory_without_a_free_ends_with_its_buffer(device, stream, graph):
    buffer, node = graph.buffer(64)
    executable = graph.executable()
    run(executable, stream)
    assert device.graph_memory().used >= 64
    with pytest.raises(cucore.InvalidStateError, match="has allocated its memory in an earlier launch"):
        executable(stream)
    buffer.close()
    for _ in range(2):
        run(executable, stream)
        assert ON_GPU or device.graph_memory().used == 0


def test_words_are_nodes(device, stream, graph):
    buffer = cucore.Buffer.pinned(device, 16)
    view = np.frombuffer(buffer, np.uint64)
    view[:] = 3, 0
    wait = graph.wait_value(buffer, 0, 3, 8, cucore.Comparison.EQUAL)
    write = graph.write_value(buffer, 8, 7, 8, after=wait)
    assert (wait.info.comparison, write.info.comparison) == (cucore.Comparison.EQUAL, 0)
    assert write.info.pattern == 7 and write.kind == cucore.NodeKind.VALUE and write.dependencies == (wait,)
    run(graph.executable(), stream)
    assert view[1] == 7
    with pytest.raises(cucore.InvalidArgumentError, match="size is 3"):
        graph.write_value(buffer, 0, 1, 3)
