// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

/** The format of an array as text. Each method returns a changed copy; 0 is the default of NumPy. */
public final class PrintOptions {
  /** The format of {@link NdArray#toString()}. */
  public static final PrintOptions DEFAULT = new PrintOptions(0, 0, 0, 0, false);

  private static final int NO_DIGITS = -1; // 0 is the default in C

  private final long threshold;
  private final int precision;
  private final int edgeItems;
  private final int lineWidth;
  private final boolean suppressSmall;

  private PrintOptions(long threshold, int precision, int edgeItems, int lineWidth, boolean suppressSmall) {
    this.threshold = threshold;
    this.precision = precision;
    this.edgeItems = edgeItems;
    this.lineWidth = lineWidth;
    this.suppressSmall = suppressSmall;
  }

  String print(NdArray x) {
    return Natives.print(x, threshold, precision, edgeItems, lineWidth, suppressSmall);
  }

  /** Sets the size from which an array is shown by its edges.
   * @param elements the greatest number that is shown in full; default 1000
   * @return a changed format */
  public PrintOptions withThreshold(long elements) {
    return new PrintOptions(elements, precision, edgeItems, lineWidth, suppressSmall);
  }

  /** Sets the digits after the point.
   * @param digits at most so many; default 8
   * @return a changed format */
  public PrintOptions withPrecision(int digits) {
    return new PrintOptions(threshold, digits == 0 ? NO_DIGITS : digits, edgeItems, lineWidth, suppressSmall);
  }

  /** Sets the elements at each end of a shortened axis.
   * @param count their number; default 3
   * @return a changed format */
  public PrintOptions withEdgeItems(int count) {
    return new PrintOptions(threshold, precision, count, lineWidth, suppressSmall);
  }

  /** Sets the length of lines.
   * @param characters the length; default 75
   * @return a changed format */
  public PrintOptions withLineWidth(int characters) {
    return new PrintOptions(threshold, precision, edgeItems, characters, suppressSmall);
  }

  /** Shows small numbers without an exponent.
   * @return a changed format */
  public PrintOptions suppressSmall() {
    return new PrintOptions(threshold, precision, edgeItems, lineWidth, true);
  }

  /** Returns the numbers that differ from the defaults. */
  @Override
  public String toString() {
    return "PrintOptions threshold " + threshold + ", precision " + precision + ", edge items " + edgeItems + ", line width " + lineWidth
        + (suppressSmall ? ", small numbers without an exponent" : "");
  }
}
