// SPDX-License-Identifier: Apache-2.0
// Host functions: one thread drains one queue, and the thread pool runs the functions. Threads of the
// driver never run C#.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Cucore {
internal static class HostFunctions {
  private const long IdleNanoseconds = 20000000;
  private const int Most = 64;

  // A function; a graph launches a kept one again, until it drops its token.
  private struct Entry {
    internal Action Function;
    internal bool IsKept;
  }

  private static readonly object gate = new object();
  private static readonly Dictionary<ulong, Entry> entries = new Dictionary<ulong, Entry>();
  private static CudaQueue? queue;
  private static readonly ulong owner = CucoreNative.NewToken();  // of the tokens that graphs hold
  private static bool draining;

  // Calls a function with the queue and a token, for which a function of the user runs. A keeper launches it again.
  // No lock is held in the call. If a stream is full, the driver waits there until other functions have run.
  internal static void Add(Action function, Graph? keeper, Action<CudaQueue, ulong> launch) {
    ulong token = CucoreNative.NewToken();
    Keep(token, new Entry { Function = function, IsKept = keeper != null });
    try {
      launch(queue!, token);
      keeper?.RawHoldToken(owner, token);
    } catch {
      lock (gate) entries.Remove(token);
      throw;
    }
  }

  // The thread does not end while the entry is there, and the queue never ends.
  private static void Keep(ulong token, Entry entry) {
    lock (gate) {
      if (queue == null) queue = new CudaQueue();
      if (!draining) new Thread(Drain) { IsBackground = true, Name = "cucore host" }.Start();
      draining = true;
      entries.Add(token, entry);
    }
  }

  // Ends after some time without a function.
  private static void Drain() {
    byte[] room = new byte[Most * Completion.Size];
    try {
      do {
        foreach (Completion each in queue!.Take(IdleNanoseconds, room)) Begin(each);
      } while (GoesOn());
    } catch (InvalidStateException) {
      // the process is exiting
    }
  }

  private static bool GoesOn() {
    lock (gate) {
      for (ulong token = CucoreNative.TakeDroppedToken(owner); token != 0; token = CucoreNative.TakeDroppedToken(owner)) entries.Remove(token);
      return draining = entries.Count != 0;
    }
  }

  private static void Begin(Completion completion) {
    Entry entry;
    lock (gate) {
      // Without a function: a graph could not hold its token.
      if (!entries.TryGetValue(completion.Token, out entry)) entry = new Entry { Function = () => {}, IsKept = true };
    }
    ThreadPool.UnsafeQueueUserWorkItem(state => Run(entry, completion), null);
  }

  private static void Run(Entry entry, Completion completion) {
    try {
      entry.Function();
    } catch (Exception e) {
      CucoreLog.Write(LogLevel.Error, "a host function has failed: " + e);
    } finally {
      End(entry, completion);
    }
  }

  // The entry stays until then, so that the thread does not end.
  private static void End(Entry entry, Completion completion) {
    try {
      queue!.Resume(completion.Ticket);
    } catch (NotFoundException) {
      // the time limit was over, which the log reports
    } catch (InvalidStateException) {
      // the process is exiting
    }
    if (entry.IsKept) return;
    lock (gate) entries.Remove(completion.Token);
  }
}

public partial class CudaStream {
  /// <summary>Adds a function to the stream. It runs on the thread pool when the work before it is complete.
  /// Work after it starts when the function has returned. CucoreLog receives its exception, and the stream goes on.
  /// On a captured stream it runs at each launch of the graph, which keeps it. It must not wait for the stream.</summary>
  public void LaunchHost(Action function) {
    if (function == null) throw new ArgumentNullException(nameof(function));
    using (Graph? keeper = IsCapturing ? CaptureGraph : null)
      HostFunctions.Add(function, keeper, (queue, token) => LaunchHostQueued(queue, token, 1));
  }
}
}
