// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import io.cucore.Status;
import java.util.Arrays;

/** The calls of the generated operations. */
final class Calls {
  static final int[] ALL_AXES = null;
  static final double EUCLIDEAN = 2;

  private Calls() {}

  static <T> T notNull(T value, String name) {
    if (value == null) {
      refuse(Status.INVALID_ARGUMENT, name + " is null");
    }
    return value;
  }

  static void refuse(Status status, String message) {
    Natives.refuse(status.getValue(), message);
  }

  /** Writes the value, or the result of an operation of the element and the value. */
  static void assign(int op, NdArray x, Operand value) {
    if (op == 0) {
      Natives.assign(x, value);
    } else {
      Natives.assignOp(op, x, value);
    }
  }

  static NdArray unary(int op, NdArray x) {
    return new NdArray(Natives.unary(op, x));
  }

  static NdArray binary(int op, Operand x, Operand y) {
    notNull(x, "x");
    notNull(y, "y");
    if (x.kind == Operand.ARRAY && y.kind == Operand.ARRAY) {
      return new NdArray(Natives.binary(op, (NdArray) x, (NdArray) y));
    }
    if (x.kind == Operand.ARRAY && y.kind == Scalar.REAL) {
      return new NdArray(Natives.binaryScalar(op, (NdArray) x, y.real, false));
    }
    return several(op, 1, x, y)[0];
  }

  static NdArray more(int op, Operand x, Operand y, Operand z) {
    notNull(x, "x");
    notNull(y, "y");
    notNull(z, "z");
    return several(op, 1, x, y, z)[0];
  }

  static NdArray[] several(int op, int results, Operand... operands) {
    return apply(op, operands, DType.DEFAULT, null, null, results);
  }

  /** Numbers alone have no context: the first one becomes an array. */
  static NdArray[] apply(int op, Operand[] operands, DType dtype, NdArray out, NdArray where, int results) {
    if (operands.length == 0 || Arrays.stream(operands).anyMatch(each -> each.kind == Operand.ARRAY)) {
      return arrays(Natives.apply(op, operands, dtype.getValue(), out, where, results));
    }
    try (NdArray first = Nd.full((Scalar) operands[0])) {
      Operand[] all = operands.clone();
      all[0] = first;
      return arrays(Natives.apply(op, all, dtype.getValue(), out, where, results));
    }
  }

  static NdArray[] arrays(long[] leases) {
    NdArray[] all = new NdArray[leases.length];
    for (int i = 0; i < all.length; ++i) {
      all[i] = new NdArray(leases[i]);
    }
    return all;
  }

  static NdArray reduce(int op, NdArray x, int[] axes) {
    notNull(axes, "axes");
    return new NdArray(Natives.reduce(op, x, axes.length == 0 ? ALL_AXES : axes, false, 0, 0, EUCLIDEAN, true));
  }

  static NdArray reduce(int op, NdArray x, Reduction how) {
    notNull(how, "how");
    return new NdArray(Natives.reduce(op, x, how.axes, how.keepsAxes, how.dtype.getValue(), how.correction, how.order, true));
  }

  static NdArray scan(int op, NdArray x, int axis, DType dtype, boolean includeInitial, boolean reverse) {
    return new NdArray(Natives.scan(op, x, axis, notNull(dtype, "dtype").getValue(), includeInitial, reverse));
  }
}
