package io.cucore;

/** Device memory at one moment. */
public final class MemoryInfo {
  private final long free;
  private final long total;

  MemoryInfo(long[] both) {
    free = both[0];
    total = both[1];
  }

  /**
   * What is free.
   *
   * @return bytes
   */
  public long free() {
    return free;
  }

  /**
   * All there is.
   *
   * @return bytes
   */
  public long total() {
    return total;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof MemoryInfo)) {
      return false;
    }
    MemoryInfo that = (MemoryInfo) other;
    return free == that.free && total == that.total;
  }

  @Override
  public int hashCode() {
    return java.util.Objects.hash(free, total);
  }

  @Override
  public String toString() {
    return free + " of " + total + " bytes free";
  }
}
