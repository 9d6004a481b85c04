package io.cucore;

/** How much a {@link CudaQueue} holds, and what asking for it costs. */
public final class QueueInfo {
  private final long[] all = new long[5];

  QueueInfo(CudaQueue queue) {
    for (int i = 0; i < all.length; ++i) {
      all[i] = queue.queryNow(i);
    }
  }

  /**
   * Futures whose work is not complete, detached ones too.
   *
   * @return the number
   */
  public long pending() {
    return all[0];
  }

  /**
   * Completions that nobody has taken yet.
   *
   * @return the number
   */
  public long waiting() {
    return all[1];
  }

  /**
   * Completions that ever came to the queue.
   *
   * @return the number
   */
  public long completed() {
    return all[2];
  }

  /**
   * CPU time that asking has cost, for all queues of the process.
   *
   * @return nanoseconds
   */
  public long cpuNanos() {
    return all[3];
  }

  /**
   * Whether the queue has been ended.
   *
   * @return true after {@link CudaQueue#end()}
   */
  public boolean isEnded() {
    return all[4] != 0;
  }

  @Override
  public String toString() {
    return "pending=" + pending() + ", waiting=" + waiting() + ", completed=" + completed() + (isEnded() ? ", ended" : "");
  }
}
