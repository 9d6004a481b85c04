// SPDX-License-Identifier: Apache-2.0
// Graphs: the members that add nodes, and those that change them.
using System;
using System.Collections.Generic;

namespace Cucore {
public partial class Graph {
  private int ordinal = -1;  // its device's, once it was read

  //: cucore_graph_add_kernel
  /// <param name="after">the nodes that the new one comes after: a node, several, or default(GraphNodes) for none</param>
  /// <param name="config">the grid, the block and the rest</param>
  /// <param name="arguments">one per parameter, in order, as for Kernel.Launch</param>
  /// <exception cref="System.ObjectDisposedException">an argument is a buffer that was disposed</exception>
  public GraphNode Kernel(GraphNodes after, Kernel kernel, in LaunchConfig config, params Arg[] arguments) {
    if (kernel == null) throw new ArgumentNullException(nameof(kernel));
    ulong node = 0;
    IntPtr graph = owned.Enter();
    try {
      kernel.CallForNode(Opened, ref ordinal, config, arguments, (of, block, size) => node = CucoreNativePINVOKE.AddKernel(graph, after.Block, of, block, size));
    } finally {
      owned.Leave();
    }
    return new GraphNode(this, node);
  }

  //: cucore_graph_add_kernel
  /// <param name="config">the grid, the block and the rest</param>
  /// <param name="arguments">one per parameter, in order, as for Kernel.Launch</param>
  /// <exception cref="System.ObjectDisposedException">an argument is a buffer that was disposed</exception>
  public GraphNode Kernel(Kernel kernel, in LaunchConfig config, params Arg[] arguments) {
    return Kernel(default(GraphNodes), kernel, config, arguments);
  }

  //: cucore_graph_add_copy
  /// <param name="length">in bytes; by default all of source from sourceOffset on</param>
  /// <param name="offset">in bytes, in the destination</param>
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode Copy(CudaBuffer destination, CudaBuffer source, long? length = null, long offset = 0, long sourceOffset = 0, GraphNodes after = default(GraphNodes)) {
    return RawAddCopy(after, destination, offset, source, sourceOffset, NodeRange.Of(source, nameof(source), sourceOffset, length));
  }

  //: cucore_graph_add_fill
  /// <param name="pattern">a value of 1, 2, 4 or 8 bytes without references</param>
  /// <param name="length">in bytes; by default up to the end</param>
  /// <param name="offset">in bytes, a multiple of the size of the pattern</param>
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode Fill<T>(CudaBuffer buffer, T pattern, long offset = 0, long? length = null, GraphNodes after = default(GraphNodes)) where T : unmanaged {
    long size = NodeRange.Of(buffer, nameof(buffer), offset, length);
    GraphNode node = default(GraphNode);
    NodeRange.WithPattern(pattern, (bytes, count) => node = RawAddFill(after, buffer, offset, size, bytes, count));
    return node;
  }

  //: cucore_graph_add_buffer
  /// <param name="length">in bytes, at least 1</param>
  /// <param name="after">the nodes that the new one comes after</param>
  /// <param name="peers">further devices whose kernels may use the memory</param>
  /// <returns>the buffer; AllocationOf is its node</returns>
  public CudaBuffer Buffer(long length, GraphNodes after = default(GraphNodes), IEnumerable<CudaDevice>? peers = null) {
    ulong ordinals = 0;
    if (peers != null) {
      foreach (CudaDevice each in peers) ordinals |= 1UL << each.Ordinal;
    }
    return RawAddBuffer(after, Checked.NotNegative(length, nameof(length)), ordinals);
  }

  /// <summary>The node that allocates the memory of a buffer.</summary>
  /// <param name="buffer">of Buffer()</param>
  public GraphNode AllocationOf(CudaBuffer buffer) { return RawAllocationOf(buffer); }

  //: cucore_graph_add_free
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode Free(CudaBuffer buffer, GraphNodes after = default(GraphNodes)) { return RawFree(after, buffer); }

  //: cucore_graph_add_semaphore
  /// <param name="value">the new number of a timeline; a binary semaphore ignores it</param>
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode SignalSemaphore(External semaphore, ulong value = 0, GraphNodes after = default(GraphNodes)) {
    return RawAddSemaphore(after, semaphore, value, 1);
  }

  //: cucore_graph_add_semaphore
  /// <param name="value">the least number of a timeline; a binary semaphore ignores it</param>
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode WaitSemaphore(External semaphore, ulong value = 0, GraphNodes after = default(GraphNodes)) {
    return RawAddSemaphore(after, semaphore, value, 0);
  }

  //: cucore_graph_add_value
  /// <param name="value">the value to write</param>
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode WriteValue(CudaBuffer buffer, long offset, ulong value, long size, GraphNodes after = default(GraphNodes)) {
    return RawAddValue(after, buffer, offset, value, size, 0);
  }

  //: cucore_graph_add_value
  /// <param name="value">the value to compare the word with</param>
  /// <param name="comparison">the comparison that ends the wait</param>
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode WaitValue(CudaBuffer buffer, long offset, ulong value, long size, Comparison comparison, GraphNodes after = default(GraphNodes)) {
    return RawAddValue(after, buffer, offset, value, size, (int)comparison);
  }

  /// <summary>Adds a node that runs a function at each launch, as CudaStream.LaunchHost does. The nodes after it
  /// begin when the function has returned. The graph keeps it.</summary>
  /// <param name="function">the function</param>
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode Host(Action function, GraphNodes after = default(GraphNodes)) {
    if (function == null) throw new ArgumentNullException(nameof(function));
    GraphNode node = default(GraphNode);
    HostFunctions.Add(function, this, (queue, token) => node = AddHostQueued(after, queue, token, 1));
    return node;
  }

  //: cucore_graph_add_record
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode Record(CudaEvent @event, GraphNodes after = default(GraphNodes)) { return RawRecord(after, @event); }

  //: cucore_graph_add_wait
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode Wait(CudaEvent @event, GraphNodes after = default(GraphNodes)) { return RawWait(after, @event); }

  //: cucore_graph_add_empty
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode Empty(GraphNodes after = default(GraphNodes)) { return RawEmpty(after); }

  //: cucore_graph_add_child
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode Child(Graph child, GraphNodes after = default(GraphNodes)) { return RawChild(after, child); }

  //: cucore_graph_add_condition
  /// <param name="value">the number at the launch, if it is reset</param>
  /// <param name="resetAtLaunch">whether each launch begins with the value, and not with the number of the last one</param>
  public ulong Condition(uint value = 0, bool resetAtLaunch = true) { return RawAddCondition(value, resetAtLaunch ? 1 : 0); }

  //: cucore_graph_add_conditional
  /// <summary>Adds a node with one graph, or with two. It runs GraphNode.Body(0) unless the condition is 0, and Body(1) if it is 0.</summary>
  /// <param name="condition">of Condition() for this graph</param>
  /// <param name="hasElse">whether there are two graphs, which drivers before CUDA 12.8 do not have</param>
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode If(ulong condition, bool hasElse = true, GraphNodes after = default(GraphNodes)) {
    return RawAddConditional(after, condition, Conditional.If, hasElse ? 2 : 1);
  }

  /// <summary>Adds a node that runs GraphNode.Body() again and again until the condition is 0.</summary>
  /// <param name="condition">of Condition() for this graph</param>
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode While(ulong condition, GraphNodes after = default(GraphNodes)) {
    return RawAddConditional(after, condition, Conditional.While, 1);
  }

  /// <summary>Adds a node with several graphs. It runs the one at the index that the condition is, or none.</summary>
  /// <param name="condition">of Condition() for this graph</param>
  /// <param name="count">of graphs, at least 1; drivers before CUDA 12.8 do not have this</param>
  /// <param name="after">the nodes that the new one comes after</param>
  public GraphNode Switch(ulong condition, int count, GraphNodes after = default(GraphNodes)) {
    return RawAddConditional(after, condition, Conditional.Switch, Checked.NotNegative(count, nameof(count)));
  }

  //: cucore_graph_add_edge
  /// <param name="programmatic">whether the second kernel may begin before the first has ended</param>
  public void AddEdge(GraphNode first, GraphNode then, bool programmatic = false) { RawAddEdge(first, then, programmatic ? 1 : 0); }

  //: cucore_graph_set_kernel
  /// <param name="kernel">the kernel, also the one before</param>
  /// <param name="config">all options</param>
  /// <param name="arguments">one per parameter, in order, as for Kernel.Launch</param>
  public void SetKernel(GraphNode node, Kernel kernel, in LaunchConfig config, params Arg[] arguments) {
    NodeChange.Kernel(owned.Enter, owned.Leave, Opened, ref ordinal, false, node, kernel, config, true, arguments);
  }

  //: cucore_graph_set_kernel
  /// <param name="kernel">the kernel of the node. It is replaced if it is another one</param>
  /// <param name="arguments">one per parameter, in order, as for Kernel.Launch</param>
  public void SetArguments(GraphNode node, Kernel kernel, params Arg[] arguments) {
    NodeChange.Kernel(owned.Enter, owned.Leave, Opened, ref ordinal, false, node, kernel, NodeChange.NoConfig, false, arguments);
  }

  //: cucore_graph_set_kernel
  /// <param name="config">all options; the kernel and its arguments stay</param>
  public void SetConfig(GraphNode node, in LaunchConfig config) { NodeChange.Config(owned.Enter, owned.Leave, false, node, config); }

  private CudaDevice Opened() { return Device; }

  //: cucore_graph_set_copy
  /// <param name="length">in bytes; by default all of source from sourceOffset on</param>
  /// <param name="offset">in bytes, in the destination</param>
  public void SetCopy(GraphNode node, CudaBuffer destination, CudaBuffer source, long? length = null, long offset = 0, long sourceOffset = 0) {
    RawSetCopy(node, destination, offset, source, sourceOffset, NodeRange.Of(source, nameof(source), sourceOffset, length));
  }

  //: cucore_graph_set_fill
  /// <param name="pattern">a value of 1, 2, 4 or 8 bytes without references</param>
  /// <param name="length">in bytes; by default up to the end</param>
  /// <param name="offset">in bytes, a multiple of the size of the pattern</param>
  public void SetFill<T>(GraphNode node, CudaBuffer buffer, T pattern, long offset = 0, long? length = null) where T : unmanaged {
    long size = NodeRange.Of(buffer, nameof(buffer), offset, length);
    NodeRange.WithPattern(pattern, (bytes, count) => RawSetFill(node, buffer, offset, size, bytes, count));
  }

  //: cucore_graph_node_at
  /// <summary>The nodes, in the order of adding.</summary>
  public IReadOnlyList<GraphNode> Nodes {
    get {
      GraphNode[] all = new GraphNode[NodeCount];
      for (int i = 0; i < all.Length; ++i) all[i] = RawNodeAt(i);
      return Array.AsReadOnly(all);
    }
  }

  //: cucore_graph_dot
  public string Dot(uint details = 0) { return RawDot(details); }

  //: cucore_executable_create
  /// <param name="freeOnLaunch">whether a launch first frees what the previous one allocated and left</param>
  /// <param name="deviceLaunch">whether kernels may launch it</param>
  /// <param name="nodePriority">whether kernels have the priority of their options, and not the stream's</param>
  /// <param name="upload">the stream in which the graph goes to the device now; null: with the first launch</param>
  /// <returns>the executable</returns>
  public ExecutableGraph Executable(bool freeOnLaunch = false, bool deviceLaunch = false, bool nodePriority = false, CudaStream? upload = null) {
    CheckAlive();
    return ExecutableGraph.RawOf(this, freeOnLaunch, deviceLaunch, nodePriority, upload);
  }
}

// Ranges of buffers, and patterns, as copies and fills need them.
internal static class NodeRange {
  // The given length, or the rest of the buffer.
  internal static long Of(CudaBuffer buffer, string name, long offset, long? length) {
    if (buffer == null) throw new ArgumentNullException(name);
    return length ?? Math.Max(0, buffer.Size - Checked.NotNegative(offset, nameof(offset)));
  }

  internal static unsafe void WithPattern<T>(T pattern, Action<IntPtr, long> call) where T : unmanaged {
    fixed (byte* first = &System.Runtime.InteropServices.MemoryMarshal.GetReference(Unmanaged<T>.First(new[] { pattern })))
      call((IntPtr)first, Unmanaged<T>.Size);
  }
}

// Changes of kernel nodes, in a graph or in an executable.
internal static class NodeChange {
  internal static readonly LaunchConfig NoConfig = new LaunchConfig(1, 1);  // the head of a block without options

  internal static void Kernel(Func<IntPtr> enter, Action leave, Func<CudaDevice> open, ref int ordinal, bool isExecutable, GraphNode node,
                              Kernel kernel, in LaunchConfig config, bool hasConfig, Arg[] arguments) {
    if (kernel == null) throw new ArgumentNullException(nameof(kernel));
    IntPtr graph = enter();
    try {
      kernel.CallForNode(open, ref ordinal, config, arguments, (of, block, size) => CucoreNativePINVOKE.SetKernel(graph, isExecutable ? 1 : 0, node.Number, of, hasConfig ? 1 : 0, block, size));
    } finally {
      leave();
    }
  }

  internal static unsafe void Config(Func<IntPtr> enter, Action leave, bool isExecutable, GraphNode node, in LaunchConfig config) {
    HeldBuffers held = default(HeldBuffers);
    IntPtr graph = enter();
    try {
      fixed (byte* block = new byte[LaunchConfig.HeadSize + LaunchConfig.TailSize(config)]) {
        byte* to = held.WriteTail(LaunchConfig.TailOf(config), LaunchConfig.Write(config, block, 0));
        CucoreNativePINVOKE.SetKernel(graph, isExecutable ? 1 : 0, node.Number, IntPtr.Zero, 1, (IntPtr)block, (IntPtr)(to - block));
      }
      CucoreNativePINVOKE.Check();
    } finally {
      held.Leave();
      leave();
    }
  }
}
}
