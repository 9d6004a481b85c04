# SPDX-License-Identifier: Apache-2.0
"""Captures: with-statements in which the work of a stream becomes nodes of a graph."""
from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Optional

from ._cucore import Device, Graph, Stream
from ._enums import CaptureMode
from ._errors import Error
from ._graphs import After, Node
from ._host import add_host
from ._members import member


def _stream_of(graph: Graph) -> Stream:
    found: Optional[Stream] = getattr(graph, "_stream", None)
    if found is None:
        raise TypeError("only a graph of a capture under way can fork: with stream.capture() as graph")
    return found


#: cucore_stream_begin_capture cucore_stream_end_capture
@member(Stream, "capture")
@contextlib.contextmanager
def stream_capture(self: Stream, *, mode: CaptureMode = CaptureMode.RELAXED, into: Optional[Graph] = None,
                   after: After = None) -> Iterator[Graph]:
    """Captures the work that is added to the stream. It does not run, and becomes nodes of a graph.

        with stream.capture() as graph:
            kernel[4, 256, stream](2.0, data, 1000)
        executable = graph.executable()

    An exception in the block drops the capture. The graph keeps the kernels and the buffers, but no array of another
    library.

    ``mode`` selects the calls of other code that the driver forbids meanwhile. ``into`` is the graph that gets the nodes,
    by default a new one. ``after`` is the node, or the nodes, of it that the first work comes after.
    """
    self._begin_capture(mode, into, after)
    graph: Optional[Graph] = None
    try:
        graph = into or self.capture_graph
        setattr(graph, "_stream", self)
        yield graph
    except BaseException:
        with contextlib.suppress(Error):
            self._end_capture()  # what it returns is dropped
        raise
    else:
        self._end_capture()
    finally:
        if graph is not None and not graph.closed:
            setattr(graph, "_stream", None)


@member(Device, "capture")
@contextlib.contextmanager
def device_capture(self: Device, *, mode: CaptureMode = CaptureMode.RELAXED) -> Iterator[tuple[Stream, Graph]]:
    """Captures the work of a new stream, which is closed at the end of the block.

        with device.capture() as (stream, graph):
            kernel[4, 256, stream](2.0, data, 1000)

    ``mode`` selects the calls of other code that the driver forbids meanwhile.
    """
    with Stream(self) as stream, stream_capture(stream, mode=mode) as graph:
        yield stream, graph


#: cucore_graph_add_host_queued
@member(Graph, "host")
def graph_host(self: Graph, function: Callable[[], Any], *, waits: bool = True, after: After = None) -> Node:
    """Adds a node that calls a function of Python at each launch, as Stream.launch_host() does.

    The function runs on a thread of this package. If ``waits``, the nodes after it begin when it has returned.
    ``after`` is the node, or the nodes, that the new one comes after.
    """
    return Node(self, add_host(function, self, lambda queue, token: self._add_host_queued(after, queue, token, int(waits))))


@member(Graph, "fork")
@contextlib.contextmanager
def graph_fork(self: Graph, count: int) -> Iterator[tuple[Stream, ...]]:
    """Forks the stream of a capture under way into so many new streams, and joins them at the end of the block.

        with stream.capture() as graph:
            with graph.fork(2) as (a, b):
                kernel[4, 256, a](2.0, x, 1000)
                kernel[4, 256, b](2.0, y, 1000)

    The work of the new streams has no order among them.
    """
    stream = _stream_of(self)
    if count < 0:
        raise ValueError(f"count is {count}; expected 0 or more")
    with contextlib.ExitStack() as closing:
        forks = tuple(closing.enter_context(Stream(stream.device)) for _ in range(count))
        for fork in forks:
            fork.wait_stream(stream)
        yield forks
        for fork in forks:
            stream.wait_stream(fork)


#: cucore_stream_capture_nodes
@member(Stream, "capture_nodes", property)
def stream_capture_nodes(self: Stream) -> tuple[Node, ...]:
    """The nodes that the next work of the captured stream will come after."""
    graph = self.capture_graph
    return tuple(Node(graph, each) for each in self._capture_nodes())
