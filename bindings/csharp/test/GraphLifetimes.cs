// SPDX-License-Identifier: Apache-2.0
// Lifetimes of graphs and executables, and of what they keep.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Cucore;
using static GraphTesting;

public static class GraphLifetimes {
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
