# SPDX-License-Identifier: Apache-2.0
"""Lifetimes of graphs and executables, and of what they keep."""
import gc
import operator
import sys
import time
import weakref

import numpy as np
import pytest

import cucore
from conftest import run_python
from graph_testing import ONE, foreign, is_gone, memory, run


def test_keeps_what_it_uses(device, stream, graph_code):
    x, view = memory(device)
    kernel = graph_code.kernel("add")
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
