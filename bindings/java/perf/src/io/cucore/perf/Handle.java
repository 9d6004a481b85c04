// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import io.cucore.Status;
import java.lang.ref.Cleaner;
import java.util.function.LongConsumer;

/** A native object. It ends when it is closed, or when its Java object is unreachable. */
abstract class Handle implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  private final Cleaner.Cleanable release;
  private volatile long address; // 0 once it is closed

  Handle(long address, LongConsumer release) {
    this.address = address;
    this.release = CLEANER.register(this, () -> release.accept(address));
  }

  /** The address, which the library refuses if another thread closes the object. */
  final long address() {
    long found = address;
    if (found == 0) {
      Frame.refuse(Status.INVALID_HANDLE, "the " + getClass().getSimpleName() + " has been closed");
    }
    return found;
  }

  /**
   * Returns whether {@link #close()} has been called.
   *
   * @return true once closed
   */
  public boolean isClosed() {
    return address == 0;
  }

  /** Releases the native object. A second call does nothing. */
  @Override
  public void close() {
    address = 0;
    release.clean();
  }
}
