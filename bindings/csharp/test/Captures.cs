// SPDX-License-Identifier: Apache-2.0
// Captures: the work of a stream becomes a graph.
using System;
using System.Collections.Generic;
using System.Linq;
using Cucore;

public static class Captures {
  private static readonly LaunchConfig One = new LaunchConfig(1, 1);
  private static readonly Kernel add = World.GraphCode.GetKernel("add"), mul = World.GraphCode.GetKernel("mul");

  private static unsafe CudaBuffer Number(float value) {
    CudaBuffer x = CudaBuffer.Managed(World.Device, 4);
    *(float*)x.HostPointer = value;
    return x;
  }

  private static unsafe float Of(CudaBuffer x) { return *(float*)x.HostPointer; }

  private static void Run(Graph graph, CudaStream stream) {
    using (ExecutableGraph executable = graph.Executable()) executable.Launch(stream);
    stream.Synchronize();
  }

  public static void BecomeGraphs() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer x = Number(1)) {
      GraphNode first;
      Graph graph;
      using (Capture capture = stream.Capture()) {
        Check.That(stream.IsCapturing && capture.Stream == stream && stream.CaptureNodes.Count == 0);
        add.Launch(stream, One, x, 2f);
        first = stream.CaptureNodes.Single();
        mul.Launch(stream, One, x, 10f);
        Check.Throws<InvalidStateException>(() => stream.Synchronize());
        Check.Throws<InvalidStateException>(() => x.Read(new float[1], stream));
        Check.Equal(2, capture.Graph.NodeCount);
        Check.Contains("capture of stream 0x", capture.ToString());
        graph = capture.End();
        Check.Contains(", ended", capture.ToString());
      }
      Check.Equal(false, stream.IsCapturing);
      Check.Equal(1, Of(x));
      Check.Equal(NodeKind.Kernel, first.Kind);
      Check.Same(graph.Nodes.OrderBy(each => each.Number), new[] { first, first.Dependents.Single() }.OrderBy(each => each.Number));
      using (graph)
      using (ExecutableGraph executable = graph.Executable()) {
        executable.Launch(stream);
        stream.Synchronize();
        Check.Equal(30, Of(x));
        executable.SetKernel(first, add, One, x, 1f);
        executable.SetArguments(first, add, x, 3f);
        executable.Launch(stream);
        stream.Synchronize();
        Check.Equal(330, Of(x));
      }
    }
  }

  // Buffers of captured launches are objects, which the graph keeps.
  public static void KeepTheirBuffers() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer x = Number(1)) {
      CudaBuffer hidden = Number(0);
      using (CudaBuffer alias = CudaBuffer.FromNative(World.Device, hidden.Address, 4))
      using (Capture capture = stream.Capture()) {
        hidden.Fill(0, stream);
        add.Launch(stream, One, hidden, 5f);
        x.CopyFrom(alias, stream, 4);
        hidden.Dispose();
        using (Graph graph = capture.End()) {
          for (int i = 0; i < 100; ++i) Number(1000).Dispose();  // over its old place, if it was freed
          World.Collect();
          Run(graph, stream);
        }
      }
      Check.Equal(5, Of(x));
    }
  }

  public static void ForksAreJoined() {
    using (CudaStream another = World.Stream())
    using (CudaBuffer x = Number(1), y = Number(1)) {
      Graph graph;
      CudaStream stream;
      using (Capture capture = World.Device.Capture()) {
        stream = capture.Stream;
        add.Launch(stream, One, x, 1f);
        using (Fork fork = capture.Fork(2)) {
          Check.That(fork.Streams[1] == fork[1]);
          Check.Contains("into 2 streams", fork.ToString());
          mul.Launch(fork[0], One, x, 5f);
          mul.Launch(fork[1], One, y, 7f);
          IReadOnlyList<CudaStream> forks = fork.Streams;
          fork.Dispose();
          Check.That(forks.All(each => each.IsDisposed));
        }  // again
        add.Launch(stream, One, y, 1f);
        graph = capture.End();
      }
      Check.Equal(true, stream.IsDisposed);
      Check.Equal(4, graph.NodeCount);
      GraphNode first = graph.Nodes.Single(each => each.Dependencies.Count == 0), last = graph.Nodes.Single(each => each.Dependents.Count == 0);
      foreach (GraphNode node in graph.Nodes.Where(each => each != first && each != last))
        Check.That(node.Dependencies.Single() == first && node.Dependents.Single() == last);
      Run(graph, another);
      Check.Equal("10 8", $"{Of(x)} {Of(y)}");
      graph.Dispose();
    }
  }

  public static void ForkIntoOneStreamOrNone() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer x = Number(1)) {
      using (Capture capture = stream.Capture()) {
        add.Launch(stream, One, x, 1f);
        CudaStream only;
        using (Fork fork = capture.Fork(1)) {
          only = fork.Streams.Single();
          Check.Contains("into 1 stream", fork.ToString());
          mul.Launch(only, One, x, 5f);
        }
        Check.That(only.IsDisposed);
        using (Fork none = capture.Fork(0)) {
          Check.Equal(0, none.Streams.Count);
          Check.Contains("into 0 streams", none.ToString());
        }
        add.Launch(stream, One, x, 1f);
        using (Graph graph = capture.End()) {
          Check.Equal(3, graph.NodeCount);
          Run(graph, stream);
        }
      }
      Check.Equal(11, Of(x));
    }
  }

  public static void ContinueGraphs() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer x = Number(1))
    using (Graph graph = new Graph(World.Device)) {
      GraphNode first = graph.Kernel(add, One, x, 1f), last = graph.Empty();
      using (Capture capture = stream.Capture(CaptureMode.Thread, graph, first)) {
        Check.That(ReferenceEquals(graph, capture.Graph));
        Check.Equal(first, stream.CaptureNodes.Single());
        mul.Launch(stream, One, x, 10f);
        stream.SetCaptureNodes(stream.CaptureNodes.Concat(new[] { last }).ToList());
        mul.Launch(stream, One, x, 2f);
        Check.That(ReferenceEquals(graph, capture.End()));
      }
      Check.Equal(first, graph.Nodes[2].Dependencies.Single());
      Check.Same(new[] { last, graph.Nodes[2] }.OrderBy(each => each.Number), graph.Nodes[3].Dependencies.OrderBy(each => each.Number));
      Run(graph, stream);
      Check.Equal(40, Of(x));
    }
  }

  public static void ExceptionsDropThem() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer x = Number(1)) {
      Check.Throws<DivideByZeroException>(() => {
        using (stream.Capture()) {
          add.Launch(stream, One, x, 1f);
          throw new DivideByZeroException();
        }
      });
      Check.Equal(false, stream.IsCapturing);
      Check.Throws<InvalidStateException>(() => { using (stream.Capture()) using (stream.Capture()) {} });
      Check.Equal(false, stream.IsCapturing);
      string message = Check.Throws<InvalidStateException>(() => {
        using (CudaStream fork = World.Stream())
        using (Capture capture = stream.Capture(CaptureMode.Process)) {
          fork.WaitStream(stream);
          add.Launch(fork, One, x, 1f);
          capture.End();
        }
      }).Message;
      Check.Contains("not joined", message);
      Check.Contains("CudaStream.WaitStream()", message);
      Check.Throws<ArgumentOutOfRangeException>(() => { using (Capture capture = stream.Capture()) capture.Fork(-1); });
      Capture dropped = stream.Capture();
      dropped.Dispose();
      Check.Throws<InvalidStateException>(() => dropped.End());
      Check.Throws<InvalidStateException>(() => Console.Write(dropped.Graph));
      Check.Equal(1, Of(x));
      using (Capture capture = stream.Capture()) {
        add.Launch(stream, One, x, 1f);
        Run(capture.End(), stream);
      }
      Check.Equal(2, Of(x));
    }
  }

  public static void StreamsMayBeDisposedOf() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer x = Number(1)) {
      using (CudaStream own = World.Stream())
      using (own.Capture()) own.Dispose();
      using (Capture capture = stream.Capture()) {
        add.Launch(stream, One, x, 1f);
        Run(capture.End(), stream);
      }
      Check.Equal(2, Of(x));
    }
  }

  public static void EventsActAtEachLaunch() {
    using (CudaStream stream = World.Stream())
    using (CudaEvent recorded = new CudaEvent(World.Device)) {
      using (Capture capture = stream.Capture()) {
        recorded.RecordInGraph(stream);
        stream.WaitInGraph(recorded);
        using (Graph graph = capture.End()) {
          Check.Equal("Record Wait", string.Join(" ", graph.Nodes.Select(each => each.Kind)));
          Run(graph, stream);
        }
      }
      Check.Equal(true, recorded.Query());
    }
  }

  public static void FunctionsAreCaptured() {
    using (CudaStream stream = World.Stream())
    using (Capture capture = stream.Capture()) {
      int ran = 0;
      stream.LaunchHost(() => ++ran);
      using (Graph graph = capture.End()) {
        Check.Equal(0, ran);
        Run(graph, stream);
        Run(graph, stream);
        Check.Equal(2, ran);
      }
    }
  }
}
