// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import io.cucore.ObjectCode;
import java.util.List;

/** Compiled code, analysed. {@link Perf#analyze} returns it. */
public final class Analysis extends Handle {
  private final ObjectCode code;

  Analysis(long address, ObjectCode code) {
    super(address, Natives::cucore_analysis_release);
    this.code = code;
  }

  ObjectCode code() {
    return code;
  }

  /**
   * Returns the kernels in the order of the images. A kernel in several images is there once per image.
   *
   * @return the kernels, unmodifiable
   */
  public List<KernelAnalysis> kernels() {
    int[] index = {0};
    return Report.each(address(), Natives.cucore_analysis_kernel_count(address()), KernelInfo.SIZE, Natives::cucore_analysis_kernel_at,
        from -> new KernelAnalysis(from, this, index[0]++));
  }

  /**
   * Returns findings about what costs time, with remedies. The most severe come first.
   *
   * @return the findings, unmodifiable
   */
  public List<Finding> findings() {
    return Report.each(address(), Natives.cucore_analysis_finding_count(address()), Finding.SIZE, Natives::cucore_analysis_finding_at, Finding::new);
  }

  /**
   * Returns the analysis as TEXT or JSON.
   *
   * @param format the format
   * @return the text
   */
  public String write(ReportFormat format) {
    int number = Frame.notNull(format, "format").getValue();
    return Frame.text((buffer, capacity, size, error) -> Natives.cucore_analysis_write(address(), number, buffer, capacity, size, error));
  }

  /**
   * Returns the analysis for people.
   *
   * @return the text
   */
  public String text() {
    return write(ReportFormat.TEXT);
  }

  /**
   * Returns JSON of the schema cucore.analysis/1.
   *
   * @return the text
   */
  public String json() {
    return write(ReportFormat.JSON);
  }

  @Override
  public String toString() {
    return isClosed() ? "Analysis (closed)" : "Analysis of " + Natives.cucore_analysis_kernel_count(address()) + " kernels";
  }
}
