// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Allocates device memory. The collector does not count that memory, so it may not have run although
 * dropped buffers use all of it. If an allocation fails, it runs, and the allocation is tried again.
 */
final class Allocation {
  private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long SHORTEST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final ReentrantLock COLLECTING = new ReentrantLock();

  private Allocation() {}

  static long allocate(LongSupplier call) {
    try {
      return call.getAsLong();
    } catch (OutOfDeviceMemoryException e) {
      return collectAndAllocate(call);
    }
  }

  /**
   * One thread at a time, so that memory released for one thread is not lost to the others. The
   * allocation waits for the device, whose host functions may allocate too: they wait a bounded time.
   */
  private static long collectAndAllocate(LongSupplier call) {
    boolean interrupted = false;
    boolean isAlone = false;
    try {
      try {
        isAlone = COLLECTING.tryLock(LONGEST_NS, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      long end = System.nanoTime() + LONGEST_NS;
      long released = -1; // the first try uses memory that another thread's run has released
      for (long pause = SHORTEST_PAUSE_NS;; pause *= 2) {
        boolean isLast = System.nanoTime() >= end;
        long now = Cleaning.released();
        if (now != released || isLast) {
          try {
            return call.getAsLong();
          } catch (OutOfDeviceMemoryException e) {
            if (isLast) {
              throw e;
            }
          }
          released = now;
          System.gc();
        }
        interrupted |= Waits.pause(Math.max(SHORTEST_PAUSE_NS, Math.min(pause, end - System.nanoTime())));
      }
    } finally {
      if (isAlone) {
        COLLECTING.unlock();
      }
      Waits.restore(interrupted);
    }
  }
}
