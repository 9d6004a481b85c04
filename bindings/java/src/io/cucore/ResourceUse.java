package io.cucore;

/** What a kernel needs, as its machine code says; -1 where it does not. */
public final class ResourceUse {
  private final int[] all = new int[6];

  ResourceUse(ObjectCode code, long symbol) {
    for (int i = 0; i < all.length; ++i) {
      all[i] = code.symbolResourceNow(symbol, i);
    }
  }

  /**
   * Registers.
   *
   * @return of a thread
   */
  public int registers() {
    return all[0];
  }

  /**
   * Static shared memory.
   *
   * @return bytes of a block
   */
  public int staticShared() {
    return all[1];
  }

  /**
   * The stack, where spilled registers are too.
   *
   * @return bytes of a thread
   */
  public int stack() {
    return all[2];
  }

  /**
   * The largest block, from __launch_bounds__.
   *
   * @return threads
   */
  public int maxThreads() {
    return all[3];
  }

  /**
   * The constant bank, the parameters included.
   *
   * @return bytes
   */
  public int constant() {
    return all[4];
  }

  /**
   * The instructions.
   *
   * @return bytes
   */
  public int codeSize() {
    return all[5];
  }

  @Override
  public String toString() {
    return "registers=" + registers() + ", staticShared=" + staticShared() + ", stack=" + stack()
        + ", maxThreads=" + maxThreads() + ", constant=" + constant() + ", codeSize=" + codeSize();
  }
}
