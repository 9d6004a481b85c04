// SPDX-License-Identifier: Apache-2.0
// Conditions of graphs: IF, WHILE and SWITCH, and their values.
using System;
using Cucore;
using static GraphTesting;

public static class GraphConditions {
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
}
