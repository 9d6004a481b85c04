package io.cucore;

import java.lang.ref.Cleaner;

/** Gives native objects back: when they are closed, or once nobody can reach them any more. */
final class Cleaning {
  private static final Cleaner CLEANER = Cleaner.create();

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
    }
  }

  static Cleaner.Cleanable register(Object owner, long lease) {
    return CLEANER.register(owner, new Release(lease));
  }
}
