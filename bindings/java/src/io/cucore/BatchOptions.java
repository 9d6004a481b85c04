// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.time.Duration;

/** How to compile many programs at once. */
public final class BatchOptions {
  //: builder
  final long workers; // int: How many processes compile; default: one a core -> the number; 0: one a core
  final long timeLimitMillis; // Duration: How long one compile may take; default: as long as it likes -> the time, a millisecond at least; zero: no limit
  final Cache cache; // Optional: Where to look first, and to keep what is compiled; default: nowhere -> the cache, or null

  /** In whole milliseconds, as 32 bits hold them; less than one would be taken for no limit at all. */
  static long millis(Duration time, String name) {
    Given.notNull(time, name);
    boolean isTooLong = time.compareTo(Duration.ofMillis(0xffffffffL)) > 0;
    if (time.isNegative() || isTooLong || !time.isZero() && time.toMillis() == 0) {
      throw CucoreException.invalid(name + " cannot be " + time);
    }
    return time.toMillis();
  }
}
