// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** Device memory at one moment. */
public final class MemoryInfo {
  //: fields equal
  private final long free; // What is free -> bytes
  private final long total; // All there is -> bytes

  MemoryInfo(long[] both) {
    free = both[0];
    total = both[1];
  }

  @Override
  public String toString() {
    return free + " of " + total + " bytes free";
  }
}
