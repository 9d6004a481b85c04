// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** The content of a {@link CudaQueue}, and the cost of its polling. */
public final class QueueInfo {
  //: fields (CudaQueue queue)
  private final long pending = queue.queryPendingNow(); // Futures whose work is not complete, detached ones too -> the number
  private final long waiting = queue.queryWaitingNow(); // Completions that nobody has taken yet -> the number
  private final long completed = queue.queryCompletedNow(); // Completions that ever came to the queue -> the number
  private final long cpuNanos = queue.queryCpuNsNow(); // CPU time that asking has cost, for all queues of the process -> nanoseconds
  private final boolean isEnded = queue.queryIsClosedNow(); // Whether the queue has been ended -> true after {@link CudaQueue#end()}

  //: said "pending=" + pending() + ", waiting=" + waiting() + ", completed=" + completed() + (isEnded() ? ", ended" : "")
}
