// SPDX-License-Identifier: Apache-2.0
// Scenarios about buffers that are disposed of or dropped while work uses them.
using System;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Cucore;

public static class Uses {
  // Waits for the host, then writes to the whole buffer, which is an error if it has been freed.
  private const string Source = @"extern ""C"" __global__ void late(volatile int *flag, float *data, int n) {
    while (*flag == 0) {}
    for (int i = 0; i < n; ++i) data[i] = i; }";
  private const int N = 1 << 18;
  private static readonly TimeSpan soon = TimeSpan.FromMilliseconds(20), late = TimeSpan.FromSeconds(20);

  private sealed class Work : IDisposable {
    private readonly CudaBuffer flag = CudaBuffer.Pinned(World.Device, sizeof(int));
    internal readonly CudaStream Own = World.Stream(), Other = World.Stream();
    internal readonly Kernel Late = World.Kernel(Source, "late");

    internal Work() { Set(0); }

    internal CudaBuffer Buffer() {
      CudaBuffer buffer = new CudaBuffer(World.Device, N * sizeof(float), Own);
      Own.Synchronize();
      return buffer;
    }

    // The kernel runs until Finish.
    internal void Begin(Arg data) { Late.Launch(Other, new LaunchConfig(1, 1), flag, data, N); }

    private unsafe void Set(int value) { Volatile.Write(ref *(int*)flag.HostPointer, value); }

    // Memory that was freed too early now belongs to another buffer, or the kernel's fault breaks
    // the context.
    internal void Finish() {
      Own.Synchronize();
      using (CudaBuffer reuse = Buffer()) {
        reuse.Fill(7, Own);
        Own.Synchronize();
        Set(1);
        Other.Synchronize();
        Check.That(reuse.ToArray<int>(Own).All(each => each == 7), "other memory is as it was");
      }
      World.Device.Synchronize();
    }

    public void Dispose() {
      Set(1);
      flag.Dispose();
      Own.Dispose();
      Other.Dispose();
    }
  }

  public static void TimeoutLeavesTheBlock() {
    using (Work work = new Work())
    using (CudaQueue queue = new CudaQueue()) {
      Check.Throws<NotReadyException>(() => {
        using (CudaBuffer buffer = work.Buffer()) {
          work.Begin(buffer);
          using (CudaFuture future = CudaFuture.FromStream(work.Other, queue, 1)) future.Wait(soon);
        }
      });
      work.Finish();
    }
  }

  public static void CancelledAwaitLeavesTheBlock() {
    using (Work work = new Work()) {
      Task task = UntilCancelled(work);
      Check.That(Task.WhenAny(task).Wait(late) && task.IsCanceled, $"{task.Status}");
      work.Finish();
    }
  }

  private static async Task UntilCancelled(Work work) {
    using (CancellationTokenSource source = new CancellationTokenSource(soon))
    using (CudaBuffer buffer = work.Buffer()) {
      work.Begin(buffer);
      await work.Other.SynchronizeAsync(source.Token);
    }
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static void BeginAndForget(Work work) { work.Begin(work.Buffer()); }

  public static void CollectedWhileAKernelRuns() {
    using (Work work = new Work()) {
      BeginAndForget(work);
      World.Collect();
      work.Finish();
    }
  }

  public static void CopiesAndFillsAreRecorded() {
    using (Work work = new Work()) {
      CudaBuffer gate = work.Buffer(), from = work.Buffer(), to = work.Buffer();
      from.Fill(3, work.Own);
      work.Own.Synchronize();
      work.Begin(gate);
      to.CopyFrom(from, work.Other);
      from.Fill(4, work.Other);
      foreach (CudaBuffer each in new[] { gate, from }) each.Dispose();
      work.Finish();
      Check.That(to.ToArray<int>(work.Other).All(each => each == 3), "the copy came first");
      to.Dispose();
    }
  }

  // An address does not lead to the buffer, so the test records the use.
  public static void RecordedByHand() {
    using (Work work = new Work()) {
      using (CudaBuffer buffer = work.Buffer()) {
        work.Begin(Arg.Address(buffer.Address));
        buffer.RecordUse(work.Other);
      }
      work.Finish();
    }
  }

  public static void ArgumentOfADisposedBuffer() {
    using (Work work = new Work()) {
      CudaBuffer buffer = work.Buffer();
      Arg argument = buffer;
      buffer.Dispose();
      Check.Contains("argument 1 of kernel late is a CudaBuffer that was disposed", Check.Throws<ObjectDisposedException>(() => work.Begin(argument)).Message);
      World.Device.Synchronize();
    }
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static Arg ArgumentAlone(Work work) { return work.Buffer(); }

  public static void ArgumentKeepsItsBuffer() {
    using (Work work = new Work()) {
      Arg argument = ArgumentAlone(work);
      World.Collect();
      work.Begin(argument);
      work.Finish();
    }
  }

  // Each launch either holds the buffer or throws ObjectDisposedException.
  public static void DisposedWhileOthersLaunch() {
    Kernel kernel = World.Kernel(World.Scale, "scale");
    using (CudaStream first = World.Stream(), second = World.Stream()) {
      CudaBuffer shared = new CudaBuffer(World.Device, 4096, first);
      bool isOver = false;
      int launched = 0, refused = 0;
      World.Together(4, which => {
        if (which == 0) {
          // The other threads may start late.
          for (int i = 0; i < 2000 || Volatile.Read(ref launched) == 0; ++i) Interlocked.Exchange(ref shared, new CudaBuffer(World.Device, 4096, first)).Dispose();
          Volatile.Write(ref isOver, true);
        }
        while (!Volatile.Read(ref isOver))
          try {
            kernel.Launch(which % 2 == 0 ? first : second, new LaunchConfig(1, 256), 1f, Volatile.Read(ref shared), 1024);
            if (Interlocked.Increment(ref launched) % 64 == 0) second.Synchronize();
          } catch (ObjectDisposedException) {
            Interlocked.Increment(ref refused);
          }
      });
      World.Device.Synchronize();
      shared.Dispose();
      Console.WriteLine($"{launched} launches, {refused} refused");
      Check.That(launched > 0);
    }
  }

  private static void Forget(int count) {
    using (CudaStream stream = World.Stream())
      for (int i = 0; i < count; ++i) new CudaBuffer(World.Device, 64L << 20, stream);
  }

  // Three times the memory of the device; on a larger GPU it shows that dropped buffers do no harm.
  public static void ForgottenBuffers() { Check.Equal("", Processes.Run("Uses.ForgetMany", 0, "CUCORE_CPU_MEMORY=8G")); }
  public static void ForgottenBuffersOfManyThreads() { Check.Equal("", Processes.Run("Uses.ForgetTogether", 0, "CUCORE_CPU_MEMORY=2G")); }
  internal static void ForgetMany() { Forget(400); }
  internal static void ForgetTogether() { World.Together(6, which => Forget(100)); }

  // A collection cannot free memory that is in use, so the exception reaches the caller.
  public static void MemoryInUseIsExhausted() {
    long total = World.Device.GetMemory().Total;
    using (CudaStream stream = World.Stream())
      Check.Throws<OutOfDeviceMemoryException>(() => new CudaBuffer(World.Device, total * 2, stream));
  }

  private static long Pressure(CudaBuffer buffer) {
    object handle = typeof(CudaBuffer).GetField("owned", BindingFlags.NonPublic | BindingFlags.Instance).GetValue(buffer);
    return (long)handle.GetType().GetField("pressure", BindingFlags.NonPublic | BindingFlags.Instance).GetValue(handle);
  }

  // The collector counts the memory of a buffer until its release.
  public static void CollectorCountsTheMemory() {
    using (CudaStream stream = World.Stream()) {
      CudaBuffer buffer = new CudaBuffer(World.Device, 1000, stream);
      CudaBuffer[] others = { CudaBuffer.Pinned(World.Device, 2000), CudaBuffer.Managed(World.Device, 3000), CudaBuffer.FromNative(World.Device, buffer.Address, 500),
                              new CudaBuffer(World.Device, 0, stream) };
      Check.Equal(1000L, Pressure(buffer));
      Check.Same(new[] { 2000L, 3000, 0, 0 }, others.Select(Pressure));
      foreach (CudaBuffer each in others) each.Dispose();
      for (int i = 0; i < 2; ++i) buffer.Dispose();
      Check.Equal(0L, Pressure(buffer));
      Check.That(others.All(each => Pressure(each) == 0), "the release is counted");
    }
  }

  public static void DisposeAsync() {
    using (Work work = new Work()) {
      CudaStream stream = World.Stream();
      IDisposable busy = World.Busy(stream);
      Task disposed = stream.DisposeAsync();
      Check.That(!disposed.Wait(soon) && !stream.IsDisposed, "it waits");
      busy.Dispose();
      Check.That(disposed.Wait(late) && stream.IsDisposed, "it is disposed of");
      Check.That(stream.DisposeAsync().Wait(late), "again");
      CudaBuffer buffer = work.Buffer();
      work.Begin(buffer);
      Check.That(buffer.DisposeAsync().IsCompleted && buffer.IsDisposed, "a buffer does not wait");
      work.Finish();
    }
  }
}
