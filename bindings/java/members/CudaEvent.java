// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class CudaEvent {
  /** Makes an event that measures time, not recorded yet.
   * @param device where it is recorded
   * @return the event */
  public static CudaEvent timed(CudaDevice device) {
    return new CudaEvent(device, true);
  }

  //: wait cucore_event_synchronize Waits.until(timeout, "the event", this::query)

  //: said Said.of("CudaEvent", this::isClosed, () -> Said.handle(getNativeHandle(), getDevice()) + (hasTiming() ? ", timed" : ""))
}
