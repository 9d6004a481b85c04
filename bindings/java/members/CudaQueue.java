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

  private CompletionPublisher publisher;

  /** Publishes the completions of the queue, each once, in their order. One subscriber at a time receives
   * them; a second one receives an IllegalStateException. The signals come from a daemon thread of the
   * subscription. A completion stays in the queue until it is requested. After a cancelled
   * subscription, {@link #waitFor} and the next subscriber receive the rest. The end of the queue, by
   * {@link #end()} or {@link #close()}, completes the subscription.
   * @return the publisher, always the same */
  public synchronized java.util.concurrent.Flow.Publisher<Completion> publisher() {
    open();
    if (publisher == null) {
      publisher = new CompletionPublisher(this);
    }
    return publisher;
  }

  //: said Said.of("CudaQueue", this::isClosed, () -> "(" + getInfo() + ")")
}
