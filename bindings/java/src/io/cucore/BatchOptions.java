// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.time.Duration;

/** Options for the compile of many programs. */
public final class BatchOptions {
  //: builder
  final long workers; // int: The number of worker processes (default: one per core) -> the number; 0 means one per core
  final long timeLimitMillis; // Duration: The time limit per compile (default: none) -> the time, a millisecond at least; zero means no limit
  final Cache cache; // Optional: The cache for lookups and results (default: none) -> the cache, or null

  /** In whole milliseconds of 32 bits; less than one would mean no limit. */
  static long millis(Duration time, String name) {
    Given.notNull(time, name);
    boolean isTooLong = time.compareTo(Duration.ofMillis(0xffffffffL)) > 0;
    if (time.isNegative() || isTooLong || !time.isZero() && time.toMillis() == 0) {
      throw CucoreException.invalid(name + " cannot be " + time);
    }
    return time.toMillis();
  }
}
