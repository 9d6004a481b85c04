// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;

/** Releases native objects when they are closed, or once they are unreachable. */
final class Cleaning {
  private static final Cleaner CLEANER = Cleaner.create();
  private static final AtomicLong RELEASED = new AtomicLong();

  private Cleaning() {}

  /** Holds only the lease: a cleaning must not keep its object alive. */
  private static final class Release implements Runnable {
    private final long lease;

    Release(long lease) {
      this.lease = lease;
    }

    @Override
    public void run() {
      Natives.close(lease);
      RELEASED.incrementAndGet();
    }
  }

  /** Returns the number of objects released so far. */
  static long released() {
    return RELEASED.get();
  }

  static Cleaner.Cleanable register(Object owner, long lease) {
    return CLEANER.register(owner, new Release(lease));
  }
}
