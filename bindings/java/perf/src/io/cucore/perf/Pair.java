// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

/** A comparison with its two measurements. {@link Perf#compare} returns it. */
public final class Pair extends Comparison implements AutoCloseable {
  private final Measurement first;
  private final Measurement second;

  Pair(Memory from, Measurement first, Measurement second) {
    super(from);
    this.first = first;
    this.second = second;
  }

  /**
   * Returns the measurement of the first work.
   *
   * @return the measurement
   */
  public Measurement first() {
    return first;
  }

  /**
   * Returns the measurement of the second work.
   *
   * @return the measurement
   */
  public Measurement second() {
    return second;
  }

  /** Closes both measurements. */
  @Override
  public void close() {
    first.close();
    second.close();
  }
}
