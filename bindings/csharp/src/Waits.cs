// Waits come back to C# every 100 ms: Mono stops a thread only where it runs C#, and a process that ends
// stops all of its threads first.
using System;
using System.Diagnostics;

namespace Cucore {
internal static class Waits {
  private const int SliceMilliseconds = 100;
  internal const long SliceNanoseconds = SliceMilliseconds * 1000000L;

  /// <summary>Until a wait that was begun is over; 0 is over already.</summary>
  internal static void Finish(IntPtr waiting) {
    CucoreNativePINVOKE.Check();
    if (waiting == IntPtr.Zero) return;
    int isOver = 0;
    try {
      do isOver = CucoreNativePINVOKE.WaitSlice(waiting, SliceMilliseconds); while (isOver == 0);
    } finally {
      CucoreNativePINVOKE.WaitEnd(waiting, isOver);
    }
    CucoreNativePINVOKE.Check();
  }

  /// <summary>The object code of a compile, and where it came from.</summary>
  internal static CacheResult Finish(NativeCompiling compiling) {
    using (compiling) {
      while (!compiling.Wait(SliceMilliseconds)) {}
      ObjectCode code = compiling.Take(out int outcome);
      return new CacheResult(code, outcome);
    }
  }

  /// <summary>Calls with the time of a slice until that gives true or all the time is over; a negative one has no end.</summary>
  internal static bool InSlices(long nanoseconds, Func<long, bool> wait) {
    Stopwatch watch = Stopwatch.StartNew();
    long left = nanoseconds;
    do {
      if (wait(left < 0 ? SliceNanoseconds : Math.Min(left, SliceNanoseconds))) return true;
      if (nanoseconds >= 0) left = Math.Max(0, nanoseconds - watch.Elapsed.Ticks * Timeout.NanosecondsPerTick);
    } while (left != 0);
    return false;
  }
}

/// <summary>What the end of a process leaves alone. Mono runs all finalizers then, and freeing some memory waits for
/// the device; the end of the process frees it anyway.</summary>
internal static class Ending {
  internal static bool Keeps(string type) {
    return type == nameof(CudaBuffer) && Environment.HasShutdownStarted && !AppDomain.CurrentDomain.IsFinalizingForUnload();
  }
}

public partial class CudaStream {
  //: cucore_stream_synchronize
  public void Synchronize() { Waits.Finish(CucoreNativePINVOKE.WaitStream(swigCPtr)); }
}

public partial class CudaEvent {
  //: cucore_event_synchronize
  public void Synchronize() { Waits.Finish(CucoreNativePINVOKE.WaitEvent(swigCPtr)); }
}

public partial class CudaDevice {
  //: cucore_device_synchronize
  public void Synchronize() { Waits.Finish(CucoreNativePINVOKE.WaitDevice(swigCPtr)); }
}

public partial class CudaFuture {
  //: cucore_future_wait
  /// <param name="timeout">null has no end</param>
  public void Wait(TimeSpan? timeout = null) {
    long nanoseconds = Timeout.Nanoseconds(timeout);
    if (!Waits.InSlices(nanoseconds, WaitFor)) throw NotReady($"the awaited work is not complete after {nanoseconds} ns");
  }

  private bool WaitFor(long nanoseconds) {
    bool isDone = CucoreNativePINVOKE.WaitFuture(swigCPtr, nanoseconds) != 0;
    CucoreNativePINVOKE.Check();
    return isDone;
  }

  private static CucoreException NotReady(string message) {
    return CucoreException.Of(new Failure((int)Status.NotReady, message, "", "cucore", 0, "", new Diagnostic[0]));
  }
}
}
