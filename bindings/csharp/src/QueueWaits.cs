// SPDX-License-Identifier: Apache-2.0
// Awaits queues: one thread polls the descriptors of all queues that tasks await.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Cucore {
// pollfd
[StructLayout(LayoutKind.Sequential)]
internal struct Polled {
  internal int Descriptor;
  internal short Wanted, Found;
}

/// <summary>A task that awaits a queue. It keeps the descriptor open.</summary>
internal sealed class QueueWaiter {
  // Continuations run elsewhere, because one that blocks must not delay the others.
  private readonly TaskCompletionSource<bool> source = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
  private readonly CudaQueue queue;
  internal readonly int Descriptor;

  internal QueueWaiter(CudaQueue queue) {
    this.queue = queue;
    Descriptor = queue.Descriptor;
  }

  internal Task Task { get { return source.Task; } }
  internal bool IsDisposed { get { return queue.IsDisposed; } }
  internal void End() { source.TrySetResult(true); }
  internal void Cancel(CancellationToken token) { source.TrySetCanceled(token); }
}

internal static class QueueWaits {
  private static readonly TimeSpan idle = TimeSpan.FromMilliseconds(20);
  private static readonly object gate = new object();
  private static readonly HashSet<QueueWaiter> waiters = new HashSet<QueueWaiter>();
  private static bool polling;

  /// <summary>Ends once the queue may have a completion, was ended, or was disposed of.</summary>
  internal static async Task Readable(CudaQueue queue, CancellationToken cancellation) {
    using (queue.Hold()) {
      QueueWaiter waiter = new QueueWaiter(queue);
      Add(waiter);
      using (cancellation.Register(() => Cancel(waiter, cancellation))) await waiter.Task.ConfigureAwait(false);
    }
  }

  private static void Add(QueueWaiter waiter) {
    lock (gate) {
      waiters.Add(waiter);
      Monitor.Pulse(gate);
      if (!polling) new Thread(Poll) { IsBackground = true, Name = "cucore queues" }.Start();
      polling = true;
    }
    CucoreNativePINVOKE.WakePoll();
  }

  private static void Cancel(QueueWaiter waiter, CancellationToken cancellation) {
    lock (gate) waiters.Remove(waiter);
    waiter.Cancel(cancellation);
  }

  // Ends after some time without a waiter.
  private static void Poll() {
    Pace pace = new Pace();
    int count = 0;
    for (QueueWaiter[] all = Present(); all.Length != 0; all = Present()) {
      if (Poll(all, pace) || all.Length != count) pace.Restart();
      count = all.Length;
      Rest(pace.Pause, count);
    }
  }

  // Returns whether a waiter has ended.
  private static bool Poll(QueueWaiter[] all, Pace pace) {
    Polled[] polled = new Polled[all.Length + 1];
    for (int i = 0; i < all.Length; ++i) polled[i].Descriptor = all[i].Descriptor;
    CucoreNativePINVOKE.Poll(polled, polled.Length, (int)pace.Milliseconds);
    QueueWaiter[] ended = all.Where((each, index) => polled[index].Found != 0 || each.IsDisposed).ToArray();
    lock (gate) waiters.ExceptWith(ended);
    foreach (QueueWaiter each in ended) each.End();
    return ended.Length != 0;
  }

  // Another waiter ends the pause.
  private static void Rest(TimeSpan pause, int count) {
    if (pause == TimeSpan.Zero) return;
    lock (gate) {
      if (waiters.Count == count) Monitor.Wait(gate, pause);
    }
  }

  private static QueueWaiter[] Present() {
    lock (gate) {
      if (waiters.Count == 0) Monitor.Wait(gate, idle);
      polling = waiters.Count != 0;
      return waiters.ToArray();
    }
  }
}

public partial class CudaQueue {
  internal Use Hold() { return new Use(swigCPtr); }

  /// <summary>Returns a task of completions, which it takes from the queue as Wait does. No thread
  /// is blocked for it. A cancelled task has taken nothing.</summary>
  /// <param name="cancellation">ends the wait</param>
  /// <param name="most">the most completions to take</param>
  /// <returns>one or more completions, oldest first</returns>
  /// <exception cref="InvalidStateException">the queue was ended and is empty, or the process is exiting</exception>
  public Task<Completion[]> WaitAsync(CancellationToken cancellation = default(CancellationToken), int most = Most) {
    CheckAlive();
    if (most < 1) throw new ArgumentOutOfRangeException(nameof(most));
    return cancellation.IsCancellationRequested ? Task.FromCanceled<Completion[]>(cancellation) : TakeAsync(RoomFor(most), cancellation);
  }

  internal async Task<Completion[]> TakeAsync(byte[] room, CancellationToken cancellation) {
    Completion[] taken;
    while ((taken = Take(0, room)).Length == 0) await QueueWaits.Readable(this, cancellation).ConfigureAwait(false);
    return taken;
  }
}

#if CUCORE_ASYNC_INTERFACES || NETSTANDARD2_1_OR_GREATER || NETCOREAPP3_0_OR_GREATER
public partial class CudaQueue : IAsyncEnumerable<Completion> {
  /// <summary>Takes completions one by one, for "await foreach". The enumeration ends once the queue
  /// was ended and is empty. A completion that is not requested stays in the queue, so a loop that is
  /// left loses none, and several loops share the completions.</summary>
  /// <param name="cancellation">ends the wait for the next completion</param>
  public IAsyncEnumerator<Completion> GetAsyncEnumerator(CancellationToken cancellation = default(CancellationToken)) {
    CheckAlive();
    return new CompletionEnumerator(this, cancellation);
  }
}

internal sealed class CompletionEnumerator : IAsyncEnumerator<Completion> {
  private readonly byte[] room = new byte[Completion.Size];
  private readonly CudaQueue queue;
  private readonly CancellationToken cancellation;

  internal CompletionEnumerator(CudaQueue queue, CancellationToken cancellation) {
    this.queue = queue;
    this.cancellation = cancellation;
  }

  public Completion Current { get; private set; }

  public ValueTask<bool> MoveNextAsync() {
    if (cancellation.IsCancellationRequested) return new ValueTask<bool>(Task.FromCanceled<bool>(cancellation));
    Task<Completion[]> next = queue.TakeAsync(room, cancellation);
    if (next.Status != TaskStatus.RanToCompletion) return new ValueTask<bool>(Next(next));
    Current = next.Result[0];
    return new ValueTask<bool>(true);
  }

  private async Task<bool> Next(Task<Completion[]> next) {
    try {
      Current = (await next.ConfigureAwait(false))[0];
      return true;
    } catch (InvalidStateException) when (queue.Info.IsClosed) {
      return false;
    }
  }

  public ValueTask DisposeAsync() { return default(ValueTask); }
}
#endif
}
