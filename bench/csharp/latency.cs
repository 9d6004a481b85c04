// SPDX-License-Identifier: Apache-2.0
// Measures asynchronous work in C# and the latency of its end, together with a blocking wait and polling, as
// tables in markdown. Latency begins when a polling thread reads the kernel's last word in pinned memory, as
// in bench/completion.cpp.
//   latency.exe [SAMPLES]
using System;
using System.Diagnostics;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Cucore;

// One way to receive the end. Hear begins to listen after the launch of the kernel. Its result
// waits, and returns the time of the end.
internal sealed class Way {
  internal string Name;
  internal Action AfterLaunch = () => {};
  internal Func<Func<long>> Hear;
}

// A running thread that waits on request.
internal sealed class Waiter {
  private Action asked;
  private long heard;

  internal Waiter() { new Thread(Run) { IsBackground = true }.Start(); }

  internal Func<long> Begin(Action wait) {
    Volatile.Write(ref heard, 0);
    Volatile.Write(ref asked, wait);
    return End;
  }

  private long End() {
    long at;
    while ((at = Volatile.Read(ref heard)) == 0) Thread.Yield();
    return at;
  }

  private void Run() {
    for (;;) {
      Action wait = Interlocked.Exchange(ref asked, null);
      if (wait == null) {
        Thread.Yield();
        continue;
      }
      wait();
      Volatile.Write(ref heard, Stopwatch.GetTimestamp());
    }
  }
}

internal static class Latency {
  private static readonly TimeSpan pause = TimeSpan.FromMilliseconds(0.2);  // as after other work
  private static readonly CudaDevice device = new CudaDevice();
  private static readonly CudaStream stream = new CudaStream(device);
  private static readonly CudaEvent ended = new CudaEvent(device), blocking = new CudaEvent(device, new EventOptions { BlockingSync = true });
  private static readonly CudaBuffer pinned = CudaBuffer.Pinned(device, 4096);
  private static Kernel work;

  // Reads a word `turns` times, then writes a value to another.
  private const string Ptx = @".version 8.0
.target sm_75
.address_size 64
.visible .entry work(.param .u64 word, .param .u32 turns, .param .u32 value)
{
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [word];
  cvta.to.global.u64 %rd1, %rd0;
  ld.param.u32 %r0, [turns];
  ld.param.u32 %r1, [value];
  mov.u32 %r2, 0;
AGAIN:
  setp.ge.u32 %p, %r2, %r0;
  @%p bra DONE;
  add.u32 %r2, %r2, 1;
  ld.volatile.global.u32 %r3, [%rd1+64];
  bra AGAIN;
DONE:
  membar.sys;
  st.volatile.global.u32 [%rd1], %r1;
  ret;
}
";

  private static unsafe ref uint Word { get { return ref *(uint*)pinned.HostPointer; } }

  private static double Microseconds(long ticks) { return ticks * 1e6 / Stopwatch.Frequency; }

  private static void Launch(uint turns, uint value) { work.Launch(stream, new LaunchConfig(1, 1), pinned, turns, value); }

  private static double Time(uint turns) {
    long began = Stopwatch.GetTimestamp();
    Launch(turns, 0);
    stream.Synchronize();
    return Microseconds(Stopwatch.GetTimestamp() - began);
  }

  // Returns the number of turns that take this long.
  private static uint TurnsFor(double microseconds) {
    Time(100);
    double few = Time(1000), many = Time(21000);
    return (uint)(microseconds / Math.Max(1e-3, (many - few) / 20000));
  }

  private static Func<Func<long>> Blocking(Waiter waiter, Action wait) { return () => waiter.Begin(wait); }

  private static Func<Func<long>> Awaiting(Func<Task<long>> begin) {
    return () => {
      Task<long> heard = begin();
      return () => heard.Result;
    };
  }

  private static async Task<long> Await() {
    await stream.SynchronizeAsync().ConfigureAwait(false);
    return Stopwatch.GetTimestamp();
  }

  private static async Task<long> AwaitWithToken(CancellationToken token) {
    await stream.SynchronizeAsync(token).ConfigureAwait(false);
    return Stopwatch.GetTimestamp();
  }

  // Sorted, in microseconds.
  private static double[] Measure(Way way, uint turns, int samples) {
    double[] all = new double[samples];
    for (int i = -samples / 10; i < samples; ++i) {  // the first ones warm up
      uint value = Word + 1;
      Launch(turns, value);
      way.AfterLaunch();
      Func<long> heard = way.Hear();
      while (Volatile.Read(ref Word) != value) {}
      long seen = Stopwatch.GetTimestamp();
      double late = Microseconds(heard() - seen);
      if (i >= 0) all[i] = late;
      stream.Synchronize();
      Thread.Sleep(pause);
    }
    Array.Sort(all);
    return all;
  }

  private static void TellLatency(int microseconds, int samples) {
    uint turns = TurnsFor(microseconds);
    Waiter waiter = new Waiter();
    CancellationTokenSource cancellation = new CancellationTokenSource();
    using (CudaQueue queue = new CudaQueue()) {
      Way[] ways = {
        new Way { Name = "a thread that polls `stream.Query()`", Hear = Blocking(waiter, () => { while (!stream.Query()) {} }) },
        new Way { Name = "a thread in `stream.Synchronize()`", Hear = Blocking(waiter, () => stream.Synchronize()) },
        new Way { Name = "a thread in `Synchronize()` of a blocking event", AfterLaunch = () => blocking.Record(stream),
                  Hear = Blocking(waiter, () => blocking.Synchronize()) },
        new Way { Name = "a thread in `queue.Wait()`", AfterLaunch = () => CudaFuture.FromStream(stream, queue, 1).Dispose(),
                  Hear = Blocking(waiter, () => queue.Wait()) },
        new Way { Name = "`await stream.SynchronizeAsync()`", Hear = Awaiting(Await) },
        new Way { Name = "`await`, with a cancellation token", Hear = Awaiting(() => AwaitWithToken(cancellation.Token)) },
      };
      Console.WriteLine($"\n| after a kernel of {microseconds} µs | median µs | 90 % | 99 % |\n|---|---|---|---|");
      foreach (Way way in ways) {
        double[] all = Measure(way, turns, samples);
        Func<double, double> at = part => all[(int)(part * (all.Length - 1))];
        Console.WriteLine($"| {way.Name} | {at(0.5):f1} | {at(0.9):f1} | {at(0.99):f1} |");
      }
    }
  }

  private static double PerSecond(int count, Action<int> action) {
    action(count / 10);
    long began = Stopwatch.GetTimestamp();
    action(count);
    return count * 1e6 / Microseconds(Stopwatch.GetTimestamp() - began);
  }

  private const int Pending = 1000;

  private static async Task AwaitInBatches(int count) {
    Task[] batch = new Task[Pending];
    for (int left = count; left > 0; left -= Pending) {
      for (int i = 0; i < Pending; ++i) batch[i] = stream.SynchronizeAsync();
      await Task.WhenAll(batch).ConfigureAwait(false);
    }
  }

  private static async Task AwaitEach(int count) {
    for (int i = 0; i < count; ++i) await stream.SynchronizeAsync().ConfigureAwait(false);
  }

  private static void Drain(int count) {
    using (CudaQueue queue = new CudaQueue())
      for (int made = 0, taken = 0; taken < count; taken += queue.Wait().Length)
        for (; made < count && made - taken < Pending; ++made) CudaFuture.FromStream(stream, queue, 1).Dispose();
  }

  private static void Block(int count) {
    for (int i = 0; i < count; ++i) {
      blocking.Record(stream);
      blocking.Synchronize();
    }
  }

  private static void Poll(int count) {
    for (int i = 0; i < count; ++i) {
      ended.Record(stream);
      while (!ended.Query()) {}
    }
  }

  private static void TellThroughput(int samples) {
    Action<string, int, Action<int>> tell = (name, count, action) => Console.WriteLine($"| {name} | {PerSecond(count, action):f0} |");
    Console.WriteLine("\n| completions per second | |\n|---|---|");
    tell("tasks, 1000 pending", samples * 100, count => AwaitInBatches(count).Wait());
    tell("tasks, one awaited at a time", samples * 10, count => AwaitEach(count).Wait());
    tell("futures of a queue, 1000 pending, one thread", samples * 100, Drain);
    tell("polling an event, one thread", samples * 10, Poll);
    tell("a blocking event, one thread", samples * 10, Block);
  }

  private static int Main(string[] args) {
    Console.OutputEncoding = new UTF8Encoding(false);
    int samples = args.Length > 0 ? int.Parse(args[0]) : 1000;
    using (ObjectCode code = ObjectCode.FromBytes(CodeType.Ptx, Encoding.ASCII.GetBytes(Ptx))) {
      work = code.GetKernel("work");
      Word = 0;
      Console.WriteLine($"{device.Name}, {Environment.ProcessorCount} threads of the host, Mono or .NET {Environment.Version}");
      TellLatency(20, samples);
      TellLatency(2000, samples);
      TellThroughput(samples);
    }
    return 0;
  }
}
