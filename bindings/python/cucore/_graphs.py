# SPDX-License-Identifier: Apache-2.0
"""Members of Graph and ExecutableGraph in addition to the native ones, and views of their nodes."""
from __future__ import annotations

from operator import index
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Iterable, NamedTuple, Optional, SupportsIndex, Type, TypeVar, Union, cast

from . import _cucore
from ._cucore import Buffer, Device, Event, ExecutableGraph, External, Graph, Kernel, LaunchConfig
from ._enums import Comparison, Conditional, NodeKind
from ._members import member

if TYPE_CHECKING:
    from ._boxes import Box

Bytes = Union[bytes, bytearray, memoryview]
# The nodes that a new one comes after.
After = Union[None, SupportsIndex, Iterable[SupportsIndex]]
_Entered = TypeVar("_Entered")


class NodeInfo(NamedTuple):
    """A node as Graph.node_info() reads it. Fields that its kind does not have are 0 or "". """

    kind: NodeKind
    label: str
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int]
    dynamic_shared: int
    destination: int
    source: int
    size: int
    pattern: int
    pattern_size: int
    dependency_count: int
    dependent_count: int
    tools_id: int
    event: int
    native: int
    condition: int
    comparison: int
    width: int
    height: int
    depth: int
    destination_row_bytes: int
    destination_slice_rows: int
    source_row_bytes: int
    source_slice_rows: int


class _Kept:
    """The objects of Python that a graph needs, by node: those of its kernels, and arguments of other libraries.

    The library keeps the code of kernels, buffers and events. The graphs of a conditional node share this with their
    graph. That of a child node has its own, because its nodes have the numbers of the graph that was copied.
    """

    __slots__ = ("kernels", "objects", "children", "order", "reused", "state")

    def __init__(self, other: Optional[_Kept] = None) -> None:
        self.kernels: dict[int, Kernel] = dict(other.kernels) if other else {}
        self.objects: dict[int, object] = dict(other.objects) if other else {}
        self.children: dict[int, _Kept] = {node: _Kept(kept) for node, kept in other.children.items()} if other else {}
        self.order: tuple[int, ...] = ()  # of an executable: the nodes of its graph
        self.reused: list[Any] = []  # what _add_kernel() made for the node before
        # Names the present content, None after a change. An executable has that of the graph from which it took its own.
        self.state: Optional[object] = None

    def name_state(self) -> Optional[object]:
        """Returns the name of the content. None if children exist, which change on their own."""
        if self.children:
            return None
        if self.state is None:
            self.state = object()
        return self.state


def _kept(owner: Union[Graph, ExecutableGraph]) -> _Kept:
    found: Optional[_Kept] = getattr(owner, "_kept", None)
    if found is None:
        if not isinstance(owner, (Graph, ExecutableGraph)):
            raise TypeError(f"a cucore.Graph is needed, not {type(owner).__name__}")
        found = _Kept()
        setattr(owner, "_kept", found)
    return found


def _share(graph: Graph, kept: _Kept) -> Graph:
    setattr(graph, "_kept", kept)
    return graph


def _set_kernel(owner: Union[Graph, ExecutableGraph], node: int, kernel: Optional[Kernel],
                config: Optional[LaunchConfig], args: Optional[Iterable[Any]]) -> None:
    kept = _kept(owner)
    used = kept.kernels.get(node) if kernel is None else kernel
    if used is None and args is not None:
        _cucore._set_kernel(owner, node, None, False, None, None)  # refuses other mistakes first
        raise TypeError(f"node {node} was not added by Graph.kernel(), so its arguments need their kernel: "
                        "update(kernel=..., config=..., args=...)")
    own, objects = _cucore._set_kernel(owner, node, used, kernel is not None, config, None if args is None else tuple(args))
    if own is not None:
        kept.kernels[node] = own
    if objects is not None:
        kept.objects[node] = objects
    kept.state = None


def _keep_child(owner: Union[Graph, ExecutableGraph], node: int, child: Graph) -> None:
    kept = _kept(owner)
    kept.children[node] = _Kept(_kept(child))
    kept.state = None


def _length(buffer: Buffer, offset: int, length: Optional[int]) -> int:
    """The given length, or the rest of the buffer."""
    return max(buffer.size - offset, 0) if length is None else length


class Node:
    """A node of a graph: a number, and the graph. ``node >> other`` lets another node come after it.

    ``operator.index(node)`` is the number. No other node of the process has it, except for copies in clones of the
    graph.
    """

    __slots__ = ("_graph", "_number")

    def __init__(self, graph: Graph, number: SupportsIndex) -> None:
        self._graph, self._number = graph, index(number)

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph

    def __index__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self._number == other._number

    def __hash__(self) -> int:
        return hash(self._number)

    def __repr__(self) -> str:
        return f"<cucore.{type(self).__name__} {self._number}>"

    def __rshift__(self, then: _Then) -> _Then:
        others = cast("Iterable[SupportsIndex]", (then,) if isinstance(then, Node) else then)
        for each in others:
            self._graph.add_edge(self, each)
        return then

    def __rrshift__(self, first: Iterable[SupportsIndex]) -> Node:
        for each in first:
            self._graph.add_edge(each, self)
        return self

    @property
    def info(self) -> NodeInfo:
        """The work of the node and its settings."""
        return self._graph.node_info(self)

    @property
    def kind(self) -> NodeKind:
        """The work of the node."""
        return self.info.kind

    @property
    def label(self) -> str:
        """The label, which messages and Graph.dot() contain. It can be set; "" is none."""
        return self.info.label

    @label.setter
    #: cucore_graph_set_label
    def label(self, text: str) -> None:
        self._graph._set_label(self._number, text)

    @property
    #: cucore_graph_dependencies
    def dependencies(self) -> tuple[Node, ...]:
        """The nodes that it comes directly after."""
        return tuple(Node(self._graph, each) for each in self._graph._dependencies(self._number))

    @property
    #: cucore_graph_dependents
    def dependents(self) -> tuple[Node, ...]:
        """The nodes that come directly after it."""
        return tuple(Node(self._graph, each) for each in self._graph._dependents(self._number))

    @property
    #: cucore_graph_node_event
    def event(self) -> Event:
        """The event that the node records or waits for."""
        return self._graph._node_event(self._number)

    @property
    #: cucore_graph_node_semaphore
    def semaphore(self) -> External:
        """The semaphore that the node signals or waits for."""
        return self._graph._node_semaphore(self._number)

    #: cucore_graph_child
    def body(self, number: int = 0) -> Graph:
        """Returns the graph of a child node or of a conditional node. It can be changed as other graphs can.

        It is InvalidStateError after the node was removed, or another child was set.
        """
        kept = _kept(self._graph)
        return _share(self._graph._body(self._number, number), kept.children.get(self._number, kept))

    #: cucore_graph_remove_node
    def remove(self) -> None:
        """Removes the node with its edges. Executables that exist keep it."""
        self._graph._remove_node(self._number)
        kept = _kept(self._graph)
        kept.kernels.pop(self._number, None)
        kept.objects.pop(self._number, None)
        kept.children.pop(self._number, None)
        kept.state = None

    #: cucore_graph_set_kernel
    def update(self, *, kernel: Optional[Kernel] = None, config: Optional[LaunchConfig] = None,
               args: Optional[Iterable[Any]] = None) -> None:
        """Changes the launch of a kernel node; what is left out stays. Executables that exist keep the launch before.

        After a failure, the node is as before.
        """
        _set_kernel(self._graph, self._number, kernel, config, args)

    #: cucore_graph_set_copy
    def update_copy(self, destination: Buffer, source: Buffer, length: Optional[int] = None, *, offset: int = 0,
                    source_offset: int = 0) -> None:
        """Changes the buffers and the size of a copy. Executables that exist keep the copy before."""
        self._graph._set_copy(self._number, destination, offset, source, source_offset, _length(source, source_offset, length))

    #: cucore_graph_set_copy_box
    def update_copy_box(self, destination: Box, source: Box, width: int, height: int = 1, depth: int = 1) -> None:
        """Gives a copy the boxes and the extent of another. Executables that exist keep the copy before."""
        self._graph._set_copy_box(self._number, *destination, *source, width, height, depth)

    #: cucore_graph_set_fill
    def update_fill(self, buffer: Buffer, data: Bytes, length: Optional[int] = None, *, offset: int = 0) -> None:
        """Changes the range and the pattern of a fill. Executables that exist keep the fill before."""
        self._graph._set_fill(self._number, buffer, offset, _length(buffer, offset, length), data)

    #: cucore_graph_set_event
    def update_event(self, event: Event) -> None:
        """Changes the event that the node records or waits for. Executables that exist keep the event before."""
        self._graph._set_event(self._number, event)

    #: cucore_graph_set_semaphore
    def update_semaphore(self, semaphore: External, value: int = 0) -> None:
        """Changes the semaphore and the value of a node. Executables that exist keep those before."""
        self._graph._set_semaphore(self._number, semaphore, value)

    #: cucore_graph_set_child
    def update_child(self, child: Graph) -> None:
        """Replaces the graph of a child node with a copy of another graph. Executables that exist keep the one before."""
        self._graph._set_child(self._number, child)
        _keep_child(self._graph, self._number, child)


_Then = TypeVar("_Then", bound=Union[Node, Iterable[SupportsIndex]])


class ConditionalNode(Node, Generic[_Entered]):
    """A node that runs one of its graphs, or none, as a condition decides. ``with`` returns the graphs, to fill them."""

    __slots__ = ("_bodies", "_entered")

    def __init__(self, graph: Graph, number: int, count: int) -> None:
        super().__init__(graph, number)
        self._bodies = tuple(self.body(i) for i in range(count))
        self._entered: Any = self._bodies

    @property
    def bodies(self) -> tuple[Graph, ...]:
        """The graphs."""
        return self._bodies

    def __enter__(self) -> _Entered:
        entered: _Entered = self._entered
        return entered

    def __exit__(self, type: Optional[Type[BaseException]], value: Optional[BaseException],
                 traceback: Optional[TracebackType], /) -> None:
        pass


class ExecutableNode:
    """A node of an executable. Its changes are for later launches of this executable alone.

    After a failure, nothing has changed. An array of another library must live until the launches in flight end.
    """

    __slots__ = ("_executable", "_number")

    def __init__(self, executable: ExecutableGraph, number: SupportsIndex) -> None:
        self._executable, self._number = executable, index(number)

    def __index__(self) -> int:
        return self._number

    def __repr__(self) -> str:
        return f"<cucore.ExecutableNode {self._number}>"

    @property
    #: cucore_executable_is_enabled
    def enabled(self) -> bool:
        """Whether launches do the work of a kernel, a copy or a fill. It can be set."""
        return self._executable._is_enabled(self._number)

    @enabled.setter
    #: cucore_executable_set_enabled
    def enabled(self, value: bool) -> None:
        self._executable._set_enabled(self._number, int(bool(value)))

    #: cucore_executable_set_kernel
    def update(self, *, kernel: Optional[Kernel] = None, config: Optional[LaunchConfig] = None,
               args: Optional[Iterable[Any]] = None) -> None:
        """Changes the launch of a kernel node; what is left out stays. Cluster, cooperative and priority cannot change."""
        _set_kernel(self._executable, self._number, kernel, config, args)

    #: cucore_executable_set_copy
    def update_copy(self, destination: Buffer, source: Buffer, length: Optional[int] = None, *, offset: int = 0,
                    source_offset: int = 0) -> None:
        """Changes the buffers and the size of a copy."""
        self._executable._set_copy(self._number, destination, offset, source, source_offset,
                                   _length(source, source_offset, length))

    #: cucore_executable_set_copy_box
    def update_copy_box(self, destination: Box, source: Box, width: int, height: int = 1, depth: int = 1) -> None:
        """Gives a copy the boxes and the extent of another. Drivers accept only copies of one row, before and after."""
        self._executable._set_copy_box(self._number, *destination, *source, width, height, depth)

    #: cucore_executable_set_fill
    def update_fill(self, buffer: Buffer, data: Bytes, length: Optional[int] = None, *, offset: int = 0) -> None:
        """Changes the range and the pattern of a fill."""
        self._executable._set_fill(self._number, buffer, offset, _length(buffer, offset, length), data)

    #: cucore_executable_set_event
    def update_event(self, event: Event) -> None:
        """Changes the event that the node records or waits for."""
        self._executable._set_event(self._number, event)

    #: cucore_executable_set_semaphore
    def update_semaphore(self, semaphore: External, value: int = 0) -> None:
        """Changes the semaphore and the value of a node."""
        self._executable._set_semaphore(self._number, semaphore, value)

    #: cucore_executable_set_child
    def update_child(self, child: Graph) -> None:
        """Gives the work of another graph, which has the same shape, to a child node."""
        self._executable._set_child(self._number, child)
        _keep_child(self._executable, self._number, child)


#: cucore_graph_add_kernel
@member(Graph, "kernel")
def graph_kernel(self: Graph, kernel: Kernel, config: LaunchConfig, /, *args: Any, after: After = None) -> Node:
    """Adds a node that launches a kernel. Arguments are converted and checked as by ``launch``.

    The graph keeps the kernel and the arguments. An array of another library is ready for the default stream of the
    device at this call.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    # This is for the first node of a graph: the extension does the same for the others in less time.
    kept = _kept(self)
    number = _cucore._add_kernel(self, after, kernel, config, args, kept.kernels, kept.objects, kept.reused)
    kept.state = None
    return Node(self, number)


#: cucore_graph_add_copy
@member(Graph, "copy")
def graph_copy(self: Graph, destination: Buffer, source: Buffer, length: Optional[int] = None, *, offset: int = 0,
               source_offset: int = 0, after: After = None) -> Node:
    """Adds a node that copies bytes from one buffer to another, or within one. Without a length, it copies the rest of the
    source.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    return Node(self, self._add_copy(after, destination, offset, source, source_offset,
                                     _length(source, source_offset, length)))


#: cucore_graph_add_fill
@member(Graph, "fill")
def graph_fill(self: Graph, buffer: Buffer, data: Bytes, length: Optional[int] = None, *, offset: int = 0,
               after: After = None) -> Node:
    """Adds a node that fills bytes of a buffer with a pattern of 1, 2, 4 or 8 bytes. Without a length, it fills the rest.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    return Node(self, self._add_fill(after, buffer, offset, _length(buffer, offset, length), data))


#: cucore_graph_add_value
@member(Graph, "write_value")
def graph_write_value(self: Graph, buffer: Buffer, offset: int, value: int, size: int, *, after: After = None) -> Node:
    """Adds a node that writes a word of 4 or 8 bytes, as Stream.write_value() does.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    return Node(self, self._add_value(after, buffer, offset, value, size, 0))


@member(Graph, "wait_value")
def graph_wait_value(self: Graph, buffer: Buffer, offset: int, value: int, size: int, comparison: Comparison, *,
                     after: After = None) -> Node:
    """Adds a node that waits until a word of 4 or 8 bytes has a value, as Stream.wait_value() does.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    return Node(self, self._add_value(after, buffer, offset, value, size, int(comparison)))


#: cucore_graph_add_buffer
@member(Graph, "buffer")
def graph_buffer(self: Graph, length: int, *, peers: Iterable[Device] = (), after: After = None) -> tuple[Buffer, Node]:
    """Adds a node that allocates memory at each launch, always at one address. Returns the buffer and the node.

        buffer, node = graph.buffer(1024)
        last = graph.fill(buffer, b"\\0", after=node)
        graph.free(buffer, after=last)

    Memory that no node frees stays allocated after the launch, until the last reference to the buffer is gone. The next
    launch must come later, or belong to an executable with free_on_launch. Kernels of ``peers`` may use the memory too.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    ordinals = 0
    for peer in peers:
        ordinals |= 1 << peer.ordinal
    buffer = self._add_buffer(after, length, ordinals)
    return buffer, Node(self, _cucore.allocation_of(self, buffer))


#: cucore_graph_add_free
@member(Graph, "free")
def graph_free(self: Graph, buffer: Buffer, *, after: After = None) -> Node:
    """Adds a node that frees memory of a graph, this one or another. Work that uses the memory must come before it.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    return Node(self, self._free(after, buffer))


#: cucore_graph_add_semaphore
@member(Graph, "signal_semaphore")
def graph_signal_semaphore(self: Graph, semaphore: External, value: int = 0, *, after: After = None) -> Node:
    """Adds a node that signals a semaphore of another library at each launch. ``value`` is the number of a timeline.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    return Node(self, self._add_semaphore(after, semaphore, value, 1))


@member(Graph, "wait_semaphore")
def graph_wait_semaphore(self: Graph, semaphore: External, value: int = 0, *, after: After = None) -> Node:
    """Adds a node that waits for a semaphore of another library. ``value`` is the least number of a timeline.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    return Node(self, self._add_semaphore(after, semaphore, value, 0))


#: cucore_graph_add_record
@member(Graph, "record")
def graph_record(self: Graph, event: Event, *, after: After = None) -> Node:
    """Adds a node that records an event at each launch.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    return Node(self, self._record(after, event))


#: cucore_graph_add_wait
@member(Graph, "wait")
def graph_wait(self: Graph, event: Event, *, after: After = None) -> Node:
    """Adds a node that waits for an event at each launch.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    return Node(self, self._wait(after, event))


#: cucore_graph_add_empty
@member(Graph, "empty")
def graph_empty(self: Graph, *, after: After = None) -> Node:
    """Adds a node that does nothing, to join several nodes and to fork from one.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    return Node(self, self._empty(after))


#: cucore_graph_add_child
@member(Graph, "child")
def graph_child(self: Graph, child: Graph, *, after: After = None) -> Node:
    """Adds a node that runs a copy of another graph, as that graph is now.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    node = self._child(after, child)
    _keep_child(self, node, child)
    return Node(self, node)


#: cucore_graph_add_condition
@member(Graph, "condition")
def graph_condition(self: Graph, value: int = 0, *, reset_at_launch: bool = True) -> int:
    """Adds a condition: a number that kernels of the graph set with cudaGraphSetConditional(), and that decides one node.

    The result is an argument for kernels. With reset_at_launch, each launch begins with the value.
    """
    return self._add_condition(value, int(bool(reset_at_launch)))


def _conditional(graph: Graph, after: After, condition: int, kind: Conditional, count: int) -> ConditionalNode[Any]:
    return ConditionalNode(graph, graph._add_conditional(after, condition, kind, count), count)


#: cucore_graph_add_conditional
@member(Graph, "if_")
def graph_if(self: Graph, condition: int, *, has_else: bool = True, after: After = None) -> ConditionalNode[tuple[Graph, ...]]:
    """Adds a node that runs one graph unless the condition is 0, and another one if it is 0.

        with graph.if_(condition, after=node) as (then, else_):
            then.kernel(...)

    Without has_else, the node has only the first graph, as drivers before CUDA 12.8 need.
    ``after`` is the node, or the nodes, that the new one comes after.
    """
    return _conditional(self, after, condition, Conditional.IF, 2 if has_else else 1)


@member(Graph, "while_")
def graph_while(self: Graph, condition: int, *, after: After = None) -> ConditionalNode[Graph]:
    """Adds a node that runs a graph again and again until the condition is 0.

        with graph.while_(condition, after=node) as body:
            body.kernel(...)

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    node = _conditional(self, after, condition, Conditional.WHILE, 1)
    node._entered = node.bodies[0]
    return node


@member(Graph, "switch")
def graph_switch(self: Graph, condition: int, count: int, *, after: After = None) -> ConditionalNode[tuple[Graph, ...]]:
    """Adds a node with so many graphs. It runs the one at the index that the condition is, or none.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    return _conditional(self, after, condition, Conditional.SWITCH, count)


#: cucore_graph_add_edge
@member(Graph, "add_edge")
def graph_add_edge(self: Graph, first: SupportsIndex, then: SupportsIndex, *, programmatic: bool = False) -> None:
    """Lets a node come after another, as ``first >> then`` does.

    If ``programmatic``, the second kernel may begin before the first has ended.
    """
    self._add_edge(first, then, int(bool(programmatic)))


#: cucore_graph_node_at
@member(Graph, "nodes", property)
def graph_nodes(self: Graph) -> tuple[Node, ...]:
    """The nodes, in the order of adding."""
    return tuple(Node(self, self._node_at(i)) for i in range(self.node_count))


#: cucore_graph_node_query
@member(Graph, "node_info")
def graph_node_info(self: Graph, node: SupportsIndex) -> NodeInfo:
    """Reads a node."""
    return NodeInfo._make(self._node_info(node))


#: cucore_graph_clone
@member(Graph, "clone")
def graph_clone(self: Graph) -> Graph:
    """Makes a copy of a graph. Nodes have the same numbers and labels in the copy."""
    return _share(self._clone(), _Kept(_kept(self)))


#: cucore_executable_create
@member(Graph, "executable")
def graph_executable(self: Graph, *, free_on_launch: bool = False, device_launch: bool = False, node_priority: bool = False,
                     upload: Optional[Any] = None) -> ExecutableGraph:
    """Makes the graph ready to launch. ``executable(stream)`` launches it, and ``executable[node]`` is a node to change.

    The graph may be changed and closed afterwards; the executable does what the graph was at this call.

    With free_on_launch, a launch first frees what the previous one allocated and left. With device_launch, kernels may
    launch the executable. With node_priority, kernels have the priority of their LaunchConfig, else that of the stream.
    ``upload`` is a stream in which the graph goes to the device now.
    """
    made = ExecutableGraph._of(self, free_on_launch, device_launch, node_priority, upload)
    kept = _Kept(_kept(self))
    kept.order = tuple(self._node_at(i) for i in range(self.node_count))
    kept.state = _kept(self).name_state()
    setattr(made, "_kept", kept)
    return made


#: cucore_executable_update
@member(ExecutableGraph, "update")
def executable_update(self: ExecutableGraph, graph: Graph, /) -> None:
    """Gives the work of a graph to the executable, for later launches.

    The graph needs as many nodes, of the same kinds, with the same edges, added in the same order. After a failure,
    nothing has changed. For the change of one node, see ``executable[node]``.
    """
    self._update(graph)
    kept: Optional[_Kept] = getattr(self, "_kept", None)
    other: Optional[_Kept] = getattr(graph, "_kept", None)
    if kept is None or other is None or kept.state is None or kept.state is not other.state:
        _take_over(_kept(self), graph, _kept(graph))


def _take_over(kept: _Kept, graph: Graph, other: _Kept) -> None:
    """Lets an executable keep what a graph keeps, by its own numbers of the nodes."""
    needs_nodes = other.kernels or other.objects or other.children
    nodes = {graph._node_at(i): own for i, own in enumerate(kept.order)} if needs_nodes else {}
    kept.state = other.name_state()
    kept.kernels = {nodes[each]: kernel for each, kernel in other.kernels.items() if each in nodes}
    kept.objects = {nodes.get(each, each): objects for each, objects in other.objects.items()}
    kept.children = {nodes.get(each, each): _Kept(child) for each, child in other.children.items()}


@member(ExecutableGraph, "node")
def executable_node(self: ExecutableGraph, node: SupportsIndex, /) -> ExecutableNode:
    """A node, to be changed for later launches; the same as ``executable[node]``."""
    return ExecutableNode(self, node)
