// SPDX-License-Identifier: Apache-2.0
// The tries of one call that found no device memory.
using System;
using System.Diagnostics;
using System.Threading;

namespace Cucore.Arrays {
/// <summary>The collector does not count device memory, so it runs before each try of a call that found none. Other threads leave to the
/// call what the collector releases. Only collections of no use end the tries early.</summary>
internal struct Patience {
  private const int FewestTries = 8;  // one collection may need most of the time
  private const int MostFruitless = 2;  // the first one may end before the releases of an earlier one
  private const int PauseMilliseconds = 1;
  private static readonly long second = Stopwatch.Frequency, moment = Stopwatch.Frequency / 20;

  // Threads that collect or try again. Others wait for them until a point of time. A call that tries again may itself take long, and a
  // thread that collects may need what another one has locked.
  private static int urgent;
  private static long othersWaitUntil;

  private bool isUrgent;
  private int tries;
  private int fruitless;  // collections, one after another
  private long end;
  private long released;  // objects at the latest try; -1 if the collection before it found some

  /// <summary>Waits for other threads that collect, because the call could take what they release.</summary>
  internal static Patience Begin() {
    if (Volatile.Read(ref urgent) != 0) WaitForOthers();
    return new Patience();
  }

  /// <summary>Collects arrays that the program has forgotten, if the call found no device memory. Returns whether to call again.</summary>
  internal bool IsToRepeat(int status, IntPtr error) {
    if (status != (int)Status.OutOfDeviceMemory || !Collect()) return false;
    ArrayNative.cucore_error_release(error);
    return true;
  }

  internal void End() {
    if (isUrgent) Interlocked.Decrement(ref urgent);
  }

  private static void WaitForOthers() {
    while (Volatile.Read(ref urgent) != 0 && Stopwatch.GetTimestamp() < Interlocked.Read(ref othersWaitUntil)) Thread.Sleep(PauseMilliseconds);
  }

  private bool Collect() {
    Interlocked.Exchange(ref othersWaitUntil, Stopwatch.GetTimestamp() + second);
    if (!isUrgent) {
      Interlocked.Increment(ref urgent);
      isUrgent = true;
      end = Stopwatch.GetTimestamp() + second;
    }
    bool hasRoom = HasRoom();
    Interlocked.Exchange(ref othersWaitUntil, Stopwatch.GetTimestamp() + moment);
    return hasRoom;
  }

  private bool HasRoom() {
    long before = ArrayHandle.Released;
    fruitless = tries > 0 && before == released ? fruitless + 1 : 0;
    bool isOver = Stopwatch.GetTimestamp() >= end;
    if (fruitless == MostFruitless || isOver && (fruitless > 0 || tries >= FewestTries)) return false;
    Allocation.CollectUnless(() => ArrayHandle.Released != before);
    ++tries;
    released = ArrayHandle.Released == before ? before : -1;
    return true;
  }
}
}
