// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** Device memory at one moment. */
public final class MemoryInfo {
  //: fields equal (long[] both)
  private final long free = both[0]; // The free memory -> bytes
  private final long total = both[1]; // All memory -> bytes

  //: said free + " of " + Said.counted(total, "byte") + " free"
}
