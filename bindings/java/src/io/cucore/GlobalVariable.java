// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** Where a variable is on a device. */
public final class GlobalVariable {
  //: fields equal
  private final long address; // The address, good while the code is loaded -> the address
  private final long size; // The size -> bytes

  GlobalVariable(long[] both) {
    address = both[0];
    size = both[1];
  }

  @Override
  public String toString() {
    return size + " bytes at 0x" + Long.toHexString(address);
  }
}
