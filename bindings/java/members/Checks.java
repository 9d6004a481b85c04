// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class Checks {
  static {
    NativeLoader.supply(NativeLoader.CPU_DEVICE);
  }

  /** Starts all checks except that of leaks. Call {@link #verify()} at the end of the block that has them as a resource. */
  public Checks() {
    this((ChecksOptions) null);
  }

  //: also cucore_checks_report_at
  /** The reports that were read last, without suppressed ones.
   * @return the reports, unmodifiable */
  public java.util.List<CheckReport> getReports() {
    return CheckReport.of(this);
  }

  //: cucore_checks_is_running
  // @return true if they are
  public boolean isRunning() {
    return getIsRunningNow();
  }

  //: said Said.of("Checks", this::isClosed, () -> isRunning() ? "running" : "with " + getReportCount() + (getReportCount() == 1 ? " report" : " reports"))
}
