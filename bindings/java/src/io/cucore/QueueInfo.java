// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** How much a {@link CudaQueue} holds, and what asking for it costs. */
public final class QueueInfo {
  //: fields
  private final long pending; // Futures whose work is not complete, detached ones too -> the number
  private final long waiting; // Completions that nobody has taken yet -> the number
  private final long completed; // Completions that ever came to the queue -> the number
  private final long cpuNanos; // CPU time that asking has cost, for all queues of the process -> nanoseconds
  private final boolean isEnded; // Whether the queue has been ended -> true after {@link CudaQueue#end()}

  QueueInfo(CudaQueue queue) {
    pending = queue.queryNow(0);
    waiting = queue.queryNow(1);
    completed = queue.queryNow(2);
    cpuNanos = queue.queryNow(3);
    isEnded = queue.queryNow(4) != 0;
  }

  @Override
  public String toString() {
    return "pending=" + pending() + ", waiting=" + waiting() + ", completed=" + completed() + (isEnded() ? ", ended" : "");
  }
}
