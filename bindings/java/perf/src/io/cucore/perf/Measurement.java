// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

/** The times of one work. {@link Perf#measure} returns it. */
public final class Measurement extends Handle {
  private final Statistics statistics;

  Measurement(long address) {
    super(address, Natives::cucore_measurement_release);
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(Statistics.SIZE).putLong(0, Statistics.SIZE);
      frame.check(Natives.cucore_measurement_query(address, out.address, frame.error()));
      statistics = new Statistics(out);
    }
  }

  /**
   * Returns the statistics.
   *
   * @return the statistics, with times in seconds
   */
  public Statistics statistics() {
    return statistics;
  }

  /**
   * Returns the samples in the order in which they were taken.
   *
   * @return the times in seconds
   */
  public double[] times() {
    try (Frame frame = new Frame()) {
      Memory count = frame.memory(Long.BYTES);
      long data = Natives.cucore_measurement_samples(address(), count.address);
      double[] found = Natives.doubles(data, count.getLong(0));
      java.lang.ref.Reference.reachabilityFence(this);
      return found;
    }
  }

  /**
   * Returns the measurement for people.
   *
   * @return the text
   */
  public String text() {
    return Perf.write(ReportFormat.TEXT, this);
  }

  /**
   * Returns an array with one object of the schema cucore.measurement/1.
   *
   * @return the text
   */
  public String json() {
    return Perf.write(ReportFormat.JSON, this);
  }

  @Override
  public String toString() {
    return "Measurement of " + statistics.name() + ": " + statistics.median() * 1e6 + " us, " + statistics.samples() + " samples";
  }
}
