// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import java.lang.ref.Cleaner;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Releases a native object once: when it is closed, or when its Java object is unreachable. It never waits. */
final class Releasing implements Runnable {
  private static final Cleaner CLEANER = Cleaner.create();
  private static final AtomicLong RELEASED = new AtomicLong();
  private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int PAUSES = 50; // until the first release
  private static final int QUIET_PAUSES = 3; // after the last one

  private final long lease;
  private Cleaner.Cleanable cleanable;

  private Releasing(long lease) {
    this.lease = lease;
  }

  static Releasing of(Object owner, long lease) {
    Releasing made = new Releasing(lease);
    made.cleanable = CLEANER.register(owner, made);
    return made;
  }

  /** Returns the number of objects released so far. */
  static long released() {
    return RELEASED.get();
  }

  /**
   * Collects forgotten arrays after the device memory was exhausted, because the collector does not count that memory.
   * Native code calls it. Returns the argument of the next call, or 0 if another try is of no use.
   */
  static synchronized long collect(long patience) {
    long now = System.nanoTime();
    long end = patience == 0 ? now + LONGEST_NS | 1 : patience;
    if (now - end >= 0) {
      return 0;
    }
    boolean interrupted = Thread.interrupted(); // a pause would not wait
    long before = RELEASED.get();
    System.gc();
    long last = before;
    for (int quiet = 0; quiet < (last == before ? PAUSES : QUIET_PAUSES) && System.nanoTime() - end < 0; ++quiet) {
      LockSupport.parkNanos(PAUSE_NS);
      quiet = RELEASED.get() == last ? quiet : 0;
      last = RELEASED.get();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return last == before ? System.nanoTime() | 1 : end; // nothing is left to release: this is the last try
  }

  void now() {
    cleanable.clean();
  }

  @Override
  public void run() {
    Natives.close(lease);
    RELEASED.incrementAndGet();
  }
}
