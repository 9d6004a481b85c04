package io.cucore;

import java.lang.ref.Cleaner;

/** Gives native objects back that nobody closed. */
final class Resources {
  private static final Cleaner CLEANER = Cleaner.create();

  private Resources() {}

  static Cleaner.Cleanable register(Object proxy, Runnable release) {
    return CLEANER.register(proxy, release);
  }
}
