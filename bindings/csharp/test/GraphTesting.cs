// SPDX-License-Identifier: Apache-2.0
// Common parts of the tests of graphs: a graph with a stream and a number, the contents of memory, the numbers of nodes.
using System;
using System.Collections.Generic;
using System.Linq;
using Cucore;

internal static class GraphTesting {
  internal static readonly LaunchConfig One = new LaunchConfig(1, 1);

  // A graph, a stream, and a number in managed memory.
  internal sealed class Bench : IDisposable {
    internal readonly CudaStream Stream = World.Stream();
    internal readonly Graph Graph = new Graph(World.Device);
    internal readonly Kernel Add = World.GraphCode.GetKernel("add"), Mul = World.GraphCode.GetKernel("mul");
    internal readonly CudaBuffer X = CudaBuffer.Managed(World.Device, 4);

    internal Bench(float value = 0) { Value = value; }

    internal float Value { get { return Of(X); } set { Set(X, value); } }

    internal void Run(ExecutableGraph executable) {
      executable.Launch(Stream);
      Stream.Synchronize();
    }

    internal void Run() {
      using (ExecutableGraph executable = Graph.Executable()) Run(executable);
    }

    public void Dispose() {
      X.Dispose();
      Add.Dispose();
      Mul.Dispose();
      Graph.Dispose();
      Stream.Dispose();
    }
  }

  internal static unsafe float Of(CudaBuffer x) { return *(float*)x.HostPointer; }
  internal static unsafe void Set(CudaBuffer x, float value) { *(float*)x.HostPointer = value; }
  internal static unsafe byte[] Bytes(CudaBuffer x) { return new ReadOnlySpan<byte>((void*)x.HostPointer, (int)x.Size).ToArray(); }
  internal static string Numbers(IEnumerable<GraphNode> nodes) {
    return string.Join(" ", nodes.Select(each => each.Number));
  }
  internal static string Numbers(params GraphNode[] nodes) { return Numbers((IEnumerable<GraphNode>)nodes); }
  internal static void Ignore(object value) {}
}
