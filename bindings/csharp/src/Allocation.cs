// SPDX-License-Identifier: Apache-2.0
// Allocates device memory. If that fails, it first collects the buffers that the program has forgotten.
using System;
using System.Threading;

namespace Cucore {
internal static class Allocation {
  // Other threads may take what one thread's collection freed.
  private const int MostCollections = 8;
  // A finalizer that allocates must not wait for the thread that waits for finalizers.
  private const int PatienceMilliseconds = 1000;
  private static readonly object collecting = new object();
  private static int collectors;
  private static int made;

  /// <summary>Calls a function that allocates, and again after a collection if the memory is exhausted.</summary>
  internal static T Make<T>(Func<T> make) {
    // A thread that allocates while another one collects would take the memory that the other one needs.
    if (Volatile.Read(ref collectors) != 0 && Monitor.TryEnter(collecting, PatienceMilliseconds)) Monitor.Exit(collecting);
    try {
      return Counted(make);
    } catch (OutOfDeviceMemoryException) {
      return MakeAfterCollection(make);
    }
  }

  private static T MakeAfterCollection<T>(Func<T> make) {
    bool isAlone = Monitor.TryEnter(collecting, PatienceMilliseconds);
    Interlocked.Increment(ref collectors);
    try {
      for (int i = 1;; ++i) {
        int before = Volatile.Read(ref made);
        Collect();
        try {
          return Counted(make);
        } catch (OutOfDeviceMemoryException) when (i < MostCollections && before != Volatile.Read(ref made)) {
        }
      }
    } finally {
      Interlocked.Decrement(ref collectors);
      if (isAlone) Monitor.Exit(collecting);
    }
  }

  /// <summary>Collects, unless another thread has done it meanwhile.</summary>
  internal static void CollectUnless(Func<bool> isDone) {
    bool isAlone = Monitor.TryEnter(collecting, PatienceMilliseconds);
    try {
      if (!isDone()) Collect();
    } finally {
      if (isAlone) Monitor.Exit(collecting);
    }
  }

  private static T Counted<T>(Func<T> make) {
    T result = make();
    Interlocked.Increment(ref made);
    return result;
  }

  // The library waits for the device, and for what is about to be freed there, before it fails.
  private static void Collect() {
    GC.Collect();
    GC.WaitForPendingFinalizers();
  }
}
}
