// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs: views of one node, lists of nodes, and what is known of a node.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;

namespace Cucore {
/// <summary>A node of a Graph: a number, and the graph.</summary>
public readonly struct GraphNode : IEquatable<GraphNode> {
  /// <summary>The graph.</summary>
  public Graph Graph { get; }
  /// <summary>The number. No other node of the process has it, except for copies in clones of the graph.</summary>
  public ulong Number { get; }

  internal GraphNode(Graph graph, ulong number) {
    Graph = graph;
    Number = number;
  }

  internal static unsafe IReadOnlyList<GraphNode> List(Graph graph, NativeBytes numbers) {
    GraphNode[] all = new GraphNode[(int)numbers.Size.ToUInt64() / sizeof(ulong)];
    for (int i = 0; i < all.Length; ++i) all[i] = new GraphNode(graph, ((ulong*)numbers.Data)[i]);
    return Array.AsReadOnly(all);
  }

  // Of the graph into which a stream is captured. The numbers are read before the next call of the thread.
  internal static unsafe IReadOnlyList<GraphNode> List(CudaStream stream, NativeBytes numbers) {
    byte[] own = numbers.Copy();
    Graph graph = stream.CaptureGraph;
    fixed (byte* data = own) return List(graph, new NativeBytes { Data = (IntPtr)data, Size = numbers.Size });
  }

  /// <summary>Lets another node come after this one.</summary>
  /// <param name="next">the other node</param>
  /// <returns>the other node, for a.Then(b).Then(c)</returns>
  /// <exception cref="InvalidArgumentException">the nodes are the same, the edge exists, or it would close a circle</exception>
  public GraphNode Then(GraphNode next) {
    Graph.AddEdge(this, next);
    return next;
  }

  //: cucore_graph_set_label
  /// <returns>this node</returns>
  public GraphNode WithLabel(string label) {
    Graph.RawSetLabel(this, label ?? throw new ArgumentNullException(nameof(label)));
    return this;
  }

  //: cucore_graph_node_query
  public NodeInfo Info { get { return Graph.RawNodeInfo(this); } }

  /// <summary>The work of the node.</summary>
  public NodeKind Kind { get { return Info.Kind; } }

  /// <summary>The label, which messages and Graph.Dot() contain; "" without one.</summary>
  public string Label { get { return Info.Label; } }

  //: cucore_graph_dependencies
  public IReadOnlyList<GraphNode> Dependencies { get { return Graph.RawDependencies(this); } }

  //: cucore_graph_dependents
  public IReadOnlyList<GraphNode> Dependents { get { return Graph.RawDependents(this); } }

  //: cucore_graph_node_event
  public CudaEvent Event { get { return Graph.RawNodeEvent(this); } }

  //: cucore_graph_node_semaphore
  public External Semaphore { get { return Graph.RawNodeSemaphore(this); } }

  //: cucore_graph_child
  /// <param name="index">0 for a child</param>
  public Graph Body(int index = 0) { return Graph.RawBody(this, index); }

  //: cucore_graph_remove_node
  public void Remove() { Graph.RawRemoveNode(this); }

  /// <summary>Returns whether the numbers are equal.</summary>
  public bool Equals(GraphNode other) { return Number == other.Number; }
  /// <summary>Returns whether the numbers are equal.</summary>
  public override bool Equals(object? other) { return other is GraphNode that && Equals(that); }
  /// <summary>By the number.</summary>
  public override int GetHashCode() { return Number.GetHashCode(); }
  /// <summary>Returns whether the numbers are equal.</summary>
  public static bool operator ==(GraphNode left, GraphNode right) { return left.Equals(right); }
  /// <summary>Returns whether the numbers differ.</summary>
  public static bool operator !=(GraphNode left, GraphNode right) { return !left.Equals(right); }

  /// <summary>"node 7".</summary>
  public override string ToString() { return "node " + Number; }
}

/// <summary>The nodes that a new one comes after: a node, an array, a list, or none. All convert implicitly.</summary>
public readonly struct GraphNodes {
  private static readonly ulong[] none = { 0 };
  private readonly ulong[]? block;

  // The number of nodes, and the nodes.
  internal ulong[] Block { get { return block ?? none; } }

  /// <summary>The nodes of a sequence.</summary>
  public GraphNodes(IEnumerable<GraphNode> nodes) {
    ulong[] numbers = (nodes ?? throw new ArgumentNullException(nameof(nodes))).Select(each => each.Number).ToArray();
    block = new[] { (ulong)numbers.Length }.Concat(numbers).ToArray();
  }

  private GraphNodes(ulong number) { block = new[] { 1UL, number }; }

  /// <summary>One node.</summary>
  public static implicit operator GraphNodes(GraphNode node) { return new GraphNodes(node.Number); }
  /// <summary>Several nodes.</summary>
  public static implicit operator GraphNodes(GraphNode[] nodes) { return new GraphNodes(nodes); }
  /// <summary>Several nodes.</summary>
  public static implicit operator GraphNodes(List<GraphNode> nodes) { return new GraphNodes(nodes); }

  /// <summary>"2 nodes".</summary>
  public override string ToString() { return Describe.Counted((long)Block[0], "node"); }
}

/// <summary>The settings of a node. Those that its kind does not have are 0 or "".</summary>
public sealed class NodeInfo {
  // cucore_node_info
  [StructLayout(LayoutKind.Sequential)]
  private struct Native {
    internal UIntPtr StructSize;
    internal int Kind, Reserved;
    internal IntPtr Label, Kernel;
    internal Dim3 Grid, Block, Cluster;
    internal uint DynamicShared;
    internal ulong Destination, Source, Size, Pattern, PatternSize, DependencyCount, DependentCount, ToolsId, Event, Handle, Condition;
    internal int Comparison, Reserved0;
    internal ulong Width, Height, Depth, DestinationRowBytes, DestinationSliceRows, SourceRowBytes, SourceSliceRows;
  }

  internal unsafe NodeInfo(IntPtr from) {
    Native read = *(Native*)from;
    Kind = (NodeKind)read.Kind;
    Label = Utf8.Read(read.Label);
    Kernel = Utf8.Read(read.Kernel);
    Grid = read.Grid;
    Block = read.Block;
    Cluster = read.Cluster;
    DynamicShared = read.DynamicShared;
    Destination = read.Destination;
    Source = read.Source;
    Size = (long)read.Size;
    Pattern = read.Pattern;
    PatternSize = (int)read.PatternSize;
    DependencyCount = (long)read.DependencyCount;
    DependentCount = (long)read.DependentCount;
    ToolsId = read.ToolsId;
    Event = read.Event;
    Handle = read.Handle;
    Condition = read.Condition;
    Comparison = (Comparison)read.Comparison;
    Width = (long)read.Width;
    Height = (long)read.Height;
    Depth = (long)read.Depth;
    DestinationRowBytes = (long)read.DestinationRowBytes;
    DestinationSliceRows = (long)read.DestinationSliceRows;
    SourceRowBytes = (long)read.SourceRowBytes;
    SourceSliceRows = (long)read.SourceSliceRows;
  }

  /// <summary>The work of the node.</summary>
  public NodeKind Kind { get; }
  /// <summary>The label.</summary>
  public string Label { get; }
  /// <summary>The name of the kernel.</summary>
  public string Kernel { get; }
  /// <summary>Blocks of the kernel.</summary>
  public Dim3 Grid { get; }
  /// <summary>Threads per block.</summary>
  public Dim3 Block { get; }
  /// <summary>Blocks per cluster; all 0: none, or the kernel's.</summary>
  public Dim3 Cluster { get; }
  /// <summary>Bytes of dynamic shared memory per block.</summary>
  public long DynamicShared { get; }
  /// <summary>The address that a copy or a fill writes.</summary>
  public ulong Destination { get; }
  /// <summary>The address that a copy reads.</summary>
  public ulong Source { get; }
  /// <summary>Bytes of a copy or a fill.</summary>
  public long Size { get; }
  /// <summary>The pattern of a fill; the first byte is the lowest.</summary>
  public ulong Pattern { get; }
  /// <summary>Bytes of the pattern.</summary>
  public int PatternSize { get; }
  /// <summary>How many nodes it comes directly after.</summary>
  public long DependencyCount { get; }
  /// <summary>How many nodes come directly after it.</summary>
  public long DependentCount { get; }
  /// <summary>The number that profilers show for the node; 0: not known.</summary>
  public ulong ToolsId { get; }
  /// <summary>The CUevent that it records or waits for. GraphNode.Event is its object.</summary>
  public ulong Event { get; }
  /// <summary>The CUgraphNode, for other libraries.</summary>
  public ulong Handle { get; }
  /// <summary>The condition of a conditional node.</summary>
  public ulong Condition { get; }
  /// <summary>The comparison of a node that waits for a word; 0 for one that writes.</summary>
  public Comparison Comparison { get; }
  /// <summary>Bytes per row of the box that a copy copies; Size without a box.</summary>
  public long Width { get; }
  /// <summary>Rows per slice of the box; 1 without a box.</summary>
  public long Height { get; }
  /// <summary>Slices of the box; 1 without a box.</summary>
  public long Depth { get; }
  /// <summary>Bytes from a row of the destination to the next; 0: no box.</summary>
  public long DestinationRowBytes { get; }
  /// <summary>Rows from a slice of the destination to the next; 0: no box.</summary>
  public long DestinationSliceRows { get; }
  /// <summary>Bytes from a row of the source to the next; 0: no box.</summary>
  public long SourceRowBytes { get; }
  /// <summary>Rows from a slice of the source to the next; 0: no box.</summary>
  public long SourceSliceRows { get; }

  //: described
}
}
