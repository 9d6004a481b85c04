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

  private final long[] numbers; // kind, given, start, stop, step
  private final NdArray array;

  private Slice(NdArray array, long... numbers) {
    this.array = array;
    this.numbers = numbers;
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

  static long[] numbers(Slice... items) {
    Calls.notNull(items, "items");
    long[] all = new long[5 * items.length];
    for (int i = 0; i < items.length; ++i) {
      System.arraycopy(Calls.notNull(items[i], "items[" + i + "]").numbers, 0, all, 5 * i, 5);
    }
    return all;
  }

  static NdArray[] arrays(Slice... items) {
    NdArray[] all = new NdArray[items.length];
    for (int i = 0; i < items.length; ++i) {
      all[i] = items[i].array;
    }
    return all;
  }

  private String number(int flag, int at) {
    return (numbers[1] & flag) == 0 ? "" : String.valueOf(numbers[at]);
  }

  /** Returns the item as Python writes it. */
  @Override
  public String toString() {
    switch ((int) numbers[0]) {
      case INTEGER: return String.valueOf(numbers[2]);
      case NEW_AXIS: return "None";
      case ELLIPSIS: return "...";
      case ARRAY: return "array";
      default: return number(START, 2) + ":" + number(STOP, 3) + ((numbers[1] & STEP) == 0 ? "" : ":" + numbers[4]);
    }
  }
}
