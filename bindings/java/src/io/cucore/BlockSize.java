// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** The block size that uses a device best. */
public final class BlockSize {
  //: fields equal (long[] both)
  private final int minGridSize = (int) both[0]; // The least grid that fills the device -> blocks
  private final int blockSize = (int) both[1]; // The block size -> threads

  //: said "blocks of " + blockSize + ", at least " + minGridSize
}
