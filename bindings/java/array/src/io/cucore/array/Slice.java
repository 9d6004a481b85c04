// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

/** One item between the brackets of NumPy's {@code x[1:3, ..., mask]}. */
public final class Slice {
  private static final int INTEGER = 1;
  private static final int SLICE = 2;
  private static final int NEW_AXIS = 3;
  private static final int ELLIPSIS = 4;
  private static final int ARRAY = 5;
  private static final int START = 1;
  private static final int STOP = 2;
  private static final int STEP = 4;

  // Native code reads these fields.
  final int kind;
  final int given;
  final long start;
  final long stop;
  final long step;
  final NdArray array;

  private Slice(NdArray array, int kind, int given, long start, long stop, long step) {
    this.array = array;
    this.kind = kind;
    this.given = given;
    this.start = start;
    this.stop = stop;
    this.step = step;
  }

  /** One element of an axis, which the result lacks.
   * @param index its number; negative ones count from the end
   * @return the item */
  public static Slice at(long index) {
    return new Slice(null, INTEGER, 0, index, 0, 0);
  }

  /** The elements {@code start:stop}.
   * @param start the first one
   * @param stop the one behind the last; negative numbers count from the end
   * @return the item */
  public static Slice of(long start, long stop) {
    return new Slice(null, SLICE, START | STOP, start, stop, 0);
  }

  /** The elements {@code start:stop:step}.
   * @param start the first one
   * @param stop the one behind the last
   * @param step the distance; not 0
   * @return the item */
  public static Slice of(long start, long stop, long step) {
    return new Slice(null, SLICE, START | STOP | STEP, start, stop, step);
  }

  /** The elements {@code start:}.
   * @param start the first one
   * @return the item */
  public static Slice from(long start) {
    return new Slice(null, SLICE, START, start, 0, 0);
  }

  /** The elements {@code :stop}.
   * @param stop the one behind the last
   * @return the item */
  public static Slice to(long stop) {
    return new Slice(null, SLICE, STOP, 0, stop, 0);
  }

  /** All elements of an axis, in steps: {@code ::step}. A negative step reverses the axis.
   * @param step the distance; not 0
   * @return the item */
  public static Slice by(long step) {
    return new Slice(null, SLICE, STEP, 0, 0, step);
  }

  /** All elements of an axis: {@code :}.
   * @return the item */
  public static Slice all() {
    return new Slice(null, SLICE, 0, 0, 0, 0);
  }

  /** All axes that the other items leave: {@code ...}.
   * @return the item */
  public static Slice rest() {
    return new Slice(null, ELLIPSIS, 0, 0, 0, 0);
  }

  /** A new axis of size 1.
   * @return the item */
  public static Slice newAxis() {
    return new Slice(null, NEW_AXIS, 0, 0, 0, 0);
  }

  /** The elements that an array of integers or a mask names. The result is a copy.
   * @param indices the array
   * @return the item */
  public static Slice of(NdArray indices) {
    return new Slice(Calls.notNull(indices, "indices"), ARRAY, 0, 0, 0, 0);
  }

  private String number(int flag, long number) {
    return (given & flag) == 0 ? "" : String.valueOf(number);
  }

  /** Returns the item as Python writes it. */
  @Override
  public String toString() {
    switch (kind) {
      case INTEGER: return String.valueOf(start);
      case NEW_AXIS: return "None";
      case ELLIPSIS: return "...";
      case ARRAY: return "array";
      default: return number(START, start) + ":" + number(STOP, stop) + ((given & STEP) == 0 ? "" : ":" + step);
    }
  }
}
