// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/** Kernels, ranges, other operations and findings of a profiled part of a program. It never changes. */
public final class Report extends Handle {
  Report(long address) {
    super(address, Natives::cucore_report_release);
  }

  /**
   * Returns the origin of the times and amounts.
   *
   * @return the origin
   */
  public ProfilerSource source() {
    return ProfilerSource.of(Natives.cucore_report_source(address()));
  }

  /**
   * Returns the part of the memory rate of the roof that the kernels reach.
   *
   * @return 0 to 1; NaN if it is unknown
   */
  public double memoryEfficiency() {
    return efficiency("")[0];
  }

  /**
   * Returns the part of the compute rate of the roof that the kernels reach.
   *
   * @return 0 to 1; NaN if it is unknown
   */
  public double computeEfficiency() {
    return efficiency("")[1];
  }

  /**
   * Returns both parts for a range.
   *
   * @param range the name; "" is the whole session
   * @return the parts of the memory rate and of the compute rate
   * @throws io.cucore.NotFoundException no range has this name
   */
  public double[] efficiency(String range) {
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(2 * Double.BYTES);
      frame.check(Natives.cucore_report_efficiency(address(), frame.text(Frame.notNull(range, "range")), out.address, out.address + Double.BYTES, frame.error()));
      return new double[] {out.getDouble(0), out.getDouble(Double.BYTES)};
    }
  }

  /**
   * Returns a row for each kernel and geometry. The longest total time comes first.
   *
   * @return the rows, unmodifiable
   */
  public List<KernelRow> rows() {
    return each(Natives.cucore_report_kernel_count(address()), KernelRow.SIZE, Natives::cucore_report_kernel_at, KernelRow::new);
  }

  /**
   * Returns findings about what costs time, with remedies. The most severe come first.
   *
   * @return the findings, unmodifiable
   */
  public List<Finding> findings() {
    return each(Natives.cucore_report_finding_count(address()), Finding.SIZE, Natives::cucore_report_finding_at, Finding::new);
  }

  /** A call that describes one element. */
  interface At {
    int query(long owner, long index, long out, long error);
  }

  private <T> List<T> each(long count, int size, At at, Function<Memory, T> make) {
    return each(address(), count, size, at, make);
  }

  static <T> List<T> each(long owner, long count, int size, At at, Function<Memory, T> make) {
    List<T> found = new ArrayList<>();
    for (long i = 0; i < count; ++i) {
      try (Frame frame = new Frame()) {
        Memory out = frame.memory(size).putLong(0, size);
        frame.check(at.query(owner, i, out.address, frame.error()));
        found.add(make.apply(out));
      }
    }
    return Collections.unmodifiableList(found);
  }

  /**
   * Returns a counter of a row, of all calls together.
   *
   * @param row the index of the row
   * @param name of the counter, "cpu.divergent_branches"
   * @return the value
   * @throws io.cucore.NotFoundException the row does not have this counter
   */
  public double counter(int row, String name) {
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(Double.BYTES);
      frame.check(Natives.cucore_report_counter(address(), row, frame.text(Frame.notNull(name, "name")), out.address, frame.error()));
      return out.getDouble(0);
    }
  }

  /**
   * Returns the report in one of the formats.
   *
   * @param format the format
   * @return the text
   */
  public String write(ReportFormat format) {
    int number = Frame.notNull(format, "format").getValue();
    return Frame.text((buffer, capacity, size, error) -> Natives.cucore_report_write(address(), number, buffer, capacity, size, error));
  }

  /**
   * Returns the report for people.
   *
   * @return the text
   */
  public String text() {
    return write(ReportFormat.TEXT);
  }

  /**
   * Returns JSON of the schema cucore.report/1.
   *
   * @return the text
   */
  public String json() {
    return write(ReportFormat.JSON);
  }

  /**
   * Returns one page that needs no network.
   *
   * @return the page
   */
  public String html() {
    return write(ReportFormat.HTML);
  }

  @Override
  public String toString() {
    return isClosed() ? "Report (closed)" : "Report of " + source() + " with " + Natives.cucore_report_kernel_count(address()) + " rows";
  }
}
