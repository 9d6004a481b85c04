// SPDX-License-Identifier: Apache-2.0
/** The rows in C by their numbers in bench/overheads/rows.inc, written by hand with JNI. */
final class ByHand {
  private ByHand() {}

  /** Returns 0, or 1 after a failure, or 2 without NVRTC. */
  static native int begin(String ptx, String source, String folder);

  static native String failure();

  /** Returns the nanoseconds of one call, which a loop in C repeats. */
  static native double repeat(int number, int count);

  /** Makes one call and returns 0. */
  static native int once(int number);

  /** Makes the graphs of the rows of graph_rows.inc; needs begin. Returns 0. */
  static native int beginGraphs();

  /** Returns the nanoseconds of one row, of the driver alone or in C. */
  static native double repeatGraph(int number, boolean isBare, int count);

  static native int onceGraph(int number);

  /** Makes the call of this number in graph_steps.h. */
  static native int stepGraph(int step);
}
