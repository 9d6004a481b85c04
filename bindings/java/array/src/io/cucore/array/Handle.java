// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

/** A native object other than an array. */
abstract class Handle implements AutoCloseable {
  volatile long lease; // read by native code; 0 once it is closed
  private final Releasing release;

  Handle(long lease) {
    this.lease = lease;
    release = Releasing.of(this, lease);
  }

  /** Returns whether {@link #close()} has been called.
   * @return true once closed */
  public boolean isClosed() {
    return lease == 0;
  }

  /** Releases the native object. Arrays of it stay. A second call does nothing. */
  @Override
  public void close() {
    lease = 0;
    release.now();
  }
}
