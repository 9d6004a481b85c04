// SPDX-License-Identifier: Apache-2.0
// Long waits spend their time in C#. A Mono process that ends first stops all of its threads, and a
// thread in a native call only when the call returns. At that moment Mono 6.8 sometimes aborts the
// process (exit code 134).
using System;
using System.Diagnostics;
using System.Threading;

namespace Cucore {
/// <summary>The pace of a wait: native calls at first, which are prompt, then pauses between
/// them.</summary>
internal sealed class Pace {
  private const long NativeMilliseconds = 20;
  private const long LongestPauseMilliseconds = 10;
  private const long SliceMilliseconds = 100;  // for runtimes that end without their threads
  private static readonly bool isMono = Type.GetType("Mono.Runtime") != null;
  private readonly Stopwatch watch = Stopwatch.StartNew();

  /// <summary>How long the next native call may wait.</summary>
  internal long Milliseconds {
    get { return isMono ? Math.Max(0, NativeMilliseconds - watch.ElapsedMilliseconds) : SliceMilliseconds; }
  }
  internal long Nanoseconds { get { return Milliseconds * 1000000; } }

  /// <summary>How long to wait in C# before the next native call: a small part of the time since
  /// the start.</summary>
  internal TimeSpan Pause {
    get {
      if (Milliseconds != 0) return TimeSpan.Zero;
      return TimeSpan.FromMilliseconds(Math.Min(LongestPauseMilliseconds, Math.Max(1, watch.ElapsedMilliseconds / 64)));
    }
  }

  internal void Rest() {
    TimeSpan pause = Pause;
    if (pause != TimeSpan.Zero) Thread.Sleep(pause);
  }

  internal void Restart() { watch.Restart(); }
}

internal static class Waits {
  /// <summary>Waits until a wait is over; 0 is over already. A negative limit is none.</summary>
  internal static void Finish(IntPtr waiting, long nanoseconds = -1) {
    CucoreNativePINVOKE.Check();
    if (waiting == IntPtr.Zero) return;
    bool isOver = false;
    try {
      isOver = InSlices(nanoseconds, slice => CucoreNativePINVOKE.WaitSlice(waiting, Timeout.WholeMilliseconds(slice)) != 0);
    } finally {
      CucoreNativePINVOKE.WaitEnd(waiting, isOver ? 1 : 0);
    }
    CucoreNativePINVOKE.Check();
    if (!isOver) throw NotReady(nanoseconds);
  }

  internal static CucoreException NotReady(long nanoseconds) {
    string message = $"the awaited work is not complete after {nanoseconds} ns";
    return CucoreException.Of(new Failure(Status.NotReady, message));
  }

  /// <summary>Returns the object code of a compile, and the place where it was found.</summary>
  internal static CacheResult Finish(NativeCompiling compiling) {
    using (compiling) {
      InSlices(-1, slice => compiling.Wait(Timeout.WholeMilliseconds(slice)));
      ObjectCode code = compiling.Take(out int outcome);
      return new CacheResult(code, outcome);
    }
  }

  /// <summary>Calls with the time of a slice until that returns true or the time is over; a
  /// negative time means no limit.</summary>
  internal static bool InSlices(long nanoseconds, Func<long, bool> wait) {
    Stopwatch watch = Stopwatch.StartNew();
    Pace pace = new Pace();
    long left = nanoseconds;
    do {
      if (wait(left < 0 ? pace.Nanoseconds : Math.Min(left, pace.Nanoseconds))) return true;
      if (left != 0) pace.Rest();
      if (nanoseconds >= 0) left = Math.Max(0, nanoseconds - watch.Elapsed.Ticks * Timeout.NanosecondsPerTick);
    } while (left != 0);
    return false;
  }
}

/// <summary>Objects that stay unreleased at the end of a process. Mono then runs all finalizers,
/// and the free of some memory waits for the device; the end of the process frees it
/// anyway.</summary>
internal static class Ending {
  internal static bool Keeps(string type) {
    return type == nameof(CudaBuffer) && Environment.HasShutdownStarted && !AppDomain.CurrentDomain.IsFinalizingForUnload();
  }
}

public partial class CudaFuture {
  //: cucore_future_wait
  /// <param name="timeout">null and Timeout.InfiniteTimeSpan: no limit</param>
  public void Wait(TimeSpan? timeout = null) {
    long nanoseconds = Timeout.Nanoseconds(timeout);
    if (!Waits.InSlices(nanoseconds, WaitFor)) throw Waits.NotReady(nanoseconds);
  }

  private bool WaitFor(long nanoseconds) {
    bool isDone = CucoreNativePINVOKE.WaitFuture(swigCPtr, nanoseconds) != 0;
    CucoreNativePINVOKE.Check();
    return isDone;
  }
}
}
