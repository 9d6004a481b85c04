// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import io.cucore.Status;

/**
 * A profile of one block of work. {@link #close()} ends it, and {@link #report()} is then there:
 *
 * <pre>{@code
 * Profile profile = Perf.profile();
 * try (profile) {
 *   kernel.launch(stream, config, arguments);
 * }
 * System.out.println(profile.report().memoryEfficiency());
 * }</pre>
 */
public final class Profile implements AutoCloseable {
  private final Profiler profiler;
  private Report report;

  Profile(Profiler profiler) {
    this.profiler = profiler;
    profiler.begin();
  }

  /**
   * Returns the profiler, for ranges and declarations.
   *
   * @return the profiler
   */
  public Profiler profiler() {
    return profiler;
  }

  /**
   * Returns the report.
   *
   * @return the report
   * @throws io.cucore.InvalidStateException the block has not ended
   */
  public synchronized Report report() {
    if (report == null) {
      Frame.refuse(Status.INVALID_STATE, "the profile has no report yet; close it first");
    }
    return report;
  }

  /** Ends the session. A second call does nothing. */
  @Override
  public synchronized void close() {
    if (report == null) {
      report = profiler.end();
      profiler.close();
    }
  }

  @Override
  public String toString() {
    return "Profile";
  }
}
