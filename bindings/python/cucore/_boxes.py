# SPDX-License-Identifier: Apache-2.0
"""Copies of boxes of one, two or three dimensions."""
from __future__ import annotations

from typing import NamedTuple

from ._cucore import Buffer, Graph, Stream
from ._graphs import After, Node
from ._members import member


class Box(NamedTuple):
    """The corner of a box in a buffer, whose bytes are rows and slices.

    ``offset`` is where row 0 of slice 0 begins. ``row_bytes`` are the bytes from a row to the next.
    ``slice_rows`` are the rows from a slice to the next. Without them, rows and slices have no gaps. The box begins at byte ``x`` of row
    ``y`` of slice ``z``.
    """

    buffer: Buffer
    offset: int = 0
    row_bytes: int = 0
    slice_rows: int = 0
    x: int = 0
    y: int = 0
    z: int = 0


#: cucore_buffer_copy_box
@member(Stream, "copy_box")
def stream_copy_box(self: Stream, destination: Box, source: Box, width: int, height: int = 1, depth: int = 1) -> None:
    """Copies a box between two buffers, in the order of the stream. ``width`` is in bytes.

    The bytes between the rows of the destination stay. The call does not wait.
    """
    self._copy_box(*destination, *source, width, height, depth)


#: cucore_graph_add_copy_box
@member(Graph, "copy_box")
def graph_copy_box(self: Graph, destination: Box, source: Box, width: int, height: int = 1, depth: int = 1, *,
                   after: After = None) -> Node:
    """Adds a node that copies a box, as Stream.copy_box() does.

    ``after`` is the node, or the nodes, that the new one comes after.
    """
    return Node(self, self._add_copy_box(after, *destination, *source, width, height, depth))
