// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class CudaEvent {
  /** Makes an event that measures time, not recorded yet.
   * @param device where it is recorded
   * @return the event */
  public static CudaEvent timed(CudaDevice device) {
    return new CudaEvent(device, true);
  }

  /** Waits until the event is complete, with a limit. The work continues after the limit.
   * @param timeout zero never waits, a negative duration has no limit
   * @throws NotReadyException the timeout has ended
   * @throws KernelFaultException a kernel broke the context */
  public void synchronize(java.time.Duration timeout) {
    open();
    if (Given.notNull(timeout, "timeout").isNegative()) {
      synchronize();
    } else {
      Waits.until(timeout, "the event", this::query);
    }
  }

  //: said Said.of("CudaEvent", this::isClosed, () -> Said.handle(getNativeHandle(), getDevice()) + (hasTiming() ? ", timed" : ""))
}
