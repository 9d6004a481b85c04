// SPDX-License-Identifier: Apache-2.0
// Threads that use, share, dispose of, drop, cancel and time out at random. The results must be
// right, the device must stay usable, and the memory must be flat. CUCORE_STRESS_SECONDS=600 is the
// long run.
using System;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Cucore;

public static class Stress {
  // Runs for a random time, then writes the value that the host expects.
  private const string Source = @"extern ""C"" __global__ void work(int *to, const int *from, int n, int turns, int add) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i;
    for (int k = 0; k < turns; ++k) x = x * 1664525 + 1013904223;
    if (i < n) to[i] = from[i] + add + (x == 12345 && turns < 0); }";
  private const int Threads = 8, Streams = 4, Shared = 4, N = 2048;
  private const int KibAllowed = 48 * 1024, WarmUpPercent = 20;
  private const long DeviceBytesAllowed = 64L << 20;

  private static readonly CudaStream[] streams = new CudaStream[Streams];
  private static readonly CudaBuffer[] shared = new CudaBuffer[Shared];
  private static readonly CudaQueue queue = new CudaQueue();
  private static readonly string[] names = { "read", "disposed", "forgotten", "cancelled", "timed out", "copied", "shared", "refused" };
  private static readonly long[] counts = new long[8];

  public static void Random() {
    string text = Environment.GetEnvironmentVariable("CUCORE_STRESS_SECONDS");
    double seconds = string.IsNullOrEmpty(text) ? 5 : double.Parse(text, System.Globalization.CultureInfo.InvariantCulture);
    for (int i = 0; i < Streams; ++i) streams[i] = World.Stream();
    for (int i = 0; i < Shared; ++i) shared[i] = Ones(streams[i % Streams]);
    Run(seconds * WarmUpPercent / 100, 1);
    (long resident, long free) before = Measure();
    Run(seconds, 1000);
    (long resident, long free) after = Measure();
    Console.WriteLine(string.Join(", ", counts.Select((count, i) => $"{count} {names[i]}")));
    Console.WriteLine($"resident memory: {before.resident} KiB, then {after.resident} KiB; free device memory: {before.free >> 20} MiB, then {after.free >> 20} MiB");
    Check.That(counts.Take(7).All(count => count != 0), "each kind was tried");
    Check.That(after.resident - before.resident < KibAllowed, "resident memory is flat");
    Check.That(before.free - after.free < DeviceBytesAllowed, "device memory is flat");
  }

  private static (long, long) Measure() {
    World.Collect();
    World.Device.Synchronize();
    World.Collect();
    World.Device.Synchronize();
    using (CudaMemoryPool pool = World.Device.Pool) pool.Trim(0); // it keeps what was freed after the last wait
    return (Lifetimes.ResidentKib(), World.Device.GetMemory().Free);
  }

  private static void Run(double seconds, int seed) {
    Stopwatch watch = Stopwatch.StartNew();
    World.Together(Threads, which => {
      System.Random random = new System.Random(seed + which);
      while (watch.Elapsed.TotalSeconds < seconds) Step(random);
    });
  }

  private static void Step(System.Random random) {
    int what = random.Next(7);
    Interlocked.Increment(ref counts[what]);
    switch (what) {
      case 0: ReadResult(random); break;
      case 1: DisposeWhileItRuns(random); break;
      case 2: Forget(random); break;
      case 3: Cancel(random).Wait(); break;
      case 4: TimeOut(random); break;
      case 5: CopyAndDispose(random); break;
      case 6: UseShared(random); break;
    }
  }

  private static CudaStream Any(System.Random random) { return streams[random.Next(Streams)]; }

  private static CudaBuffer Ones(CudaStream stream) {
    CudaBuffer made = new CudaBuffer(World.Device, N * sizeof(int), stream);
    made.Fill(1, stream);
    stream.Synchronize();
    return made;
  }

  // Launches on another stream than the buffer's own.
  private static int Launch(System.Random random, CudaStream stream, CudaBuffer to, CudaBuffer from) {
    int add = random.Next(1 << 20);
    World.Kernel(Source, "work").Launch(stream, new LaunchConfig(N / 256, 256), to, from, N, random.Next(4) == 0 ? random.Next(2000) : random.Next(50), add);
    return add;
  }

  private static void Check1(CudaBuffer buffer, CudaStream stream, int expected) {
    int[] got = buffer.ToArray<int>(stream);
    Check.That(got.All(each => each == expected), $"a result: {expected}, {got[0]} to {got[N - 1]}");
  }

  private static void ReadResult(System.Random random) {
    CudaStream stream = Any(random);
    using (CudaBuffer to = Ones(Any(random)), from = Ones(Any(random))) Check1(to, stream, 1 + Launch(random, stream, to, from));
  }

  private static void DisposeWhileItRuns(System.Random random) {
    using (CudaBuffer to = Ones(Any(random)), from = Ones(Any(random))) Launch(random, Any(random), to, from);
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static void Forget(System.Random random) { Launch(random, Any(random), Ones(Any(random)), Ones(Any(random))); }

  private static async Task Cancel(System.Random random) {
    CudaStream stream = Any(random);
    try {
      using (CancellationTokenSource source = new CancellationTokenSource())
      using (CudaBuffer to = Ones(Any(random)), from = Ones(Any(random))) {
        Launch(random, stream, to, from);
        if (random.Next(2) == 0) source.Cancel(); else source.CancelAfter(random.Next(3));
        await stream.SynchronizeAsync(source.Token).ConfigureAwait(false);
      }
    } catch (OperationCanceledException) {
    }
  }

  private static void TimeOut(System.Random random) {
    CudaStream stream = Any(random);
    try {
      using (CudaBuffer to = Ones(Any(random)), from = Ones(Any(random))) {
        Launch(random, stream, to, from);
        using (CudaFuture future = CudaFuture.FromStream(stream, queue, 1)) {
          future.Detach();
          future.Wait(TimeSpan.FromTicks(random.Next(2000)));
        }
      }
    } catch (NotReadyException) {
    }
  }

  private static void CopyAndDispose(System.Random random) {
    CudaStream stream = Any(random);
    using (CudaBuffer copy = Ones(Any(random))) {
      int add;
      using (CudaBuffer to = Ones(Any(random)), from = Ones(Any(random))) {
        add = Launch(random, stream, to, from);
        copy.CopyFrom(to, stream);
      }
      Check1(copy, stream, 1 + add);
    }
  }

  // Another thread may dispose of the buffer at any time.
  private static void UseShared(System.Random random) {
    int which = random.Next(Shared);
    if (random.Next(8) == 0) Interlocked.Exchange(ref shared[which], Ones(Any(random))).Dispose();
    CudaStream stream = Any(random);
    using (CudaBuffer to = Ones(Any(random)))
      try {
        Check1(to, stream, 1 + Launch(random, stream, to, Volatile.Read(ref shared[which])));
      } catch (ObjectDisposedException) {
        Interlocked.Increment(ref counts[7]);
      }
  }
}
