// SPDX-License-Identifier: Apache-2.0
// Scenarios about queues that tasks await.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Cucore;

public static class Queues {
  private static readonly TimeSpan soon = TimeSpan.FromMilliseconds(50), late = TimeSpan.FromSeconds(20);

  private static void Add(CudaStream stream, CudaQueue queue, params ulong[] tokens) {
    foreach (ulong token in tokens) CudaFuture.FromStream(stream, queue, token).Dispose();
  }

  // Does the work of "await foreach", which Mono's compiler does not have.
  private static async Task<List<ulong>> All(IAsyncEnumerable<Completion> completions, CancellationToken cancellation = default(CancellationToken), int most = int.MaxValue) {
    List<ulong> tokens = new List<ulong>();
    IAsyncEnumerator<Completion> each = completions.GetAsyncEnumerator(cancellation);
    try {
      while (tokens.Count < most && await each.MoveNextAsync()) tokens.Add(each.Current.Token);
    } finally {
      await each.DisposeAsync();
    }
    return tokens;
  }

  public static void EnumeratesUntilTheEnd() {
    using (CudaStream stream = World.Stream())
    using (CudaQueue queue = new CudaQueue()) {
      Task<List<ulong>> all = All(queue);
      Check.That(!all.Wait(soon), "the loop awaits the first completion");
      using (World.Busy(stream)) {
        Add(stream, queue, 1, 2, 3);
        Check.That(!all.Wait(soon), "the loop awaits the work");
      }
      Add(stream, queue, 4);
      stream.Synchronize();
      for (int i = 0; i < 1000 && queue.Info.Completed < 4; ++i) Thread.Sleep(10);
      queue.End();
      Check.That(all.Wait(late), "the end of the queue ends the loop");
      Check.Same(new ulong[] { 1, 2, 3, 4 }, all.Result);
      Check.Equal(0, All(queue).Result.Count);
    }
  }

  // A loop that is left takes no more completions than it has seen.
  public static void LeavingTheLoopLosesNothing() {
    using (CudaStream stream = World.Stream())
    using (CudaQueue queue = new CudaQueue()) {
      Add(stream, queue, 1, 2, 3, 4, 5);
      Check.Same(new ulong[] { 1, 2 }, All(queue, CancellationToken.None, 2).Result);
      List<ulong> rest = new List<ulong>();
      while (rest.Count < 3) rest.AddRange(queue.Wait(late, int.MaxValue).Select(c => c.Token));
      Check.Same(new ulong[] { 3, 4, 5 }, rest);
    }
  }

  public static void Cancels() {
    using (CudaStream stream = World.Stream())
    using (CudaQueue queue = new CudaQueue())
    using (CancellationTokenSource cancellation = new CancellationTokenSource()) {
      Task loop = All(queue, cancellation.Token), wait = queue.WaitAsync(cancellation.Token), other = queue.WaitAsync();
      Check.That(!Task.WhenAny(loop, wait, other).Wait(soon));
      cancellation.Cancel();
      foreach (Task each in new[] { loop, wait }) {
        Check.Throws<AggregateException>(() => each.Wait(late));
        Check.That(each.IsCanceled);
      }
      Check.That(!other.IsCompleted && queue.WaitAsync(cancellation.Token).IsCanceled && All(queue, cancellation.Token).IsCanceled);
      Add(stream, queue, 7);
      Check.That(other.Wait(late), "the others wait on, and a cancelled wait takes nothing");
    }
  }

  public static void WaitsForSeveral() {
    using (CudaStream stream = World.Stream())
    using (CudaQueue queue = new CudaQueue()) {
      Task<Completion[]> first = queue.WaitAsync();
      Add(stream, queue, 1);
      Check.That(first.Wait(late) && first.Result.Single().Token == 1 && first.Result[0].Status == Status.Ok);
      Add(stream, queue, 2, 3, 4);
      for (int i = 0; i < 1000 && queue.Info.Waiting < 3; ++i) Thread.Sleep(10);
      Task<Completion[]> two = queue.WaitAsync(CancellationToken.None, 2);
      Check.That(two.IsCompleted, "completions that are there are returned at once");
      Check.Same(new ulong[] { 2, 3 }, two.Result.Select(c => c.Token));
      Check.Equal("most", Check.Throws<ArgumentOutOfRangeException>(() => queue.WaitAsync(CancellationToken.None, 0)).ParamName);
      queue.End();
      // As much room for all that could come would be more than an array can be.
      Check.Equal(4UL, queue.WaitAsync(CancellationToken.None, 1 << 27).Result.Single().Token);
      Check.That(((Task)queue.WaitAsync()).ContinueWith(done => done.Exception.InnerException is InvalidStateException).Result);
    }
  }

  // A disposed queue ends the waits for it.
  public static void DisposeEndsTheWaits() {
    CudaQueue queue = new CudaQueue();
    Task loop = All(queue), wait = queue.WaitAsync();
    Check.That(!Task.WhenAny(loop, wait).Wait(soon));
    queue.Dispose();
    foreach (Task each in new[] { loop, wait })
      Check.That(Check.Throws<AggregateException>(() => each.Wait(late)).InnerException is ObjectDisposedException);
  }

  // Many waits cost one thread.
  public static void OneThreadForManyQueues() {
    CudaQueue[] queues = Enumerable.Range(0, 50).Select(i => new CudaQueue()).ToArray();
    using (CudaStream stream = World.Stream()) {
      All(queues[0], CancellationToken.None, 0).Wait();
      int before = System.Diagnostics.Process.GetCurrentProcess().Threads.Count;
      Task<Completion[]>[] all = queues.Select(queue => queue.WaitAsync()).ToArray();
      Check.That(!Task.WhenAny(all).Wait(soon));
      int made = System.Diagnostics.Process.GetCurrentProcess().Threads.Count - before;
      Check.That(made < 25, $"{made} threads for 50 queues");
      for (int i = 0; i < queues.Length; ++i) Add(stream, queues[i], (ulong)i);
      Check.That(Task.WaitAll(all, late));
      Check.Same(Enumerable.Range(0, 50).Select(i => (ulong)i), all.Select(task => task.Result.Single().Token));
    }
    foreach (CudaQueue queue in queues) queue.Dispose();
  }

  // Several loops share the completions of many threads; each comes once.
  public static void LoopsShareAQueue() {
    const int Threads = 4, Each = 500;
    using (CudaQueue queue = new CudaQueue()) {
      Task<List<ulong>>[] loops = Enumerable.Range(0, 3).Select(i => Task.Run(() => All(queue))).ToArray();
      World.Together(Threads, which => {
        using (CudaStream stream = World.Stream()) {
          for (int i = 0; i < Each; ++i) Add(stream, queue, (ulong)(which * Each + i));
          stream.Synchronize();
        }
      });
      for (int i = 0; i < 1000 && queue.Info.Completed < Threads * Each; ++i) Thread.Sleep(10);
      queue.End();
      Check.That(Task.WaitAll(loops, late));
      Check.Same(Enumerable.Range(0, Threads * Each).Select(i => (ulong)i), loops.SelectMany(loop => loop.Result).OrderBy(token => token));
    }
  }
}
