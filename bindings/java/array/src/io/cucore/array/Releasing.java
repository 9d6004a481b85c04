// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import java.lang.ref.Cleaner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Releases a native object once: when it is closed, or when its Java object is unreachable. It never waits. */
final class Releasing implements Runnable {
  private static final Cleaner CLEANER = Cleaner.create();
  private static final AtomicLong RELEASED = new AtomicLong();

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

  /** Returns what the release of an object opens that is unreachable from now on. */
  static CountDownLatch forgotten() {
    CountDownLatch opened = new CountDownLatch(1);
    CLEANER.register(new Object(), opened::countDown);
    return opened;
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
