// SPDX-License-Identifier: Apache-2.0
// Scenarios about awaiting work.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Cucore;

public static class Futures {
  private static readonly TimeSpan soon = TimeSpan.FromMilliseconds(50), late = TimeSpan.FromSeconds(20);

  public static void TasksEndWithTheWork() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer buffer = new CudaBuffer(World.Device, 4, stream)) {
      Task task;
      using (World.Busy(stream)) {
        buffer.Fill(7, stream);
        task = stream.SynchronizeAsync();
        Check.That(!task.Wait(soon), "the task waits");
      }
      Check.That(task.Wait(late) && task.Status == TaskStatus.RanToCompletion);
      Check.That(stream.SynchronizeAsync().Wait(late), "a stream with nothing to do");
    }
  }

  private static async Task<float> Await(float factor) {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer buffer = new CudaBuffer(World.Device, 4, stream)) {
      buffer.Fill(1f, stream);
      for (int i = 0; i < 3; ++i) {
        World.Kernel(World.Scale, "scale").Launch(stream, new LaunchConfig(1, 1), factor, buffer, 1);
        await stream;
      }
      return buffer.ToArray<float>(stream)[0];
    }
  }

  public static void Awaits() {
    Task<float>[] all = Enumerable.Range(0, 50).Select(i => Await(i)).ToArray();
    Check.That(Task.WaitAll(all, late));
    Check.Same(Enumerable.Range(0, 50).Select(i => (float)i * i * i), all.Select(t => t.Result));
  }

  public static void Cancels() {
    using (CudaStream stream = World.Stream()) {
      CancellationTokenSource cancellation = new CancellationTokenSource();
      using (World.Busy(stream)) {
        Task task = stream.SynchronizeAsync(cancellation.Token), other = stream.SynchronizeAsync();
        cancellation.Cancel();
        Check.Throws<AggregateException>(() => task.Wait(late));
        Check.That(task.IsCanceled && !other.IsCompleted && !stream.Query(), "the work goes on");
      }
      Check.That(stream.SynchronizeAsync(cancellation.Token).IsCanceled, "cancelled before");
      stream.Synchronize();
    }
  }

  public static void ManyTasksFromManyThreads() {
    World.Together(8, which => {
      using (CudaStream stream = World.Stream())
        for (int round = 0; round < 5; ++round)
          Check.That(Task.WaitAll(Enumerable.Range(0, 200).Select(i => stream.SynchronizeAsync()).ToArray(), late));
    });
  }

  // One thread for consecutive tasks, not one each.
  public static void OneThreadForTasksInTurn() {
    int before = new Thread(() => {}).ManagedThreadId;  // counts all threads ever created
    using (CudaStream stream = World.Stream())
      for (int i = 0; i < 300; ++i) Check.That(stream.SynchronizeAsync().Wait(late));
    int made = new Thread(() => {}).ManagedThreadId - before;
    Check.That(made < 100, $"{made} threads for 300 tasks");
  }

  // Continuations run where the awaiting method ran, not where the completion came.
  public static void ContinuesInTheContextOfTheAwait() {
    using (CudaStream stream = World.Stream()) {
      SynchronizationContext before = SynchronizationContext.Current;
      Posts posts = new Posts();
      SynchronizationContext.SetSynchronizationContext(posts);
      try {
        Task task;
        using (World.Busy(stream)) task = AwaitIn(stream);
        Check.That(posts.Run(late), "the continuation was posted");
        Check.That(task.Wait(late));
      } finally {
        SynchronizationContext.SetSynchronizationContext(before);
      }
    }
  }

  private static async Task AwaitIn(CudaStream stream) {
    int thread = Thread.CurrentThread.ManagedThreadId;
    await stream;
    Check.Equal(thread, Thread.CurrentThread.ManagedThreadId);
  }

  private sealed class Posts : SynchronizationContext {
    private readonly System.Collections.Concurrent.BlockingCollection<Action> all = new System.Collections.Concurrent.BlockingCollection<Action>();
    public override void Post(SendOrPostCallback callback, object state) { all.Add(() => callback(state)); }
    internal bool Run(TimeSpan longest) {
      bool came = all.TryTake(out Action next, longest);
      if (came) next();
      return came;
    }
  }

  // Each ends once, cancelled or not.
  public static void CancelsInARaceWithTheEnd() {
    using (CudaStream stream = World.Stream())
      for (int round = 0; round < 300; ++round) {
        CancellationTokenSource cancellation = new CancellationTokenSource();
        Task[] all = Enumerable.Range(0, 10).Select(i => stream.SynchronizeAsync(cancellation.Token)).ToArray();
        cancellation.Cancel();
        Check.That(Task.WhenAll(all).ContinueWith(done => {}).Wait(late));
        Check.That(all.All(task => task.IsCanceled || task.Status == TaskStatus.RanToCompletion));
      }
  }

  // The thread ends without waiters, and begins again.
  public static void WaitsAgainAfterAPause() {
    using (CudaStream stream = World.Stream())
      for (int i = 0; i < 2; ++i) {
        Check.That(stream.SynchronizeAsync().Wait(late));
        Thread.Sleep(500);
      }
  }

  public static void QueuesByHand() {
    using (CudaStream stream = World.Stream())
    using (CudaQueue queue = new CudaQueue(new QueueOptions { SpinNanoseconds = -1 })) {
      Check.That(queue.Descriptor >= 0);
      CheckPending(stream, queue);
      for (ulong token = 1; token <= 5; ++token) CudaFuture.FromStream(stream, queue, token).Dispose();
      using (CudaFuture last = CudaFuture.FromStream(stream, queue, 6)) {
        last.Wait(late);
        last.Check();
        Check.That(last.Query() && last.Token == 6);
      }
      Completion[] taken = new Completion[0];
      while (taken.Length < 6) taken = taken.Concat(queue.Wait(late, 2)).ToArray();
      Check.Same(Enumerable.Range(1, 6).Select(i => (ulong)i), taken.Select(c => c.Token));
      Check.That(taken.All(c => c.Status == Status.Ok) && queue.Info.Completed == 6 && queue.Info.Waiting == 0);
      Check.Equal(0, queue.Wait(soon).Length);
      queue.End();
      Check.That(queue.Info.IsClosed);
      Check.Throws<InvalidStateException>(() => queue.Wait());
      Check.Throws<InvalidStateException>(() => CudaFuture.FromStream(stream, queue, 7));
    }
    Check.Throws<InvalidArgumentException>(() => new CudaQueue(new QueueOptions { SweepNanoseconds = -5 }));
  }

  // Streams, events and devices, with a limit.
  public static void SynchronizesWithALimit() {
    using (CudaStream stream = World.Stream())
    using (CudaEvent end = new CudaEvent(World.Device)) {
      TimeSpan[] limits = { TimeSpan.Zero, soon };
      using (World.Busy(stream)) {
        end.Record(stream);
        foreach (TimeSpan limit in limits) {
          Check.Contains($"after {limit.Ticks * 100} ns", Check.Throws<NotReadyException>(() => stream.Synchronize(limit)).Message);
          Check.Throws<NotReadyException>(() => end.Synchronize(limit));
          Check.Throws<NotReadyException>(() => World.Device.Synchronize(limit));
        }
        Check.That(!stream.Query(), "the work continues");
      }
      foreach (TimeSpan limit in new[] { late, Timeout.InfiniteTimeSpan, TimeSpan.MaxValue }) {
        stream.Synchronize(limit);
        end.Synchronize(limit);
        World.Device.Synchronize(limit);
      }
      stream.Synchronize(TimeSpan.Zero);
      Check.Equal("timeout", Check.Throws<ArgumentOutOfRangeException>(() => stream.Synchronize(TimeSpan.FromTicks(-1))).ParamName);
    }
  }

  // Null and Timeout.InfiniteTimeSpan have no limit; other negative times are mistakes.
  public static void InfiniteTimeouts() {
    using (CudaStream stream = World.Stream())
    using (CudaQueue queue = new CudaQueue())
    using (CudaFuture future = CudaFuture.FromStream(stream, queue, 1)) {
      future.Wait(TimeSpan.MaxValue);
      future.Wait(Timeout.InfiniteTimeSpan);
      Check.Equal(1, queue.Wait(Timeout.InfiniteTimeSpan).Length);
      Check.Throws<ArgumentOutOfRangeException>(() => future.Wait(TimeSpan.FromSeconds(-5)));
      Check.Throws<ArgumentOutOfRangeException>(() => queue.Wait(TimeSpan.FromSeconds(-5)));
    }
  }

  // A future that is not complete; it is detached, so that nothing comes out of the queue.
  private static void CheckPending(CudaStream stream, CudaQueue queue) {
    using (World.Busy(stream))
    using (CudaFuture future = CudaFuture.FromStream(stream, queue, 0)) {
      Check.That(!future.Query());
      Check.Throws<NotReadyException>(() => future.Check());
      Check.Throws<NotReadyException>(() => future.Wait(soon));
      Check.That(queue.Info.Pending == 1 && future.Detach());
    }
  }

  // Adds to a word in pinned memory, one by one.
  private const string Count = @"extern ""C"" __global__ void count(volatile unsigned *word, unsigned turns) {
    for (unsigned i = 0; i < turns; ++i) *word = *word + 1; }";
  private const int Streams = 16, Each = 625;

  // Kernels on many streams, each with an object that must end after it.
  private sealed class Work : IDisposable {
    internal readonly CudaStream[] All = Enumerable.Range(0, Streams).Select(i => World.Stream()).ToArray();
    private readonly CudaBuffer words = CudaBuffer.Pinned(World.Device, Streams * 64);
    private readonly Kernel count = World.Kernel(Count, "count");
    internal readonly uint[] Total = new uint[Streams];

    internal Work() {
      for (int stream = 0; stream < Streams; ++stream) Word(stream) = 0;
    }

    internal unsafe ref uint Word(int stream) { return ref *(uint*)(words.HostPointer + (ulong)stream * 64); }

    // Returns the value of the word after this kernel.
    internal uint Launch(int stream, int n) {
      uint turns = 1 + (uint)(n * 7 + stream) % 50;
      count.Launch(All[stream], new LaunchConfig(1, 1), Arg.Address(words.Address + (ulong)stream * 64), turns);
      return Total[stream] += turns;
    }

    internal void CheckAll() {
      for (int stream = 0; stream < Streams; ++stream) Check.Equal(Total[stream], Word(stream));
    }

    public void Dispose() {
      foreach (CudaStream each in All) each.Dispose();
      words.Dispose();
    }
  }

  // Each awaits its own kernel: when it continues, the result is there, and so are all before it.
  public static void TenThousandTasksOverSixteenStreams() {
    using (Work work = new Work()) {
      int[] ended = new int[Streams * Each];
      Task[] last = new Task[Streams];
      Task[] all = new Task[Streams * Each];
      for (int n = 0; n < Each; ++n)
        for (int s = 0; s < Streams; ++s) {
          uint wanted = work.Launch(s, n);
          Task task = work.All[s].SynchronizeAsync();
          all[n * Streams + s] = AwaitOne(task, last[s], work, s, wanted, ended, n * Streams + s);
          last[s] = task;
        }
      Check.That(Task.WaitAll(all, late), "all end");
      Check.That(ended.All(times => times == 1), "each ends once");
      work.CheckAll();
    }
  }

  private static async Task AwaitOne(Task task, Task before, Work work, int stream, uint wanted, int[] ended, int index) {
    await task.ConfigureAwait(false);
    Check.That(before == null || before.IsCompleted, "the one before it in its stream has ended");
    Check.That(Volatile.Read(ref work.Word(stream)) >= wanted, "its result is there");
    Interlocked.Increment(ref ended[index]);
  }

  public static void TenThousandFuturesOverSixteenStreams() {
    using (Work work = new Work())
    using (CudaQueue queue = new CudaQueue()) {
      for (int n = 0; n < Each; ++n)
        for (int s = 0; s < Streams; ++s) {
          work.Launch(s, n);
          CudaFuture.FromStream(work.All[s], queue, (ulong)(s << 16 | n)).Dispose();
        }
      int[] next = new int[Streams];
      for (int left = Streams * Each; left > 0;) {
        Completion[] some = queue.Wait(late);
        Check.That(some.Length != 0, $"{left} are missing");
        foreach (Completion each in some) {
          Check.Equal(Status.Ok, each.Status);
          Check.Equal(next[each.Token >> 16]++, (int)(each.Token & 0xffff));
        }
        left -= some.Length;
      }
      Check.Same(Enumerable.Repeat(Each, Streams), next);
      Check.Equal(0, queue.Wait(TimeSpan.Zero).Length);
      Check.Equal((long)Streams * Each, queue.Info.Completed);
      work.CheckAll();
    }
  }
}
