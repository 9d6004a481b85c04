// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class CudaFuture {
  //: cucore_future_wait
  // @param timeout 0 never waits, a negative number means no limit
  // @param unit of the timeout
  public void waitFor(long timeout, java.util.concurrent.TimeUnit unit) {
    waitNow(Given.notNull(unit, "unit").toNanos(timeout));
  }

  //: said Said.of("CudaFuture", this::isClosed, () -> Long.toUnsignedString(getToken()) + " (" + state() + ")")

  private String state() {
    try {
      return query() ? "complete" : "pending";
    } catch (KernelFaultException e) {
      return "failed";
    }
  }
}
