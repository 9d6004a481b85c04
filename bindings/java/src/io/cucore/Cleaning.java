// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;

/** Gives native objects back: when they are closed, or once nobody can reach them any more. */
final class Cleaning {
  private static final Cleaner CLEANER = Cleaner.create();
  private static final AtomicLong RELEASED = new AtomicLong();

  private Cleaning() {}

  /** Holds the lease only: what is cleaned must not be kept alive by its cleaning. */
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

  /** The record's thread has ended once its block is gone. */
  static void registerRecord(LaunchBlock owner, long record) {
    if (record != 0) {
      CLEANER.register(owner, () -> Natives.closeRecord(record));
    }
  }

  /** How many objects have been released so far. */
  static long released() {
    return RELEASED.get();
  }

  static Cleaner.Cleanable register(Object owner, long lease) {
    return CLEANER.register(owner, new Release(lease));
  }
}
