package io.cucore;

/** The block size that fills a device best. */
public final class BlockSize {
  private final int minGridSize;
  private final int blockSize;

  BlockSize(long[] both) {
    minGridSize = (int) both[0];
    blockSize = (int) both[1];
  }

  /**
   * The least grid that fills the device.
   *
   * @return blocks
   */
  public int minGridSize() {
    return minGridSize;
  }

  /**
   * The block size.
   *
   * @return threads
   */
  public int blockSize() {
    return blockSize;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof BlockSize)) {
      return false;
    }
    BlockSize that = (BlockSize) other;
    return minGridSize == that.minGridSize && blockSize == that.blockSize;
  }

  @Override
  public int hashCode() {
    return java.util.Objects.hash(minGridSize, blockSize);
  }

  @Override
  public String toString() {
    return "blocks of " + blockSize + ", at least " + minGridSize;
  }
}
