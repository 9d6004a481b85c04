// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

/** Functions of arrays: {@code Nd.sqrt(x)}, {@code Nd.where(mask, x, y)}, and new arrays. */
public final class Nd extends NdOperations {
  private Nd() {}

  /** Returns the version of the library of arrays.
   * @return major * 10000 + minor * 100 + patch */
  public static int version() {
    return (int) Natives.version();
  }

  /** Makes an array of zeros.
   * @param dtype the type
   * @param shape the sizes
   * @return the array */
  public static NdArray zeros(DType dtype, long... shape) {
    return full(dtype, Scalar.of(0), shape);
  }

  /** Makes an array of ones.
   * @param dtype the type
   * @param shape the sizes
   * @return the array */
  public static NdArray ones(DType dtype, long... shape) {
    return full(dtype, Scalar.of(1), shape);
  }

  /** Makes an array of equal elements.
   * @param dtype the type
   * @param value the element
   * @param shape the sizes
   * @return the array */
  public static NdArray full(DType dtype, Scalar value, long... shape) {
    return new NdArray(Natives.full(Context.current(), Calls.notNull(dtype, "dtype").getValue(), shape, value));
  }

  /** Makes an array without axes.
   * @param value its element
   * @return the array, in the type of the number */
  static NdArray full(Scalar value) {
    return full(DType.DEFAULT, value, new long[0]);
  }

  /** Makes the integers from 0 on.
   * @param count their number
   * @return an array of INT64 */
  public static NdArray arange(long count) {
    return arange(Scalar.of(0), Scalar.of(1), count, DType.DEFAULT);
  }

  /** Makes the numbers start, start + step, and so on.
   * @param start the first one
   * @param step the difference
   * @param count their number
   * @param dtype the type; {@link DType#DEFAULT}: that of both numbers
   * @return the array */
  public static NdArray arange(Scalar start, Scalar step, long count, DType dtype) {
    return new NdArray(Natives.arange(Context.current(), Calls.notNull(dtype, "dtype").getValue(), Calls.notNull(start, "start"),
        Calls.notNull(step, "step"), count));
  }

  /** Makes numbers at equal distances.
   * @param start the first one
   * @param stop the last one
   * @param count their number
   * @return an array of the default type */
  public static NdArray linspace(double start, double stop, long count) {
    return linspace(DType.DEFAULT, Scalar.of(start), Scalar.of(stop), count, true);
  }

  /** Makes a square matrix with ones on its diagonal.
   * @param size the number of rows
   * @param dtype the type
   * @return the array */
  public static NdArray eye(long size, DType dtype) {
    return eye(dtype, size, size, 0);
  }

  /** Reads the bytes of a .npy file.
   * @param data the file
   * @return the array */
  public static NdArray fromNpy(byte[] data) {
    return new NdArray(Natives.fromNpy(Context.current(), data, 0, Calls.notNull(data, "data").length));
  }

  /** Joins arrays along an axis.
   * @param axis the axis
   * @param arrays the arrays
   * @return a new array */
  public static NdArray concat(int axis, NdArray... arrays) {
    return new NdArray(Natives.concat(arrays, axis));
  }

  /** Joins arrays along a new axis.
   * @param axis its place
   * @param arrays the arrays, of one shape
   * @return a new array */
  public static NdArray stack(int axis, NdArray... arrays) {
    return new NdArray(Natives.stack(arrays, axis));
  }

  /** Finds the type of the result of an operation with operands of several types.
   * @param operands arrays and numbers
   * @return their common type */
  public static DType resultType(Operand... operands) {
    return Operation.commonType(operands);
  }

  /** Finds the common type of several types.
   * @param dtypes the types
   * @return the type */
  public static DType resultType(DType... dtypes) {
    return Operation.commonType(dtypes);
  }

  /** Queues the kernels of several arrays together. Does not wait.
   * @param arrays the arrays, of one context */
  public static void evaluate(NdArray... arrays) {
    Natives.evaluate(arrays);
  }

  /** Describes what an evaluation of several arrays would do now.
   * @param what the kind of the description
   * @param arrays the arrays, of one context
   * @return the text */
  public static String explain(Explanation what, NdArray... arrays) {
    return Natives.explain(arrays, Calls.notNull(what, "what").getValue());
  }
}
