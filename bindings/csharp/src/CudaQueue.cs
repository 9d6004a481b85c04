// SPDX-License-Identifier: Apache-2.0
// Queues and futures: explicit completions. Most programs await a stream instead: Completions.cs.
using System;

namespace Cucore {
/// <summary>A completion from a queue.</summary>
public partial struct Completion {
  internal const int Size = 32;

  /// <summary>The value passed to CudaFuture.FromStream.</summary>
  public ulong Token { get; }
  /// <summary>Status.Ok, or the failure of the work: see CudaFuture.Check.</summary>
  public Status Status { get; }

  /// <summary>CompletionKind.Host for a host function.</summary>
  public CompletionKind Kind { get; }
  /// <summary>Of a host function for which a stream waits: for CudaQueue.Resume; else 0.</summary>
  public ulong Ticket { get; }

  // cucore_completion
  internal unsafe Completion(byte* from) {
    Token = *(ulong*)from;
    Status = (Status)(*(int*)(from + 8));
    Kind = (CompletionKind)(*(int*)(from + 12));
    Ticket = *(ulong*)(from + 16);
  }
}

/// <summary>The content of a queue, and the cost of its polling.</summary>
public sealed class QueueInfo {
  //: fields internal (CudaQueue queue)
  /// <summary>Futures whose work is not complete, including detached ones.</summary>
  public long Pending { get; } = queue.RawQueryPending();
  /// <summary>Completions that were not taken yet.</summary>
  public long Waiting { get; } = queue.RawQueryWaiting();
  /// <summary>All completions that came to the queue.</summary>
  public long Completed { get; } = queue.RawQueryCompleted();
  /// <summary>CPU time of the polling, for all queues of the process.</summary>
  public TimeSpan CpuTime { get; } = TimeSpan.FromTicks(queue.RawQueryCpuNs() / Timeout.NanosecondsPerTick);
  /// <summary>Whether it was ended.</summary>
  public bool IsClosed { get; } = queue.RawQueryIsClosed();

  /// <summary>One without values.</summary>
  public QueueInfo() {}

  //: described
}

internal static class Timeout {
  internal const long NanosecondsPerTick = 100;

  /// <summary>Null and Timeout.InfiniteTimeSpan have no limit, nor has a time of more than 292
  /// years.</summary>
  internal static long Nanoseconds(TimeSpan? timeout) {
    if (timeout == null || timeout == System.Threading.Timeout.InfiniteTimeSpan) return -1;
    if (timeout < TimeSpan.Zero) throw new ArgumentOutOfRangeException(nameof(timeout), timeout, "it is negative");
    return timeout.Value.Ticks > long.MaxValue / NanosecondsPerTick ? -1 : timeout.Value.Ticks * NanosecondsPerTick;
  }

  internal static int WholeMilliseconds(long nanoseconds) { return (int)((nanoseconds + 999999) / 1000000); }

  /// <summary>0 for null. Other values that round to 0 would wait forever, and are
  /// refused.</summary>
  internal static long Milliseconds(TimeSpan? timeout, string name) {
    if (timeout == null) return 0;
    long whole = timeout.Value.Ticks / TimeSpan.TicksPerMillisecond;
    if (whole < 1 || whole > uint.MaxValue) throw new ArgumentOutOfRangeException(name);
    return whole;
  }
}

public partial class CudaQueue {
  private const int Most = 256;
  private const int MostAtOnce = 1 << 16;  // bounds the memory of one call
  private static readonly Completion[] none = new Completion[0];

  //: cucore_queue_wait
  /// <param name="timeout">null and Timeout.InfiniteTimeSpan: no limit</param>
  /// <param name="most">the most completions to take</param>
  /// <returns>the completions; none after the time limit</returns>
  public Completion[] Wait(TimeSpan? timeout = null, int most = Most) {
    if (most < 1) throw new ArgumentOutOfRangeException(nameof(most));
    byte[] room = RoomFor(most);
    Completion[] taken = none;
    Waits.InSlices(Timeout.Nanoseconds(timeout), slice => (taken = Take(slice, room)).Length != 0);
    return taken;
  }

  private static byte[] RoomFor(int most) { return new byte[Math.Min(most, MostAtOnce) * Completion.Size]; }

  internal unsafe Completion[] Take(long timeout, byte[] room) {
    fixed (byte* first = room) {
      Completion[] taken = new Completion[RawWait(timeout, (IntPtr)first, room.Length)];
      for (int i = 0; i < taken.Length; ++i) taken[i] = new Completion(first + i * Completion.Size);
      return taken;
    }
  }

  //: cucore_queue_query
  public QueueInfo Info { get { return new QueueInfo(this); } }
}
}
