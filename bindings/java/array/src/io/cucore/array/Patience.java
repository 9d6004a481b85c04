// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The tries of one call that found no device memory. The collector does not count that memory, so it runs before each
 * try. Another thread may take what it releases for this one. Only collections of no use end the tries early.
 */
final class Patience {
  private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(1);
  private static final int FEWEST_TRIES = 8; // one collection may need most of the time
  private static final int MOST_FRUITLESS = 2; // the first one may end before the releases of an earlier one
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int QUIET_PAUSES = 3; // after the last release

  private final long end = System.nanoTime() + LONGEST_NS;
  private long released = -1; // objects at the latest try, if the collection before it found none
  private int tries;
  private int fruitless; // collections, one after another

  private Patience() {}

  /**
   * Collects forgotten arrays. Native code calls it after each try. Returns the argument of the next call, or null if
   * another try is of no use.
   */
  static Patience collect(Patience given) {
    Patience patience = given == null ? new Patience() : given;
    return patience.hasRoom() ? patience : null;
  }

  private boolean hasRoom() {
    long before = Releasing.released();
    fruitless = before == released ? fruitless + 1 : 0;
    boolean isOver = System.nanoTime() - end >= 0;
    if (fruitless == MOST_FRUITLESS || isOver && (fruitless > 0 || tries >= FEWEST_TRIES)) {
      return false;
    }
    synchronized (Patience.class) {
      if (Releasing.released() == before) { // otherwise another thread has just collected
        collect();
      }
    }
    ++tries;
    released = Releasing.released() == before ? before : -1;
    return true;
  }

  private static void collect() {
    boolean interrupted = Thread.interrupted(); // a pause would not wait
    try {
      CountDownLatch cleaned = Releasing.forgotten();
      System.gc();
      // A busy machine may run the cleaner late.
      if (cleaned.await(LONGEST_NS, TimeUnit.NANOSECONDS)) {
        waitForReleases();
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void waitForReleases() {
    long last = Releasing.released();
    long end = System.nanoTime() + LONGEST_NS;
    for (int quiet = 0; quiet < QUIET_PAUSES && System.nanoTime() - end < 0; ++quiet) {
      LockSupport.parkNanos(PAUSE_NS);
      quiet = Releasing.released() == last ? quiet : 0;
      last = Releasing.released();
    }
  }
}
