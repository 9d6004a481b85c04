// SPDX-License-Identifier: Apache-2.0
// The output of kernels is on stdout when a wait returns, for every kind of wait. Each wait is the
// last call of a separate process, which then ends without the driver's exit handler.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Cucore;

public static class Printed {
  private const string Say = @"extern ""C"" __global__ void say(int n) {
    for (int i = 0; i < n; ++i) __nanosleep(1000);
    printf(""said %d\n"", n);
  }";
  private static readonly TimeSpan late = TimeSpan.FromSeconds(20);

  // The work is done before the first query, or takes some time.
  public static void WrittenByEveryWait() { CheckAll(1); }
  public static void WrittenByEveryWaitForLongWork() { CheckAll(20000); }

  private static void CheckAll(int turns) {
    foreach (string wait in new Waits().All.Keys)
      Check.Equal($"{wait}: said {turns}\n", $"{wait}: " + Processes.Run("Printed.AndEnd", 0, $"WAIT={wait}", $"TURNS={turns}"));
  }

  private sealed class Waits {
    internal readonly CudaStream Stream = World.Stream();
    private readonly CudaEvent recorded = new CudaEvent(World.Device);
    private readonly CudaQueue queue = new CudaQueue();

    internal readonly Dictionary<string, Action> All;

    internal Waits() {
      CudaBuffer buffer = new CudaBuffer(World.Device, 64, Stream);
      All = new Dictionary<string, Action> {
        { "Stream", () => Stream.Synchronize() },
        { "Event", () => Recorded().Synchronize() },
        { "Device", () => World.Device.Synchronize() },
        { "Read", () => buffer.Read(new byte[64], Stream) },
        { "Future", () => Future().Wait(late) },
        { "Queue", () => { Future(); queue.Wait(late); } },
        { "Task", () => Check.That(Stream.SynchronizeAsync().Wait(late)) },
        { "Await", () => Check.That(Await().Wait(late)) },
        { "PolledStream", () => Poll(() => Stream.Query()) },
        { "PolledEvent", () => { CudaEvent polled = Recorded(); Poll(() => polled.Query()); } },
        { "PolledFuture", () => { CudaFuture future = Future(); Poll(() => future.Query()); } } };
    }

    private CudaFuture Future() { return CudaFuture.FromStream(Stream, queue, 1); }

    private CudaEvent Recorded() {
      recorded.Record(Stream);
      return recorded;
    }

    private async Task Await() { await Stream; }

    private static void Poll(Func<bool> query) {
      while (!query()) Thread.Yield();
    }
  }

  [DllImport("libc")] private static extern int fflush(IntPtr file);
  [DllImport("libc", EntryPoint = "_exit")] private static extern void End(int code);

  private static void AndEnd() {
    Waits waits = new Waits();
    int turns = int.Parse(Environment.GetEnvironmentVariable("TURNS"));
    World.Kernel(Say, "say").Launch(waits.Stream, new LaunchConfig(1, 1), turns);
    waits.All[Environment.GetEnvironmentVariable("WAIT")]();
    fflush(IntPtr.Zero);  // a driver may leave its text in C's stdout
    End(0);
  }
}
