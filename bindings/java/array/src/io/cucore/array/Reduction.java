// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import java.util.Arrays;

/** How a reduction works. Each method returns a changed copy. */
public final class Reduction {
  final int[] axes;
  final boolean keepsAxes;
  final DType dtype;
  final double correction;
  final double order;

  private Reduction(int[] axes, boolean keepsAxes, DType dtype, double correction, double order) {
    this.axes = axes;
    this.keepsAxes = keepsAxes;
    this.dtype = dtype;
    this.correction = correction;
    this.order = order;
  }

  /** Reduces all axes.
   * @return the reduction */
  public static Reduction all() {
    return new Reduction(Calls.ALL_AXES, false, DType.DEFAULT, 0, Calls.EUCLIDEAN);
  }

  /** Reduces some axes, also none.
   * @param axes their numbers; negative ones count from the end
   * @return the reduction */
  public static Reduction along(int... axes) {
    return new Reduction(Calls.notNull(axes, "axes").clone(), false, DType.DEFAULT, 0, Calls.EUCLIDEAN);
  }

  /** Keeps reduced axes with the size 1.
   * @return the reduction */
  public Reduction keepAxes() {
    return new Reduction(axes, true, dtype, correction, order);
  }

  /** Computes in a type.
   * @param dtype the type of the result
   * @return the reduction */
  public Reduction as(DType dtype) {
    return new Reduction(axes, keepsAxes, Calls.notNull(dtype, "dtype"), correction, order);
  }

  /** Sets what the divisor of var() and std() is less than the count.
   * @param correction 1 for a sample
   * @return the reduction */
  public Reduction withCorrection(double correction) {
    return new Reduction(axes, keepsAxes, dtype, correction, order);
  }

  /** Sets the order of norm().
   * @param order 2 is the Euclidean norm
   * @return the reduction */
  public Reduction withOrder(double order) {
    return new Reduction(axes, keepsAxes, dtype, correction, order);
  }

  /** Returns the axes as text. */
  @Override
  public String toString() {
    return "Reduction of " + (axes == null ? "all axes" : "axes " + Arrays.toString(axes)) + (keepsAxes ? ", kept" : "");
  }
}
