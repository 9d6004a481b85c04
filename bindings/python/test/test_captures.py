# SPDX-License-Identifier: Apache-2.0
"""Captures: the work of a stream becomes a graph."""
import pytest

import cucore
from graph_testing import ONE, memory, run


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
