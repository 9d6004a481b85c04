// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class CudaQueue {
  private static final int MOST_AT_ONCE = 1 << 16;

  //: cucore_queue_wait
  // @param timeout 0 never waits, a negative number means no limit
  // @param unit of the timeout
  // @param most the most completions to take
  public java.util.List<Completion> waitFor(long timeout, java.util.concurrent.TimeUnit unit, int most) {
    open();
    int places = Math.min(Given.notNegative(most, "most"), MOST_AT_ONCE);
    byte[] bytes = new byte[places * Completion.SIZE];
    return Completion.list(bytes, (int) waitNow(Given.notNull(unit, "unit").toNanos(timeout), bytes));
  }

  //: cucore_queue_query
  public QueueInfo getInfo() {
    return new QueueInfo(this);
  }

  //: said Said.of("CudaQueue", this::isClosed, () -> "(" + getInfo() + ")")
}
