# SPDX-License-Identifier: Apache-2.0
"""Executables of graphs, changes of their nodes, and whole updates."""
import operator
import sys
import threading
import weakref

import pytest

import cucore
from graph_testing import ONE, foreign, is_gone, memory, run


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
