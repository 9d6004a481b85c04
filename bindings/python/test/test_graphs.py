# SPDX-License-Identifier: Apache-2.0
"""Graphs by hand: nodes, edges, conditions, changes, executables, and what they keep."""
import gc
import operator
import os
import pathlib
import re
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import cucore
from conftest import ON_GPU, run_python

PTX = """.version 7.8
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry add(.param .u64 to, .param .f32 value) {
  .reg .u64 %p; .reg .f32 %v, %x;
  ld.param.u64 %p, [to]; ld.param.f32 %v, [value];
  ld.global.f32 %x, [%p]; add.f32 %x, %x, %v; st.global.f32 [%p], %x;
  ret;
}
.visible .entry mul(.param .u64 to, .param .f32 value) {
  .reg .u64 %p; .reg .f32 %v, %x;
  ld.param.u64 %p, [to]; ld.param.f32 %v, [value];
  ld.global.f32 %x, [%p]; mul.f32 %x, %x, %v; st.global.f32 [%p], %x;
  ret;
}
.visible .entry decide(.param .u64 condition, .param .u32 value) {
  .reg .b64 %c; .reg .b32 %v;
  ld.param.u64 %c, [condition]; ld.param.u32 %v, [value];
  { .param .b64 a; .param .b32 b; st.param.b64 [a], %c; st.param.b32 [b], %v; call.uni cudaGraphSetConditional, (a, b); }
  ret;
}
.visible .entry count_down(.param .u64 condition, .param .u64 left) {
  .reg .b64 %c, %p; .reg .b32 %v;
  ld.param.u64 %c, [condition]; ld.param.u64 %p, [left];
  ld.global.u32 %v, [%p]; sub.u32 %v, %v, 1; st.global.u32 [%p], %v;
  { .param .b64 a; .param .b32 b; st.param.b64 [a], %c; st.param.b32 [b], %v; call.uni cudaGraphSetConditional, (a, b); }
  ret;
}
"""
ONE = cucore.LaunchConfig(1, 1)


@pytest.fixture(scope="module")
def module():
    return cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, PTX)


@pytest.fixture
def add(module):
    return module.kernel("add")


@pytest.fixture
def mul(module):
    return module.kernel("mul")


@pytest.fixture
def graph(device):
    with cucore.Graph(device) as made:
        yield made


def memory(device, value=0.0, dtype=np.float32):
    buffer = cucore.Buffer.managed(device, 4)
    view = np.frombuffer(buffer, dtype)
    view[0] = value
    return buffer, view


def run(executable, stream):
    executable(stream)
    stream.synchronize()


def test_order_is_that_of_the_edges(device, stream, graph, add, mul):
    x, view = memory(device, 1)
    first = graph.kernel(add, ONE, x, 2.0)
    second = graph.kernel(mul, ONE, x, 10.0, after=first)
    third = graph.kernel(add, ONE, x, 5.0)
    assert second >> third is third
    executable = graph.executable()
    assert view[0] == 1
    assert executable(stream) is None
    stream.synchronize()
    assert view[0] == (1 + 2) * 10 + 5
    executable.launch(stream)
    stream.synchronize()
    assert view[0] == (35 + 2) * 10 + 5
    # The other order, from the same nodes.
    graph.remove_edge(first, second)
    graph.remove_edge(second, third)
    third >> second >> first
    view[0] = 1
    run(graph.executable(), stream)
    assert view[0] == (1 + 5) * 10 + 2


def test_edges_are_read_back(graph):
    a, b, c = (graph.empty() for _ in range(3))
    d = graph.empty(after=[a, b])
    assert (a, d.dependencies, a.dependents, c.dependents) == (graph.nodes[0], (a, b), (d,), ())
    assert [a, b] >> c is c
    assert c.dependencies == (a, b)
    e, f = c >> (graph.empty(), graph.empty())
    assert set(c.dependents) == {e, f} and graph.node_count == 6
    assert graph.empty(after=operator.index(a)).dependencies == (a,)
    assert graph.empty(after=(each for each in (a, b))).dependencies == (a, b)
    assert len({operator.index(each) for each in graph.nodes}) == 8 and 0 not in map(operator.index, graph.nodes)
    assert repr(a) == f"<cucore.Node {operator.index(a)}>" and a.graph is graph and a != operator.index(a)


def test_mistakes_about_edges_are_refused(graph, device):
    a, b = graph.empty(), graph.empty()
    a >> b
    number = operator.index(b)
    for wrong in (lambda: a >> a, lambda: a >> b, lambda: b >> a, lambda: graph.empty(after=[a, a]),
                  lambda: graph.add_edge(a, graph.empty(), programmatic=True)):
        with pytest.raises(cucore.InvalidArgumentError):
            wrong()
    with cucore.Graph(device) as other, pytest.raises(cucore.NotFoundError):
        other.empty(after=a)
    with pytest.raises(TypeError, match="a node or a sequence of nodes is needed"):
        graph.empty(after=1.5)
    with pytest.raises(TypeError, match="node: an int is needed, not str"):
        graph.empty(after=["x"])
    with pytest.raises(OverflowError, match="node: -1 is not between 0 and"):
        graph.empty(after=-1)
    b.remove()
    with pytest.raises(cucore.NotFoundError, match=f"node {number} was removed"):
        a >> b
    assert a.dependents == () and b not in graph.nodes


def test_a_node_has_its_settings(device, graph, add):
    x, y = cucore.Buffer(device, 64), cucore.Buffer(device, 64)
    event = cucore.Event(device)
    config = cucore.LaunchConfig((2, 3), 32, dynamic_shared=16)
    kernel = graph.kernel(add, config, x, 1.0)
    kernel.label = "stage ä"
    info = kernel.info
    assert (info.kind, info.kernel, info.label) == (cucore.NodeKind.KERNEL, "add", "stage ä")
    assert (info.grid, info.block, info.cluster, info.dynamic_shared) == ((2, 3, 1), (32, 1, 1), (0, 0, 0), 16)
    copy = graph.copy(x, y, 16, offset=4, source_offset=8, after=kernel)
    info = graph.node_info(copy)
    assert (info.kind, info.destination, info.source, info.size) == (cucore.NodeKind.COPY, x.address + 4, y.address + 8, 16)
    assert (info.dependency_count, info.dependent_count, kernel.info.dependent_count) == (1, 0, 1)
    assert graph.copy(x, y, source_offset=24).info.size == 40
    fill = graph.fill(x, b"\1\2", 8, offset=2)
    info = fill.info
    assert (info.kind, info.destination, info.size, info.pattern, info.pattern_size) == (cucore.NodeKind.FILL, x.address + 2, 8, 0x0201, 2)
    assert graph.fill(x, b"\0" * 4, offset=60).info.size == 4
    record, wait = graph.record(event), graph.wait(event)
    assert (record.kind, wait.kind) == (cucore.NodeKind.RECORD, cucore.NodeKind.WAIT)
    assert record.event == event and record.info.event == event.native
    with pytest.raises(cucore.InvalidArgumentError):
        fill.event
    text = graph.dot()
    assert "stage ä" in text and "add" in text and text == graph.dot(0)
    kernel.label = ""
    assert kernel.label == "" and "stage" not in graph.dot()


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


def test_a_kernel_node_is_changed(device, stream, graph, add, mul):
    x, view = memory(device, 1)
    y, other = memory(device, 100)
    node = graph.kernel(add, ONE, x, 2.0)
    executable, untouched = graph.executable(), graph.executable()
    executable[node].update(args=(x, 3))
    run(executable, stream)
    assert view[0] == 4
    executable[node].update(kernel=mul)  # with the arguments before
    run(executable, stream)
    assert view[0] == 12
    executable[node].update(args=[y, 2.0])  # of the new kernel
    run(executable, stream)
    assert (view[0], other[0]) == (12, 200)
    executable[node].update(kernel=add, config=cucore.LaunchConfig(1, 1), args=(y, 1.0))
    run(executable, stream)
    assert other[0] == 201
    node.update(args=(x, 10.0), config=cucore.LaunchConfig(1, 2, dynamic_shared=8))
    assert node.info.block == (2, 1, 1) and node.info.dynamic_shared == 8
    node.update(config=ONE)
    run(untouched, stream)
    assert view[0] == 14
    run(graph.executable(), stream)
    assert view[0] == 24


def test_arguments_are_converted_and_refused_as_by_a_launch(device, stream, graph, add):
    x, view = memory(device)
    with pytest.raises(TypeError, match="argument 2 of 2: the argument is 'x' .* expected a floating-point number"):
        graph.kernel(add, ONE, x, "x")
    with pytest.raises(TypeError, match="add takes 2 arguments, 1 was given"):
        graph.kernel(add, ONE, x)
    with pytest.raises(TypeError, match="a LaunchConfig is needed, not tuple"):
        graph.kernel(add, (1, 1), x, 1.0)
    with pytest.raises(TypeError, match="a cucore.Kernel is needed, not str"):
        graph.kernel("add", ONE, x, 1.0)
    with pytest.raises(cucore.InvalidArgumentError, match=r"grid\[0\] is 0"):
        graph.kernel(add, cucore.LaunchConfig(0, 1), x, 1.0)
    closed = cucore.Buffer(device, 4)
    closed.close()
    with pytest.raises(cucore.InvalidHandleError, match="argument 1 of 2: the Buffer is closed"):
        graph.kernel(add, ONE, closed, 1.0)
    assert graph.node_count == 0
    node = graph.kernel(add, ONE, x, np.float64(2))
    executable = graph.executable()
    for target in (node, executable[node]):
        with pytest.raises(TypeError, match="argument 1 of 2: the argument is 1.5"):
            target.update(args=(1.5, 2.0))
        with pytest.raises(TypeError, match="add takes 2 arguments, 1 was given"):
            target.update(args=(x,))
        with pytest.raises(TypeError, match="a LaunchConfig is needed"):
            target.update(config=1)
        with pytest.raises(TypeError, match="a cucore.Kernel is needed, not str"):
            target.update(kernel="add")
    with pytest.raises(cucore.InvalidArgumentError):
        graph.empty().update(args=())
    run(executable, stream)
    assert view[0] == 2, "a refused update changed an argument"


def test_keeps_what_it_uses(device, stream, module):
    x, view = memory(device)
    kernel = module.kernel("add")
    graph = cucore.Graph(device)
    node = graph.kernel(kernel, ONE, x, 1.0)
    kernel.close()
    executable = graph.executable()
    executable[node].update(args=(x, 2.0))
    hidden = cucore.Buffer.managed(device, 4)
    graph.fill(hidden, b"\0" * 4)
    hidden.close()
    graph.close()
    gc.collect()
    run(executable, stream)
    assert view[0] == 2
    with pytest.raises(cucore.InvalidHandleError, match="the cucore.Graph is closed"):
        node.update(args=(x, 2.0))
    number = operator.index(node)
    executable.close()
    for call in (lambda: executable(stream), lambda: executable.launch(stream), lambda: executable[number].update(config=ONE)):
        with pytest.raises(cucore.InvalidHandleError, match="the cucore.ExecutableGraph is closed"):
            call()


def foreign(buffer):
    class Array:
        __cuda_array_interface__ = {"shape": (1,), "typestr": "<f4", "data": (buffer.address, False), "version": 3}
    return Array()


def is_gone(reference):
    gc.collect()
    return reference() is None


def test_keeps_arrays_of_other_libraries(device, stream, add):
    x, view = memory(device)
    array = foreign(x)
    gone = weakref.ref(array)
    graph = cucore.Graph(device)
    node = graph.kernel(add, ONE, array, 1.0)
    del array
    executable = graph.executable()
    clone = graph.clone()
    node.update(args=(x, 1.0))
    assert not is_gone(gone)
    executable[node].update(args=(x, 1.0))
    assert not is_gone(gone), "the clone lost its argument"
    parent = cucore.Graph(device)
    child = parent.child(clone)
    clone.close()
    assert not is_gone(gone), "the child lost its argument"
    run(parent.executable(), stream)
    assert view[0] == 1
    child.update_child(graph)
    assert is_gone(gone)
    array = foreign(x)
    gone = weakref.ref(array)
    removed = graph.kernel(add, ONE, array, 1.0)
    del array
    assert not is_gone(gone)
    removed.remove()
    assert is_gone(gone)


def test_a_child_runs_as_it_was(device, stream, graph, add):
    x, view = memory(device)
    with cucore.Graph(device) as inner:
        step = inner.kernel(add, ONE, x, 1.0)
        child = graph.child(inner)
        step.update(args=(x, 10.0))
        executable = graph.executable()
        run(executable, stream)
        assert view[0] == 1
        executable[child].update_child(inner)
        run(executable, stream)
        assert view[0] == 11
        child.update_child(inner)
    body = child.body()
    (inside,) = body.nodes
    inside.update(args=(x, 100.0))
    run(graph.executable(), stream)
    assert view[0] == 111
    inside.update(args=(x, 10.0))
    assert body.node_count == 1 and body.nodes[0].info.kernel == "add"
    with pytest.raises(cucore.InvalidArgumentError):
        child.body(1)
    with pytest.raises(cucore.Error):
        body.executable()
    run(graph.executable(), stream)
    assert view[0] == 121
    child.remove()
    with pytest.raises(cucore.InvalidStateError):
        body.empty()


def test_a_clone_has_the_same_nodes(device, stream, graph, add):
    x, view = memory(device)
    node = graph.kernel(add, ONE, x, 1.0)
    node.label = "a"
    clone = graph.clone()
    assert clone != graph and clone.nodes == graph.nodes and clone.nodes[0].label == "a"
    clone.nodes[0].update(args=(x, 5.0))
    run(graph.executable(), stream)
    run(clone.executable(), stream)
    assert view[0] == 6 and clone.device == graph.device == device


@pytest.mark.parametrize("value, expected", [(0, 100.0), (1, 1.0), (7, 1.0)])
def test_if_runs_one_of_two_graphs(device, stream, graph, module, add, value, expected):
    x, view = memory(device)
    condition = graph.condition()
    decide = graph.kernel(module.kernel("decide"), ONE, condition, value)
    with graph.if_(condition, after=decide) as (then, else_):
        then.kernel(add, ONE, x, 1.0)
        else_.kernel(add, ONE, x, 100.0)
    node = graph.nodes[1]
    assert node.kind == cucore.NodeKind.CONDITIONAL and node.dependencies == (decide,) and node.info.condition == condition
    executable = graph.executable()
    run(executable, stream)
    assert view[0] == expected
    (inside,) = node.body(0).nodes
    inside.update(args=(x, 50.0))
    executable.update(graph)
    run(executable, stream)
    assert view[0] == expected + (50 if value else 100)
    assert node.body(1).node_count == 1


def test_a_condition_has_a_value_at_each_launch(device, stream, graph, module, add):
    x, view = memory(device)
    condition = graph.condition(1)
    with graph.if_(condition, has_else=False) as bodies:
        (then,) = bodies
        then.kernel(add, ONE, x, 1.0)
        then.kernel(module.kernel("decide"), ONE, condition, 0)
    executable = graph.executable()
    run(executable, stream)
    run(executable, stream)
    assert view[0] == 2


def test_a_condition_keeps_its_value_between_launches(device, stream, graph, module, add):
    x, view = memory(device)
    condition = graph.condition(0, reset_at_launch=False)
    with graph.if_(condition) as (then, else_):
        then.kernel(add, ONE, x, 100.0)
        then.kernel(module.kernel("decide"), ONE, condition, 0)
        else_.kernel(add, ONE, x, 1.0)
        else_.kernel(module.kernel("decide"), ONE, condition, 1)
    executable = graph.executable()
    # The value of the first launch is not defined. From then on, each launch decides the next one.
    for expected in (101, 202):
        run(executable, stream)
        run(executable, stream)
        assert view[0] == expected


def test_while_runs_until_the_condition_is_zero(device, stream, graph, module, add):
    x, view = memory(device)
    left, _ = memory(device, 5, np.uint32)
    condition = graph.condition(1)
    with graph.while_(condition) as body:
        step = body.kernel(add, ONE, x, 2.0)
        body.kernel(module.kernel("count_down"), ONE, condition, left, after=step)
    run(graph.executable(), stream)
    assert view[0] == 10


@pytest.mark.parametrize("value, expected", [(0, 1), (2, 3), (3, 0)])
def test_switch_runs_the_graph_at_the_index(device, stream, graph, add, value, expected):
    x, view = memory(device)
    node = graph.switch(graph.condition(value), 3)
    with node as bodies:
        for i, body in enumerate(bodies):
            body.kernel(add, ONE, x, float(i + 1))
    assert node.bodies == bodies and len(bodies) == 3
    run(graph.executable(), stream)
    assert view[0] == expected


def test_mistakes_about_conditions_are_refused(graph):
    condition = graph.condition()
    graph.while_(condition)
    for wrong in (lambda: graph.while_(condition), lambda: graph.switch(graph.condition(), 0)):
        with pytest.raises(cucore.InvalidArgumentError):
            wrong()
    for count in (65537, 2**31, 2**62, 2**64 - 1):
        with pytest.raises(cucore.InvalidArgumentError, match=f"is {count}; expected 1 to 65536 for SWITCH"):
            graph.switch(graph.condition(), count)
    for value in (-1, 2**32):
        with pytest.raises(OverflowError, match=r"is not between 0 and 2\*\*32 - 1"):
            graph.condition(value)
    assert graph.node_count == 1


def test_a_whole_update_replaces_the_work(device, stream, graph, add, mul):
    x, view = memory(device, 1)
    array = foreign(x)
    gone = weakref.ref(array)
    node = graph.kernel(add, ONE, x, 1.0)
    executable = graph.executable()
    with cucore.Graph(device) as other:
        other.kernel(mul, ONE, array, 3.0)
        del array
        executable.update(other)
    run(executable, stream)
    assert view[0] == 3 and not is_gone(gone)
    executable[node].update(args=(x, 2.0))  # of the kernel that the update brought
    run(executable, stream)
    assert view[0] == 6 and is_gone(gone)
    graph.empty()
    with pytest.raises(cucore.NotUpdatableError):
        executable.update(graph)
    run(executable, stream)
    assert view[0] == 12, "a refused update changed the executable"


def calls_of(function):
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return calls


def test_an_update_from_an_unchanged_graph_does_not_visit_its_nodes(device, add):
    x = cucore.Buffer(device, 4)

    def update_of(count):
        graph, node = cucore.Graph(device), ()
        for _ in range(count):
            node = graph.kernel(add, ONE, x, 1.0, after=node)
        executable = graph.executable()
        return calls_of(lambda: executable.update(graph))
    assert update_of(50) == update_of(1)


def test_an_update_from_an_unchanged_graph_fails_as_others_do(device, graph, add):
    x = cucore.Buffer(device, 4)
    graph.kernel(add, ONE, x, 1.0)
    executable = graph.executable()
    for arguments in ((), (None,), (graph, graph)):
        with pytest.raises(TypeError):
            executable.update(*arguments)
    with pytest.raises(TypeError):
        executable.update(graph=graph)
    executable.update(graph)
    executable.close()
    with pytest.raises(cucore.InvalidHandleError):
        executable.update(graph)
    executable = graph.executable()
    graph.close()
    with pytest.raises(cucore.InvalidHandleError):
        executable.update(graph)


def test_a_kernel_node_keeps_no_numbers(device, graph, add):
    x = cucore.Buffer(device, 4)
    number = np.float32(1.25)
    before = sys.getrefcount(number)
    nodes = [graph.kernel(add, ONE, x, number) for _ in range(3)]
    assert sys.getrefcount(number) == before
    last = graph.kernel(add, ONE, x, number, after=nodes)
    assert last.dependencies == tuple(nodes)
    for after in (-1, 2**64):
        with pytest.raises(OverflowError, match="node: "):
            graph.kernel(add, ONE, x, number, after=after)


def test_an_update_keeps_the_arrays_of_each_change(device, stream, add):
    def changes(change):
        buffer, other = cucore.Buffer(device, 4), cucore.Buffer(device, 4)
        graph = cucore.Graph(device)
        first, second = foreign(buffer), foreign(other)
        node = graph.kernel(add, ONE, first, 1.0)
        executable = graph.executable()
        executable.update(graph)
        references = [weakref.ref(first), weakref.ref(second)]
        change(graph, node, executable, second)
        executable.update(graph)
        graph.close()
        del graph, node, first, second
        return executable, references

    def in_the_graph(graph, node, executable, array):
        node.update(args=(array, 1.0))

    def in_the_executable(graph, node, executable, array):
        executable[node].update(args=(array, 1.0))
    executable, (first, second) = changes(in_the_graph)
    assert is_gone(first) and not is_gone(second)
    executable, (first, second) = changes(in_the_executable)
    assert not is_gone(first) and is_gone(second)


def test_an_update_keeps_the_arrays_of_changed_children(device, stream, add):
    x, buffer = cucore.Buffer(device, 4), cucore.Buffer(device, 4)
    inner, graph = cucore.Graph(device), cucore.Graph(device)
    inner.kernel(add, ONE, x, 1.0)
    child = graph.child(inner)
    executable = graph.executable()
    executable.update(graph)
    array = foreign(buffer)
    reference = weakref.ref(array)
    child.body().nodes[0].update(args=(array, 1.0))
    executable.update(graph)
    graph.close()
    del graph, child, array
    assert not is_gone(reference)
    executable.close()
    del executable
    assert is_gone(reference)


def test_a_node_is_left_out_and_taken_in(device, stream, graph, add):
    x, view = memory(device)
    node, empty = graph.kernel(add, ONE, x, 1.0), graph.empty()
    executable = graph.executable()
    assert executable[node].enabled is True
    executable[node].enabled = False
    assert executable[node].enabled is False
    run(executable, stream)
    assert view[0] == 0
    executable[operator.index(node)].enabled = True
    run(executable, stream)
    assert view[0] == 1
    with pytest.raises(cucore.InvalidArgumentError):
        executable[empty].enabled = False
    late = graph.kernel(add, ONE, x, 1.0)
    with pytest.raises(cucore.NotFoundError):
        executable[late].update(args=(x, 1.0))


def test_an_executable_is_called_with_a_stream(device, graph, stream):
    node = graph.empty()
    executable = graph.executable(free_on_launch=True, node_priority=True)
    for wrong in (lambda: executable(), lambda: executable(stream, stream), lambda: executable(stream=stream)):
        with pytest.raises(TypeError, match=r"executable\(stream\)"):
            wrong()
    with pytest.raises(TypeError):
        executable(1)
    with pytest.raises(TypeError, match="node|integer"):
        executable["x"]
    with pytest.raises(TypeError):
        cucore.ExecutableGraph(graph)

    class Foreign:
        def __cuda_stream__(self):
            return 0, stream.native
    executable(Foreign())
    executable(*[stream], **{})
    assert list(map(executable, [stream, Foreign()])) == [None, None]
    executable.upload(Foreign())
    graph.executable(upload=Foreign())(stream)
    assert executable.device == device and executable.native != graph.native != 0
    assert repr(executable[node]) == f"<cucore.ExecutableNode {operator.index(executable[node])}>"


def test_threads_build_update_and_launch(device, add):
    failures = []

    def work():
        try:
            x, view = memory(device)
            with cucore.Stream(device) as stream, cucore.Graph(device) as graph:
                node = graph.kernel(add, ONE, x, 1.0)
                with graph.executable() as executable:
                    for i in range(50):
                        executable[node].update(args=(x, float(i)))
                        executable(stream)
                    stream.synchronize()
            assert view[0] == sum(range(50))
        except BaseException as error:  # noqa: B036
            failures.append(error)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_child_may_have_the_nodes_of_its_graph(device, stream, graph, module, add):
    x, view = memory(device)
    left, count = memory(device, 1, np.uint32)
    node = graph.kernel(add, ONE, x, 1.0)
    child = graph.child(graph)
    condition = graph.condition(0)
    node.update(kernel=module.kernel("count_down"), args=(condition, left))
    (inside,) = child.body().nodes
    assert inside == node
    inside.update(args=(x, 4.0))  # of the kernel that the copy has
    with graph.while_(condition):
        pass
    run(graph.executable(), stream)
    assert view[0] == 4 and count[0] == 0


def test_a_capture_becomes_a_graph(device, stream, add, mul):
    x, view = memory(device, 1)
    with stream.capture() as graph:
        assert stream.is_capturing and stream.capture_graph == graph and stream.capture_nodes == ()
        add[ONE, stream](x, 2.0)
        (first,) = stream.capture_nodes
        mul[ONE, stream](x, 10.0)
        with pytest.raises(cucore.InvalidStateError):
            stream.synchronize()
    assert not stream.is_capturing and view[0] == 1
    (second,) = first.dependents
    assert first.kind == second.kind == cucore.NodeKind.KERNEL and set(graph.nodes) == {first, second}
    executable = graph.executable()
    run(executable, stream)
    assert view[0] == 30
    with pytest.raises(cucore.InvalidArgumentError, match="pass kernel, options and arguments"):
        executable[first].update(args=(x, 1.0))
    executable[first].update(kernel=add, config=ONE, args=(x, 1.0))
    executable[first].update(args=(x, 3.0))
    run(executable, stream)
    assert view[0] == 330


def test_forks_are_joined(device, add, mul):
    x, view = memory(device, 1)
    y, other = memory(device, 1)
    with device.capture() as (stream, graph):
        add[ONE, stream](x, 1.0)
        with graph.fork(2) as (a, b):
            mul[ONE, a](x, 5.0)
            mul[ONE, b](y, 7.0)
        add[ONE, stream](y, 1.0)
    assert stream.closed and a.closed and graph.node_count == 4
    (first,) = (node for node in graph.nodes if not node.dependencies)
    (last,) = (node for node in graph.nodes if not node.dependents)
    for node in set(graph.nodes) - {first, last}:
        assert node.dependencies == (first,) and node.dependents == (last,)
    with cucore.Stream(device) as another:
        run(graph.executable(), another)
    assert (view[0], other[0]) == (10, 8)
    with pytest.raises(TypeError, match="only a graph of a capture under way can fork"), graph.fork(1):
        pass


def test_a_fork_has_one_stream_or_none(device, stream, add, mul):
    x, view = memory(device, 1)
    with stream.capture() as graph:
        add[ONE, stream](x, 1.0)
        with graph.fork(1) as forks:
            (fork,) = forks
            mul[ONE, fork](x, 5.0)
        with graph.fork(0) as none:
            assert none == ()
        add[ONE, stream](x, 1.0)
        with pytest.raises(ValueError, match="count is -1; expected 0 or more"), graph.fork(-1):
            pass
    assert fork.closed and graph.node_count == 3
    run(graph.executable(), stream)
    assert view[0] == 11


def test_a_graph_of_a_capture_that_failed_cannot_fork(device, stream):
    graph = cucore.Graph(device)
    with pytest.raises(KeyError), stream.capture(into=graph):
        raise KeyError
    with pytest.raises(TypeError, match="only a graph of a capture under way can fork"), graph.fork(1):
        pass


def test_a_capture_continues_a_graph(device, stream, graph, add, mul):
    x, view = memory(device, 1)
    first = graph.kernel(add, ONE, x, 1.0)
    last = graph.empty()
    with stream.capture(mode=cucore.CaptureMode.THREAD, into=graph, after=first) as same:
        assert same is graph
        (seen,) = stream.capture_nodes  # by another object for the graph
        with pytest.raises(TypeError, match=r"node \d+ was not added by Graph.kernel\(\)"):
            seen.update(args=(x, 1.0))
        assert seen == first
        mul[ONE, stream](x, 10.0)
        stream.set_capture_nodes([*stream.capture_nodes, last])
        mul[ONE, stream](x, 2.0)
    assert graph.nodes[2].dependencies == (first,) and set(graph.nodes[3].dependencies) == {graph.nodes[2], last}
    run(graph.executable(), stream)
    assert view[0] == 40


def test_an_exception_drops_a_capture(device, stream, add):
    x, view = memory(device)
    with pytest.raises(ZeroDivisionError), stream.capture():
        add[ONE, stream](x, 1.0)
        raise ZeroDivisionError
    assert not stream.is_capturing
    with pytest.raises(cucore.InvalidStateError), stream.capture(), stream.capture():
        pass
    assert not stream.is_capturing
    with cucore.Stream(device) as fork, pytest.raises(cucore.InvalidStateError, match="not joined"), stream.capture():
        fork.wait_stream(stream)
        add[ONE, fork](x, 1.0)
    with stream.capture() as graph:
        add[ONE, stream](x, 1.0)
    run(graph.executable(), stream)
    assert view[0] == 1


def test_events_in_a_graph_act_at_each_launch(device, stream):
    event = cucore.Event(device)
    with stream.capture() as graph:
        event.record_in_graph(stream)
        stream.wait_in_graph(event)
    assert [node.kind for node in graph.nodes] == [cucore.NodeKind.RECORD, cucore.NodeKind.WAIT]
    run(graph.executable(), stream)
    assert event.query()


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


def test_functions_live_as_long_as_their_graph(device, stream):
    class Function:
        ran = 0

        def __call__(self):
            Function.ran += 1
    function = Function()
    gone = weakref.ref(function)
    graph = cucore.Graph(device)
    graph.host(function)
    del function
    executable = graph.executable()
    graph.close()
    run(executable, stream)
    run(executable, stream)
    assert Function.ran == 2 and not is_gone(gone)
    executable.close()
    for _ in range(600):
        stream.launch_host(lambda: None)  # drops what ended before
        stream.synchronize()
        if is_gone(gone):
            break
        time.sleep(0.05)
    assert is_gone(gone), "the function lives on"


def test_functions_of_graphs_that_did_not_run_are_dropped(device, graph):
    function = type("Function", (), {"__call__": lambda self: None})()
    gone = weakref.ref(function)
    with cucore.Graph(device) as other:
        other.host(function)
    del function
    for _ in range(600):
        graph.host(lambda: None)  # drops what ended before
        if is_gone(gone):
            break
        time.sleep(0.05)
    assert is_gone(gone), "the function lives on"


def numbered(message):
    return re.sub(r"\b(node|condition) \d+", r"\1 N", message.replace("cucore_stream_wait_stream", "Stream.wait_stream"))


def test_messages_are_those_of_the_page(device, stream, graph, module, add):
    x, _ = memory(device)
    far = cucore.Buffer(device, x.size)
    a, b, removed = (graph.empty() for _ in range(3))
    a >> b
    removed.remove()
    condition = graph.condition()
    loop = graph.while_(condition)
    executable = graph.executable()
    other, kernels, fills, more = (cucore.Graph(device) for _ in range(4))
    of_other = other.condition()
    node = kernels.kernel(add, ONE, x, 1.0)
    one = kernels.executable()
    late = kernels.empty()
    fills.fill(x, b"\0" * 4)
    more.kernel(add, ONE, x, 1.0)
    more.empty()
    parent = cucore.Graph(device)
    child = parent.child(kernels)
    body = child.body()
    child.remove()

    def captured(work):
        with stream.capture() as under_way:
            work(under_way)

    def fork(_):
        with cucore.Stream(device) as forked:
            forked.wait_stream(stream)
            add[ONE, forked](x, 1.0)

    def nested(_):
        with stream.capture():
            pass
    mistakes = {
        "a circle": lambda: b >> a, "an edge twice": lambda: a >> b, "a node that was removed": lambda: removed.info,
        "a node of another graph": lambda: other.empty(after=a), "one condition for two nodes": lambda: graph.while_(condition),
        "a condition of another graph": lambda: graph.while_(of_other), "a clone of a graph with conditions": graph.clone,
        "a second executable of such a graph": graph.executable,
        "a box that leaves its buffer": lambda: graph.copy_box(cucore.Box(x, offset=1), cucore.Box(far), x.size),
        "an event in a body": lambda: loop.bodies[0].record(cucore.Event(device)),
        "a body as an executable": loop.bodies[0].executable, "a body after the removal of its node": body.empty,
        "an update with another kind of node": lambda: one.update(fills), "an update with more nodes": lambda: one.update(more),
        "a node that is younger than the executable": lambda: one[late].update_fill(x, b"\0" * 4),
        "another launch attribute": lambda: one[node].update(config=cucore.LaunchConfig(1, 1, cooperative=True)),
        "a wait for a captured stream": lambda: captured(lambda _: stream.synchronize()),
        "a second begin": lambda: captured(nested), "an end without a begin": stream._end_capture,
        "a fork without a join": lambda: captured(fork),
        "an executable before the end": lambda: captured(lambda under_way: under_way.executable()),
    }
    page = (pathlib.Path(__file__).parents[3] / "docs/graphs.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (.*?) \| `(.*)` \|$", page.split("## Mistakes")[1], re.M))
    # A thread has to stop within a call for this one: tests/unit/core/test_captured_work.cpp compares its message.
    del rows["work of another thread during the end"]
    assert set(rows) == set(mistakes)
    if int(of_other) == int(condition):  # NVIDIA's driver may number the conditions of each graph from 1
        del mistakes["a condition of another graph"]
    for name, mistake in mistakes.items():
        with pytest.raises(cucore.Error) as raised:
            mistake()
        assert numbered(str(raised.value)) == numbered(rows[name]), name
    assert not stream.is_capturing
    executable.close()


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


@pytest.mark.parametrize("end", ["", "sys.exit(0)", "del graph, executable; gc.collect()"])
def test_exit_with_graphs_alive(end):
    started = time.monotonic()
    assert run_python(f"""
import gc, sys, threading, time, cucore
device = cucore.Device(0)
stream = cucore.Stream(device)
buffer = cucore.Buffer(device, 64, stream)
graph = cucore.Graph(device)
begun = threading.Event()
node = graph.host(lambda: (begun.set(), time.sleep(0.3)), after=graph.fill(buffer, b"1"))
graph.host(lambda: print("never"), after=node)
executable, copy = graph.executable(), graph.clone()
executable(stream)
begun.wait(10)
capturing = cucore.Stream(device)
capture = capturing.capture()
unfinished = capture.__enter__()
buffer.fill(b"1", stream=capturing)
{end}
""") == ("", "")
    assert time.monotonic() - started < 60


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
