// SPDX-License-Identifier: Apache-2.0
// Awaits streams: tasks that one thread completes, which drains one queue. Threads of the library
// never run C#.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Cucore {
/// <summary>A waiter for the end of work.</summary>
internal sealed class Waiter {
  // Continuations run elsewhere, because one that blocks must not delay the others.
  private readonly TaskCompletionSource<bool> source = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
  // Held until the future is there, which its completion can precede.
  private readonly object begun = new object();
  private CudaFuture? future;

  internal Task Task { get { return source.Task; } }

  // The driver blocks while the stream is full.
  internal void Begin(CudaStream stream, CudaQueue queue, ulong token) {
    lock (begun) future = CudaFuture.FromStream(stream, queue, token);
  }

  internal void Complete(Status status) {
    CudaFuture done;
    lock (begun) done = future!;
    try {
      if (status != Status.Ok) done.Check();
      source.TrySetResult(true);
    } catch (Exception e) {
      source.TrySetException(e);
    } finally {
      done.Dispose();
    }
  }

  // The work continues; its completion never comes out of the queue, or is ignored.
  internal void Cancel(CancellationToken token) {
    future!.Detach();
    future.Dispose();
    source.TrySetCanceled(token);
  }

  internal void Fail(Exception why) { source.TrySetException(why); }
}

internal static class Completions {
  // The thread stays this long without a waiter, because many programs await one task after
  // another.
  private const long IdleNanoseconds = 20000000;
  private const int Most = 256;
  private static readonly object gate = new object();
  private static readonly Dictionary<ulong, Waiter> waiters = new Dictionary<ulong, Waiter>();
  private static CudaQueue? queue;
  private static ulong lastToken;
  private static bool draining;

  internal static Task Of(CudaStream stream, CancellationToken cancellation) {
    if (cancellation.IsCancellationRequested) return Task.FromCanceled(cancellation);
    ulong token = Add(out Waiter waiter);
    try {
      waiter.Begin(stream, queue!, token);
    } catch {
      Take(token);
      throw;
    }
    if (cancellation.CanBeCanceled) {
      CancellationTokenRegistration registration = cancellation.Register(() => Take(token)?.Cancel(cancellation));
      waiter.Task.ContinueWith(done => registration.Dispose(), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously,
                               TaskScheduler.Default);
    }
    return waiter.Task;
  }

  private static ulong Add(out Waiter waiter) {
    waiter = new Waiter();
    lock (gate) {
      if (queue == null) queue = new CudaQueue();
      waiters.Add(++lastToken, waiter);
      Monitor.Pulse(gate);
      if (!draining) new Thread(Drain) { IsBackground = true, Name = "cucore completions" }.Start();
      draining = true;
      return lastToken;
    }
  }

  private static Waiter? Take(ulong token) {
    lock (gate) {
      if (waiters.TryGetValue(token, out Waiter waiter)) waiters.Remove(token);
      return waiter;
    }
  }

  // Ends after some time without a waiter.
  private static void Drain() {
    byte[] room = new byte[Most * Completion.Size];
    Pace pace = new Pace();
    try {
      int taken;
      do {
        taken = Drain(room, pace);
      } while (taken != 0 || GoesOn());
    } catch (CucoreException e) {
      End(e);
    }
  }

  private static int Drain(byte[] room, Pace pace) {
    bool isAwaited = IsAwaited(out ulong newest);
    Completion[] taken = queue!.Take(isAwaited ? pace.Nanoseconds : IdleNanoseconds, room);
    foreach (Completion each in taken) Take(each.Token)?.Complete(each.Status);
    if (taken.Length != 0 || IsJoined(newest, pace.Pause)) pace.Restart();
    return taken.Length;
  }

  // Returns whether another waiter has come before the time is up.
  private static bool IsJoined(ulong newest, TimeSpan time) {
    if (time == TimeSpan.Zero) return false;
    lock (gate) return lastToken != newest || Monitor.Wait(gate, time);
  }

  private static bool IsAwaited(out ulong newest) {
    lock (gate) {
      newest = lastToken;
      return waiters.Count != 0;
    }
  }

  private static bool GoesOn() {
    lock (gate) return draining = waiters.Count != 0;
  }

  // The process is exiting.
  private static void End(Exception why) {
    lock (gate) {
      draining = false;
      foreach (Waiter waiter in waiters.Values) waiter.Fail(why);
      waiters.Clear();
    }
  }
}

public partial class CudaStream {
  /// <summary>Returns a task that ends when all present work of the stream is complete, or fails as
  /// the work does. No thread waits for it. The code after an await runs on the thread pool, or in
  /// the context of the awaiting method.</summary>
  /// <param name="cancellation">ends the waiting, not the work</param>
  /// <exception cref="InvalidStateException">the stream is being captured</exception>
  public Task SynchronizeAsync(CancellationToken cancellation = default(CancellationToken)) {
    return Completions.Of(this, cancellation);
  }

  /// <summary>For "await stream", as SynchronizeAsync.</summary>
  public TaskAwaiter GetAwaiter() { return SynchronizeAsync().GetAwaiter(); }
}
}
