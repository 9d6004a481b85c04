// SPDX-License-Identifier: Apache-2.0
// Executables of graphs, changes of their nodes, and whole updates.
using Cucore;
using static GraphTesting;

public static class GraphChanges {
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
}
