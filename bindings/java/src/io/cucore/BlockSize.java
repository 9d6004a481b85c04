// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** The block size that fills a device best. */
public final class BlockSize {
  //: fields equal
  private final int minGridSize; // The least grid that fills the device -> blocks
  private final int blockSize; // The block size -> threads

  BlockSize(long[] both) {
    minGridSize = (int) both[0];
    blockSize = (int) both[1];
  }

  @Override
  public String toString() {
    return "blocks of " + blockSize + ", at least " + minGridSize;
  }
}
