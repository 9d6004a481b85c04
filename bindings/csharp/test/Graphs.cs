// SPDX-License-Identifier: Apache-2.0
// Graphs by hand: nodes, edges, conditions, changes, executables, and what they keep.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Cucore;

public static class Graphs {
  private static readonly LaunchConfig One = new LaunchConfig(1, 1);

  // A graph, a stream, and a number in managed memory.
  private sealed class Bench : IDisposable {
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

  private static unsafe float Of(CudaBuffer x) { return *(float*)x.HostPointer; }
  private static unsafe void Set(CudaBuffer x, float value) { *(float*)x.HostPointer = value; }
  private static unsafe byte[] Bytes(CudaBuffer x) { return new ReadOnlySpan<byte>((void*)x.HostPointer, (int)x.Size).ToArray(); }
  private static string Numbers(IEnumerable<GraphNode> nodes) { return string.Join(" ", nodes.Select(each => each.Number)); }
  private static string Numbers(params GraphNode[] nodes) { return Numbers((IEnumerable<GraphNode>)nodes); }

  public static void OrderIsThatOfTheEdges() {
    using (Bench b = new Bench(1)) {
      GraphNode first = b.Graph.Kernel(b.Add, One, b.X, 2f);
      GraphNode second = b.Graph.Kernel(first, b.Mul, One, b.X, 10f);
      GraphNode third = b.Graph.Kernel(default(GraphNodes), b.Add, One, b.X, 5f);
      Check.Equal(third, second.Then(third));
      using (ExecutableGraph executable = b.Graph.Executable()) {
        Check.Equal(1, b.Value);
        b.Run(executable);
        Check.Equal((1 + 2) * 10 + 5, b.Value);
        b.Run(executable);
        Check.Equal((35 + 2) * 10 + 5, b.Value);
      }
      // The other order, from the same nodes.
      b.Graph.RemoveEdge(first, second);
      b.Graph.RemoveEdge(second, third);
      third.Then(second).Then(first);
      b.Value = 1;
      b.Run();
      Check.Equal((1 + 5) * 10 + 2, b.Value);
    }
  }

  public static void EdgesAreReadBack() {
    using (Graph graph = new Graph(World.Device)) {
      GraphNode a = graph.Empty(), b = graph.Empty(), c = graph.Empty();
      GraphNode d = graph.Empty(new[] { a, b });
      Check.Equal(Numbers(a, b, c, d), Numbers(graph.Nodes));
      Check.Equal(Numbers(a, b), Numbers(d.Dependencies));
      Check.Equal(Numbers(d), Numbers(a.Dependents));
      Check.Equal("", Numbers(c.Dependents));
      graph.AddEdge(a, c);
      graph.AddEdge(b, c, programmatic: false);
      Check.Equal(Numbers(a, b), Numbers(c.Dependencies));
      GraphNode e = graph.Empty(c), f = graph.Empty(new List<GraphNode> { c });
      Check.Equal(Numbers(e, f), Numbers(c.Dependents.OrderBy(each => each.Number)));
      Check.Equal(Numbers(a, b), Numbers(graph.Empty(new GraphNodes(graph.Nodes.Take(2))).Dependencies));
      Check.Equal(7, graph.NodeCount);
      Check.Equal(7, graph.Nodes.Select(each => each.Number).Distinct().Count());
      Check.That(graph.Nodes.All(each => each.Number != 0));
      Check.Equal("node " + a.Number, a.ToString());
      Check.Equal("2 nodes", ((GraphNodes)new[] { a, b }).ToString());
      Check.That(a == graph.Nodes[0] && a != b && a.Equals((object)graph.Nodes[0]) && !a.Equals(a.Number) && a.Graph == graph);
      Check.Equal(a.GetHashCode(), graph.Nodes[0].GetHashCode());
    }
  }

  public static void MistakesAboutEdgesAreRefused() {
    using (Graph graph = new Graph(World.Device), other = new Graph(World.Device)) {
      GraphNode a = graph.Empty(), b = graph.Empty();
      a.Then(b);
      Check.Throws<InvalidArgumentException>(() => a.Then(a));
      Check.Throws<InvalidArgumentException>(() => a.Then(b));
      Check.Throws<InvalidArgumentException>(() => b.Then(a));
      Check.Throws<InvalidArgumentException>(() => graph.Empty(new[] { a, a }));
      Check.Throws<InvalidArgumentException>(() => graph.AddEdge(a, graph.Empty(), true));
      Check.Throws<NotFoundException>(() => other.Empty(a));
      Check.Throws<NotFoundException>(() => other.Empty(default(GraphNode)));
      Check.Throws<ArgumentNullException>(() => graph.Empty((GraphNode[])null));
      b.Remove();
      Check.Contains($"node {b.Number} was removed", Check.Throws<NotFoundException>(() => a.Then(b)).Message);
      Check.Equal("", Numbers(a.Dependents));
      Check.That(!graph.Nodes.Contains(b));
    }
  }

  public static void NodesHaveTheirSettings() {
    using (Bench b = new Bench())
    using (CudaBuffer x = new CudaBuffer(World.Device, 64), y = new CudaBuffer(World.Device, 64))
    using (CudaEvent recorded = new CudaEvent(World.Device)) {
      GraphNode kernel = b.Graph.Kernel(b.Add, new LaunchConfig((2, 3), 32) { DynamicShared = 16 }, x, 1f).WithLabel("stage ä");
      NodeInfo info = kernel.Info;
      Check.Equal("Kernel add stage ä", $"{info.Kind} {info.Kernel} {info.Label}");
      Check.Equal("(2, 3, 1) (32, 1, 1) (0, 0, 0) 16", $"{info.Grid} {info.Block} {info.Cluster} {info.DynamicShared}");
      Check.Contains("Kernel=add", info.ToString());
      GraphNode copy = b.Graph.Copy(x, y, 16, 4, 8, kernel);
      info = copy.Info;
      Check.Equal($"Copy {x.Address + 4} {y.Address + 8} 16", $"{info.Kind} {info.Destination} {info.Source} {info.Size}");
      Check.Equal("1 0 1", $"{info.DependencyCount} {info.DependentCount} {kernel.Info.DependentCount}");
      Check.Equal(40, b.Graph.Copy(x, y, sourceOffset: 24).Info.Size);
      GraphNode fill = b.Graph.Fill(x, (ushort)0x0201, 2, 8);
      info = fill.Info;
      Check.Equal($"Fill {x.Address + 2} 8 513 2", $"{info.Kind} {info.Destination} {info.Size} {info.Pattern} {info.PatternSize}");
      Check.Equal(4, b.Graph.Fill(x, 0, 60).Info.Size);
      GraphNode record = b.Graph.Record(recorded);
      Check.Equal("Record Wait", $"{record.Kind} {b.Graph.Wait(recorded, record).Kind}");
      using (CudaEvent same = record.Event) Check.Equal(recorded.Native, same.Native);
      Check.Equal(recorded.Native, record.Info.Event);
      Check.That(record.Info.Handle != 0);
      Check.Throws<InvalidArgumentException>(() => Ignore(fill.Event));
      string text = b.Graph.Dot();
      Check.Contains("stage ä", text);
      Check.Contains("add", text);
      Check.Equal(text, b.Graph.Dot(0));
      kernel.WithLabel("");
      Check.Equal("", kernel.Label);
      Check.That(!b.Graph.Dot().Contains("stage"));
      Check.Throws<ArgumentNullException>(() => kernel.WithLabel(null));
    }
  }

  private static void Ignore(object value) {}

  public static void CopiesAndFillsRun() {
    using (Bench b = new Bench())
    using (CudaBuffer x = CudaBuffer.Managed(World.Device, 8), y = CudaBuffer.Managed(World.Device, 8)) {
      GraphNode fill = b.Graph.Fill(x, (byte)7);
      GraphNode copy = b.Graph.Copy(y, x, after: fill);
      using (ExecutableGraph executable = b.Graph.Executable(upload: b.Stream)) {
        b.Run(executable);
        Check.Same(Enumerable.Repeat((byte)7, 8), Bytes(y));
        executable.SetFill(fill, x, (ushort)0x0201, 0, 4);
        executable.SetCopy(copy, y, x, 4, 4);
        b.Run(executable);
        Check.Same(new byte[] { 7, 7, 7, 7, 1, 2, 1, 2 }, Bytes(y));
        b.Graph.SetFill(fill, x, (byte)3, 0, 2);
        b.Graph.SetCopy(copy, y, x, 2);
        b.Run(executable);  // as it was made and changed
        Check.Same(new byte[] { 7, 7, 7, 7, 1, 2, 1, 2 }, Bytes(y));
      }
      b.Run();
      Check.Same(new byte[] { 3, 3, 7, 7, 1, 2, 1, 2 }, Bytes(y));
      Check.Throws<InvalidArgumentException>(() => b.Graph.SetCopy(copy, y, x, 9));
      Check.Throws<InvalidArgumentException>(() => b.Graph.SetFill(copy, x, (byte)3));
      Check.Throws<ArgumentOutOfRangeException>(() => b.Graph.Copy(y, x, -1));
      Check.Throws<ArgumentOutOfRangeException>(() => b.Graph.Copy(y, x, sourceOffset: -1));
      Check.Throws<ArgumentOutOfRangeException>(() => b.Graph.Fill(x, (byte)1, -1));
      Check.Throws<ArgumentNullException>(() => b.Graph.Copy(y, null));
      Check.Throws<ArgumentNullException>(() => b.Graph.Fill(null, (byte)1));
      Check.Throws<ArgumentNullException>(() => b.Graph.Record(null));
    }
  }

  public static void BoxesAreCopied() {
    using (Bench b = new Bench())
    using (CudaBuffer x = CudaBuffer.Managed(World.Device, 16), y = CudaBuffer.Managed(World.Device, 8)) {
      x.Write(Enumerable.Range(1, 16).Select(i => (byte)i).ToArray(), b.Stream);
      y.Fill((byte)0, b.Stream);
      Box source = new Box(x, rowBytes: 4, sliceRows: 2, x: 1, y: 1, z: 1), target = new Box(y, 1, 3);
      Check.Equal("box at (1, 1, 1)", source.ToString());
      b.Stream.CopyBox(new Box(y), new Box(x, rowBytes: 4, x: 2, y: 1), 2, 2);
      b.Stream.Synchronize();
      Check.Same(new byte[] { 7, 8, 11, 12, 0, 0, 0, 0 }, Bytes(y));
      GraphNode copy = b.Graph.CopyBox(target, source, 2, after: b.Graph.Empty());
      NodeInfo info = copy.Info;
      Check.Equal($"{y.Address + 1} {x.Address + 13} 1", $"{info.Destination} {info.Source} {info.DependencyCount}");
      Check.Equal("2 2 1 1", $"{info.Size} {info.Width} {info.Height} {info.Depth}");
      Check.Equal("3 1 4 2", $"{info.DestinationRowBytes} {info.DestinationSliceRows} {info.SourceRowBytes} {info.SourceSliceRows}");
      using (ExecutableGraph executable = b.Graph.Executable()) {
        b.Run(executable);
        Check.Same(new byte[] { 7, 14, 15, 12, 0, 0, 0, 0 }, Bytes(y));
        executable.SetCopyBox(copy, new Box(y), new Box(x), 3);
        b.Run(executable);
        Check.Same(new byte[] { 1, 2, 3, 12, 0, 0, 0, 0 }, Bytes(y));
        Check.Throws<NotUpdatableException>(() => executable.SetCopyBox(copy, new Box(y), new Box(x), 1, 2));
      }
      b.Graph.SetCopyBox(copy, new Box(y, rowBytes: 4), new Box(x, rowBytes: 8), 1, 2);
      b.Run();
      Check.Same(new byte[] { 1, 2, 3, 12, 9, 0, 0, 0 }, Bytes(y));
      Check.Contains("Box.RowBytes of the source is 1; expected 0 or at least 2",
                     Check.Throws<InvalidArgumentException>(() => b.Stream.CopyBox(new Box(y), new Box(x, rowBytes: 1), 2)).Message);
      Check.Throws<ArgumentNullException>(() => Ignore(new Box(null)));
      Check.Throws<ArgumentOutOfRangeException>(() => Ignore(new Box(x, y: -1)));
      Check.Throws<InvalidOperationException>(() => b.Stream.CopyBox(default(Box), new Box(x), 1));
    }
  }

  public static void EventsAreRecordedAndWaitedFor() {
    using (Bench b = new Bench())
    using (CudaEvent first = new CudaEvent(World.Device, new EventOptions { Timing = true }), second = new CudaEvent(World.Device, new EventOptions { Timing = true })) {
      GraphNode record = b.Graph.Record(first);
      b.Graph.Wait(first, record);
      using (ExecutableGraph executable = b.Graph.Executable()) {
        b.Run(executable);
        Check.Equal(true, first.Query());
        executable.SetEvent(record, second);
        b.Graph.SetEvent(record, second);
        Check.Equal(second.Native, record.Info.Event);
        b.Run(executable);
        Check.Equal(true, second.Query());
      }
    }
  }

  public static void KernelNodesAreChanged() {
    using (Bench b = new Bench(1))
    using (CudaBuffer y = CudaBuffer.Managed(World.Device, 4)) {
      Set(y, 100);
      GraphNode node = b.Graph.Kernel(b.Add, One, b.X, 2f);
      using (ExecutableGraph executable = b.Graph.Executable(), untouched = b.Graph.Executable()) {
        executable.SetArguments(node, b.Add, b.X, 3);
        b.Run(executable);
        Check.Equal(4, b.Value);
        executable.SetArguments(node, b.Mul, b.X, 3f);  // of another kernel
        b.Run(executable);
        Check.Equal(12, b.Value);
        executable.SetKernel(node, b.Mul, One, y, 2.0);
        b.Run(executable);
        Check.Equal("12 200", $"{b.Value} {Of(y)}");
        executable.SetConfig(node, new LaunchConfig(1, 1) { DynamicShared = 8 });
        b.Run(executable);
        Check.Equal(400, Of(y));
        b.Graph.SetKernel(node, b.Add, new LaunchConfig(1, 2) { DynamicShared = 8 }, b.X, 10f);
        Check.Equal("(2, 1, 1) 8", $"{node.Info.Block} {node.Info.DynamicShared}");
        b.Graph.SetConfig(node, One);
        Check.Equal("(1, 1, 1)", $"{node.Info.Block}");
        b.Run(untouched);
        Check.Equal(14, b.Value);
      }
      b.Run();
      Check.Equal(24, b.Value);
      b.Graph.SetArguments(node, b.Add, b.X, 100f);
      b.Run();
      Check.Equal(124, b.Value);
    }
  }

  public static void ArgumentsAreConvertedAndRefusedAsByALaunch() {
    using (Bench b = new Bench()) {
      Check.Contains("argument 0 of kernel add is", Check.Throws<InvalidArgumentException>(() => b.Graph.Kernel(b.Add, One, 1.5, 1f)).Message);
      Check.Contains("kernel add is launched with 1 argument; expected 2", Check.Throws<InvalidArgumentException>(() => b.Graph.Kernel(b.Add, One, b.X)).Message);
      Check.Contains("LaunchConfig.Grid[0] is 0", Check.Throws<InvalidArgumentException>(() => b.Graph.Kernel(b.Add, new LaunchConfig(0, 1), b.X, 1f)).Message);
      Check.Throws<ArgumentNullException>(() => b.Graph.Kernel(null, One, b.X, 1f));
      Check.Throws<ArgumentNullException>(() => b.Graph.Kernel(b.Add, One, (Arg[])null));
      CudaBuffer disposed = new CudaBuffer(World.Device, 4);
      disposed.Dispose();
      Check.Contains("argument 0 of kernel add is a CudaBuffer that was disposed", Check.Throws<ObjectDisposedException>(() => b.Graph.Kernel(b.Add, One, disposed, 1f)).Message);
      CudaEvent gone = new CudaEvent(World.Device);
      gone.Dispose();
      LaunchConfig withEvent = new LaunchConfig(1, 1) { CompletionEvent = gone };
      Check.Throws<ObjectDisposedException>(() => b.Graph.Kernel(b.Add, withEvent, b.X, 1f));
      Check.Equal(0, b.Graph.NodeCount);
      GraphNode node = b.Graph.Kernel(b.Add, One, b.X, 2.0);
      using (ExecutableGraph executable = b.Graph.Executable()) {
        Check.Contains("argument 0 of kernel add is", Check.Throws<InvalidArgumentException>(() => b.Graph.SetArguments(node, b.Add, 1.5, 2f)).Message);
        Check.Contains("argument 0 of kernel add is", Check.Throws<InvalidArgumentException>(() => executable.SetArguments(node, b.Add, 1.5, 2f)).Message);
        Check.Contains("with 1 argument; expected 2", Check.Throws<InvalidArgumentException>(() => executable.SetKernel(node, b.Add, One, b.X)).Message);
        Check.Throws<ObjectDisposedException>(() => b.Graph.SetConfig(node, withEvent));
        Check.Throws<ObjectDisposedException>(() => executable.SetArguments(node, b.Add, disposed, 1f));
        Check.Throws<InvalidArgumentException>(() => b.Graph.SetArguments(b.Graph.Empty(), b.Add, b.X, 1f));
        Check.Throws<ArgumentNullException>(() => executable.SetArguments(node, null, b.X, 1f));
        b.Run(executable);
        Check.Equal(2, b.Value);
      }
    }
  }

  // A buffer given inline lives as long as the graph, its executables and their launches.
  public static void KeepWhatTheyUse() {
    using (Bench b = new Bench()) {
      CudaBuffer hidden = CudaBuffer.Managed(World.Device, 4);
      Kernel own = World.GraphCode.GetKernel("add");
      Graph made = new Graph(World.Device);
      GraphNode node;
      using (CudaBuffer alias = CudaBuffer.FromNative(World.Device, hidden.Address, 4)) {
        node = made.Kernel(made.Fill(hidden, 0), own, One, hidden, 1f);
        made.Copy(b.X, alias, after: node);
        hidden.Dispose();
        own.Dispose();
        for (int i = 0; i < 100; ++i)  // over its old place, if it was freed
          using (CudaBuffer other = CudaBuffer.Managed(World.Device, 4)) Set(other, 1000);
        ExecutableGraph executable = made.Executable();
        made.Dispose();
        World.Collect();
        b.Run(executable);
        Check.Equal(1, b.Value);
        Check.Throws<ObjectDisposedException>(() => made.SetArguments(node, b.Add, b.X, 2f));
        Check.Throws<ObjectDisposedException>(() => Ignore(node.Info));
        Check.Throws<ObjectDisposedException>(() => made.Executable());
        executable.Dispose();
        Check.Throws<ObjectDisposedException>(() => executable.Launch(b.Stream));
        Check.Throws<ObjectDisposedException>(() => executable.SetConfig(node, One));
        Check.Equal("executable, disposed", executable.ToString());
      }
    }
  }

  public static void ChildrenRunAsTheyWere() {
    using (Bench b = new Bench())
    using (Graph inner = new Graph(World.Device)) {
      GraphNode step = inner.Kernel(b.Add, One, b.X, 1f);
      GraphNode child = b.Graph.Child(inner);
      inner.SetArguments(step, b.Add, b.X, 10f);
      using (ExecutableGraph executable = b.Graph.Executable()) {
        b.Run(executable);
        Check.Equal(1, b.Value);
        executable.SetChild(child, inner);
        b.Run(executable);
        Check.Equal(11, b.Value);
      }
      b.Graph.SetChild(child, inner);
      using (Graph body = child.Body()) {
        GraphNode inside = body.Nodes.Single();
        body.SetArguments(inside, b.Add, b.X, 100f);
        b.Run();
        Check.Equal(111, b.Value);
        Check.Equal("add", inside.Info.Kernel);
        Check.Throws<InvalidArgumentException>(() => child.Body(1));
        Check.Throws<ArgumentOutOfRangeException>(() => child.Body(-1));
        Check.That(body.Native != 0);
        child.Remove();
        Check.Throws<InvalidStateException>(() => body.Empty());
        Check.Equal(0UL, body.Native);
      }
    }
  }

  public static void ClonesHaveTheSameNodes() {
    using (Bench b = new Bench()) {
      GraphNode node = b.Graph.Kernel(b.Add, One, b.X, 1f).WithLabel("a");
      using (Graph clone = b.Graph.Clone())
      using (CudaDevice same = clone.Device) {
        Check.Equal(Numbers(b.Graph.Nodes), Numbers(clone.Nodes));
        Check.Equal("a", clone.Nodes[0].Label);
        clone.SetArguments(node, b.Add, b.X, 5f);
        b.Run();
        using (ExecutableGraph executable = clone.Executable()) b.Run(executable);
        Check.Equal(6, b.Value);
        Check.Equal(0, same.Ordinal);
        Check.Equal("graph of 1 node", clone.ToString());
      }
    }
  }

  public static void IfRunsOneOfTwoGraphs() {
    using (Kernel decide = World.GraphCode.GetKernel("decide")) {
      foreach (int decision in new[] { 0, 1, 7 }) {
        using (Bench b = new Bench()) {
          ulong condition = b.Graph.Condition();
          GraphNode first = b.Graph.Kernel(decide, One, condition, decision);
          GraphNode node = b.Graph.If(condition, after: first);
          node.Body(0).Kernel(b.Add, One, b.X, 1f);
          node.Body(1).Kernel(b.Add, One, b.X, 100f);
          Check.Equal(NodeKind.Conditional, node.Kind);
          Check.Equal(Numbers(first), Numbers(node.Dependencies));
          Check.Equal(condition, node.Info.Condition);
          float expected = decision == 0 ? 100 : 1;
          using (ExecutableGraph executable = b.Graph.Executable())
          using (Graph then = node.Body()) {
            b.Run(executable);
            Check.Equal(expected, b.Value);
            then.SetArguments(then.Nodes[0], b.Add, b.X, 50f);
            executable.Update(b.Graph);
            b.Run(executable);
            Check.Equal(expected + (decision == 0 ? 100 : 50), b.Value);
          }
          Check.Equal(1, node.Body(1).NodeCount);
        }
      }
    }
  }

  public static void ConditionsHaveAValueAtEachLaunch() {
    using (Bench b = new Bench())
    using (Kernel decide = World.GraphCode.GetKernel("decide")) {
      ulong condition = b.Graph.Condition(1);
      Graph then = b.Graph.If(condition, hasElse: false).Body();
      then.Kernel(b.Add, One, b.X, 1f);
      then.Kernel(decide, One, condition, 0);
      using (ExecutableGraph executable = b.Graph.Executable()) {
        b.Run(executable);
        b.Run(executable);
      }
      Check.Equal(2, b.Value);
    }
    using (Bench b = new Bench())
    using (Kernel decide = World.GraphCode.GetKernel("decide")) {
      ulong condition = b.Graph.Condition(0, resetAtLaunch: false);
      GraphNode node = b.Graph.If(condition);
      node.Body(0).Kernel(b.Add, One, b.X, 100f);
      node.Body(1).Kernel(b.Add, One, b.X, 1f);
      node.Body(1).Kernel(decide, One, condition, 1);
      using (ExecutableGraph executable = b.Graph.Executable()) {
        b.Run(executable);
        Check.Equal(1, b.Value);
        b.Run(executable);
        Check.Equal(101, b.Value);
      }
    }
  }

  public static void WhileRunsUntilTheConditionIsZero() {
    using (Bench b = new Bench())
    using (CudaBuffer left = CudaBuffer.Managed(World.Device, 4))
    using (Kernel countDown = World.GraphCode.GetKernel("count_down")) {
      unsafe { *(int*)left.HostPointer = 5; }
      ulong condition = b.Graph.Condition(1);
      using (Graph body = b.Graph.While(condition).Body())
        body.Kernel(body.Kernel(b.Add, One, b.X, 2f), countDown, One, condition, left);
      b.Run();
      Check.Equal(10, b.Value);
    }
  }

  public static void SwitchRunsTheGraphAtTheIndex() {
    for (int i = 0; i < 4; ++i) {
      using (Bench b = new Bench()) {
        GraphNode node = b.Graph.Switch(b.Graph.Condition((uint)i), 3);
        for (int k = 0; k < 3; ++k) node.Body(k).Kernel(b.Add, One, b.X, k + 1f);
        b.Run();
        Check.Equal(i == 3 ? 0 : i + 1, b.Value);
      }
    }
  }

  public static void MistakesAboutConditionsAreRefused() {
    using (Graph graph = new Graph(World.Device)) {
      ulong condition = graph.Condition();
      graph.While(condition);
      Check.Throws<InvalidArgumentException>(() => graph.While(condition));
      Check.Throws<InvalidArgumentException>(() => graph.Switch(graph.Condition(), 0));
      Check.Throws<InvalidArgumentException>(() => graph.Switch(graph.Condition(), int.MaxValue));
      Check.Throws<ArgumentOutOfRangeException>(() => graph.Switch(condition, -1));
      Check.Equal(1, graph.NodeCount);
    }
  }

  public static void WholeUpdatesReplaceTheWork() {
    using (Bench b = new Bench(1)) {
      GraphNode node = b.Graph.Kernel(b.Add, One, b.X, 1f);
      using (ExecutableGraph executable = b.Graph.Executable()) {
        using (Graph other = new Graph(World.Device)) {
          other.Kernel(b.Mul, One, b.X, 3f);
          executable.Update(other);
        }
        b.Run(executable);
        Check.Equal(3, b.Value);
        executable.SetArguments(node, b.Mul, b.X, 2f);
        b.Run(executable);
        Check.Equal(6, b.Value);
        b.Graph.Empty();
        string message = Check.Throws<NotUpdatableException>(() => executable.Update(b.Graph)).Message;
        Check.That(!message.Contains("cucore_"), message);
        b.Run(executable);
        Check.Equal(12, b.Value);
      }
    }
  }

  public static void NodesAreLeftOutAndTakenIn() {
    using (Bench b = new Bench()) {
      GraphNode node = b.Graph.Kernel(b.Add, One, b.X, 1f), empty = b.Graph.Empty();
      using (ExecutableGraph executable = b.Graph.Executable(freeOnLaunch: true, nodePriority: true)) {
        Check.Equal(true, executable.IsEnabled(node));
        executable.SetEnabled(node, false);
        Check.Equal(false, executable.IsEnabled(node));
        b.Run(executable);
        Check.Equal(0, b.Value);
        executable.SetEnabled(node, true);
        b.Run(executable);
        Check.Equal(1, b.Value);
        Check.Throws<InvalidArgumentException>(() => executable.SetEnabled(empty, false));
        GraphNode late = b.Graph.Kernel(b.Add, One, b.X, 1f);
        Check.Throws<NotFoundException>(() => executable.SetArguments(late, b.Add, b.X, 1f));
        executable.Upload(b.Stream);
        Check.That(executable.Native != 0 && executable.Native != b.Graph.Native);
        Check.Equal($"executable 0x{executable.Native:x} of device 0", executable.ToString());
      }
    }
  }

  public static void FunctionsAreNodes() {
    using (Bench b = new Bench()) {
      List<float> seen = new List<float>();
      GraphNode first = b.Graph.Kernel(b.Add, One, b.X, 1f);
      GraphNode host = b.Graph.Host(() => seen.Add(b.Value), first);
      GraphNode last = b.Graph.Kernel(host, b.Add, One, b.X, 10f);
      Check.Equal(Numbers(first), Numbers(host.Dependencies));
      Check.Equal(Numbers(last), Numbers(host.Dependents));
      using (ExecutableGraph executable = b.Graph.Executable()) {
        b.Run(executable);
        b.Run(executable);
      }
      Check.Same(new[] { 1f, 12f }, seen);
      Check.Equal(22, b.Value);
      Check.Equal("", Numbers(b.Graph.Host(() => {}).Dependencies));
      Check.Throws<ArgumentNullException>(() => b.Graph.Host(null));
    }
  }

  public static void AllocateMemory() {
    using (Bench b = new Bench())
    using (CudaBuffer inside = b.Graph.Buffer(64, peers: new[] { World.Device })) {
      GraphNode allocation = b.Graph.AllocationOf(inside);
      Check.Equal($"Allocation {inside.Address} 64", $"{allocation.Kind} {allocation.Info.Destination} {allocation.Info.Size}");
      GraphNode filled = b.Graph.Fill(inside, 1f, after: allocation);
      GraphNode last = b.Graph.Copy(b.X, inside, 4, after: b.Graph.Kernel(filled, b.Add, One, inside, 1f));
      GraphNode end = b.Graph.Free(inside, last);
      Check.Equal(NodeKind.Free, end.Kind);
      Check.Equal(Numbers(last), Numbers(end.Dependencies));
      using (ExecutableGraph executable = b.Graph.Executable()) {
        b.Run(executable);
        b.Run(executable);
      }
      Check.Equal(2, b.Value);
      Check.Throws<InvalidArgumentException>(() => b.Graph.Buffer(0));
      Check.Throws<ArgumentOutOfRangeException>(() => b.Graph.Buffer(-1));
    }
  }

  public static unsafe void WordsAreNodes() {
    using (Bench b = new Bench())
    using (CudaBuffer words = CudaBuffer.Pinned(World.Device, 16)) {
      ulong* seen = (ulong*)words.HostPointer;
      seen[0] = 3;
      seen[1] = 0;
      GraphNode wait = b.Graph.WaitValue(words, 0, 3, 8, Comparison.Equal);
      GraphNode write = b.Graph.WriteValue(words, 8, 7, 8, wait);
      Check.Equal("Equal 0 7", $"{wait.Info.Comparison} {(int)write.Info.Comparison} {write.Info.Pattern}");
      b.Run();
      Check.Equal(7UL, seen[1]);
      Check.Throws<InvalidArgumentException>(() => b.Graph.WriteValue(words, 0, 1, 3));
    }
  }

  // A graph, its executables and launches in flight keep a function; then it is dropped.
  public static void FunctionsLiveAsLongAsTheirGraph() {
    using (Bench b = new Bench()) {
      const int many = 20;  // stacks of idle threads may keep a few, because Mono scans them conservatively
      List<int> ran = new List<int>();
      WeakReference[] data = new WeakReference[many];
      ExecutableGraph[] executables = new ExecutableGraph[many];
      Thread thread = new Thread(() => {
        for (int i = 0; i < many; ++i) executables[i] = WithFunction(ran, data, i);
      });
      thread.Start();
      thread.Join();
      World.Collect();
      foreach (ExecutableGraph each in executables) b.Run(each);
      foreach (ExecutableGraph each in executables) b.Run(each);
      Check.Same(Enumerable.Range(0, many).Concat(Enumerable.Range(0, many)), ran);
      foreach (ExecutableGraph each in executables) each.Dispose();
      for (int i = 0; i < 600 && data.Count(each => each.IsAlive) > many / 2; ++i) {
        World.Collect();
        Thread.Sleep(50);
      }
      Check.That(data.Count(each => each.IsAlive) <= many / 2);
    }
  }

  private static ExecutableGraph WithFunction(List<int> ran, WeakReference[] all, int i) {
    int[] data = { i };
    all[i] = new WeakReference(data);
    using (Graph own = new Graph(World.Device)) {
      own.Host(Counting(ran, data));
      return own.Executable();
    }
  }

  private static Action Counting(List<int> ran, int[] data) { return () => ran.Add(data[0]); }

  public static void ThreadsBuildUpdateAndLaunch() {
    World.Together(4, thread => {
      using (Bench b = new Bench()) {
        GraphNode node = b.Graph.Kernel(b.Add, One, b.X, 1f);
        using (ExecutableGraph executable = b.Graph.Executable()) {
          for (int i = 0; i < 50; ++i) {
            executable.SetArguments(node, b.Add, b.X, i);
            executable.Launch(b.Stream);
          }
          b.Stream.Synchronize();
        }
        Check.Equal(49 * 50 / 2, b.Value);
      }
    });
  }

  // One thread disposes of a graph while another adds to it: each call works or is refused.
  public static void DisposedWhileUsed() {
    using (Bench b = new Bench()) {
      for (int i = 0; i < 50; ++i) {
        Graph raced = new Graph(World.Device);
        Thread disposing = new Thread(raced.Dispose);
        disposing.Start();
        try {
          while (disposing.IsAlive) raced.Kernel(b.Add, One, b.X, 1f).WithLabel("a");
        } catch (ObjectDisposedException) {
          Check.Equal(true, raced.IsDisposed);
        }
        disposing.Join();
      }
    }
  }
}
