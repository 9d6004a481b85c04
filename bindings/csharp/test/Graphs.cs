// SPDX-License-Identifier: Apache-2.0
// Graphs by hand: nodes, edges, settings, arguments, children, clones.
using System;
using System.Collections.Generic;
using System.Linq;
using Cucore;
using static GraphTesting;

public static class Graphs {
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
}
