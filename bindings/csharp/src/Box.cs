// SPDX-License-Identifier: Apache-2.0
// Copies of boxes of one, two or three dimensions.
using System;

namespace Cucore {
/// <summary>The corner of a box in a buffer, whose bytes are rows and slices.</summary>
public readonly struct Box {
  private readonly CudaBuffer buffer;

  /// <summary>A box. Without distances, rows and slices have no gaps.</summary>
  /// <param name="buffer">the buffer</param>
  /// <param name="offset">bytes before row 0 of slice 0</param>
  /// <param name="rowBytes">bytes from a row to the next; 0: no gaps</param>
  /// <param name="sliceRows">rows from a slice to the next; 0: no gaps</param>
  /// <param name="x">bytes before the box in each row</param>
  /// <param name="y">rows before the box in each slice</param>
  /// <param name="z">slices before the box</param>
  public Box(CudaBuffer buffer, long offset = 0, long rowBytes = 0, long sliceRows = 0, long x = 0, long y = 0, long z = 0) {
    this.buffer = buffer ?? throw new ArgumentNullException(nameof(buffer));
    Offset = Checked.NotNegative(offset, nameof(offset));
    RowBytes = Checked.NotNegative(rowBytes, nameof(rowBytes));
    SliceRows = Checked.NotNegative(sliceRows, nameof(sliceRows));
    X = Checked.NotNegative(x, nameof(x));
    Y = Checked.NotNegative(y, nameof(y));
    Z = Checked.NotNegative(z, nameof(z));
  }

  /// <summary>The buffer.</summary>
  public CudaBuffer Buffer { get { return buffer ?? throw new InvalidOperationException("the box has no buffer; use its constructor"); } }
  /// <summary>Bytes before row 0 of slice 0.</summary>
  public long Offset { get; }
  /// <summary>Bytes from a row to the next; 0: no gaps.</summary>
  public long RowBytes { get; }
  /// <summary>Rows from a slice to the next; 0: no gaps.</summary>
  public long SliceRows { get; }
  /// <summary>Bytes before the box in each row.</summary>
  public long X { get; }
  /// <summary>Rows before the box in each slice.</summary>
  public long Y { get; }
  /// <summary>Slices before the box.</summary>
  public long Z { get; }

  /// <summary>"box at (4, 0, 0)".</summary>
  public override string ToString() { return $"box at ({X}, {Y}, {Z})"; }
}

public partial class CudaStream {
  //: cucore_buffer_copy_box
  /// <param name="width">bytes of a row</param>
  /// <param name="height">rows of a slice</param>
  /// <param name="depth">slices</param>
  public void CopyBox(in Box destination, in Box source, long width, long height = 1, long depth = 1) {
    RawCopyBox(destination.Buffer, destination.Offset, destination.RowBytes, destination.SliceRows, destination.X, destination.Y, destination.Z, source.Buffer, source.Offset, source.RowBytes, source.SliceRows, source.X, source.Y, source.Z, width, height, depth);
  }
}

public partial class Graph {
  //: cucore_graph_add_copy_box
  /// <param name="width">bytes of a row</param>
  /// <param name="height">rows of a slice</param>
  /// <param name="depth">slices</param>
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode CopyBox(in Box destination, in Box source, long width, long height = 1, long depth = 1, GraphNodes after = default(GraphNodes)) {
    return RawAddCopyBox(after, destination.Buffer, destination.Offset, destination.RowBytes, destination.SliceRows, destination.X, destination.Y, destination.Z, source.Buffer, source.Offset, source.RowBytes, source.SliceRows, source.X, source.Y, source.Z, width, height, depth);
  }

  //: cucore_graph_set_copy_box
  /// <param name="width">bytes of a row</param>
  /// <param name="height">rows of a slice</param>
  /// <param name="depth">slices</param>
  public void SetCopyBox(GraphNode node, in Box destination, in Box source, long width, long height = 1, long depth = 1) {
    RawSetCopyBox(node, destination.Buffer, destination.Offset, destination.RowBytes, destination.SliceRows, destination.X, destination.Y, destination.Z, source.Buffer, source.Offset, source.RowBytes, source.SliceRows, source.X, source.Y, source.Z, width, height, depth);
  }
}

public partial class ExecutableGraph {
  //: cucore_executable_set_copy_box
  /// <param name="width">bytes of a row</param>
  /// <param name="height">rows of a slice</param>
  /// <param name="depth">slices</param>
  public void SetCopyBox(GraphNode node, in Box destination, in Box source, long width, long height = 1, long depth = 1) {
    RawSetCopyBox(node, destination.Buffer, destination.Offset, destination.RowBytes, destination.SliceRows, destination.X, destination.Y, destination.Z, source.Buffer, source.Offset, source.RowBytes, source.SliceRows, source.X, source.Y, source.Z, width, height, depth);
  }
}
}
