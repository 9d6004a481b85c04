// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** The location of a variable on a device. */
public final class GlobalVariable {
  //: fields equal (long[] both)
  private final long address = both[0]; // The address, valid while the code is loaded -> the address
  private final long size = both[1]; // The size -> bytes

  //: said Said.counted(size, "byte") + " at 0x" + Long.toHexString(address)
}
