// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

/** Operations with parameters whose defaults depend on the type of the elements. */
final class Rounding {
  private static final double MOST_FLOAT16 = 65504;
  private static final double MOST_BFLOAT16 = 0x1.FEp127;

  private Rounding() {}

  private static boolean hasFractions(NdArray x) {
    return x.getDType().getValue() >= DType.FLOAT16.getValue();
  }

  static NdArray round(NdArray x, int decimals) {
    if (decimals == 0) {
      return x.round();
    }
    if (decimals > 0 && !hasFractions(x)) {
      return x.copy();
    }
    double factor = Math.pow(10, Math.abs(decimals));
    Operand number = hasFractions(x) ? Scalar.of(factor) : Scalar.of((long) factor);
    try (NdArray scaled = decimals > 0 ? x.multiply(number) : x.divide(number);
        NdArray nearest = scaled.rint();
        NdArray result = decimals > 0 ? nearest.divide(number) : nearest.multiply(number)) {
      return result.as(x.getDType());
    }
  }

  static NdArray nanToNum(NdArray x) {
    double most = most(x.getDType());
    return nanToNum(x, 0, most, -most);
  }

  static NdArray nanToNum(NdArray x, double nan, double posinf, double neginf) {
    if (!hasFractions(x)) {
      return x.copy();
    }
    return Operation.of("nan_to_num").apply(x, Scalar.of(nan), Scalar.of(posinf), Scalar.of(neginf));
  }

  /** The greatest finite number of a type, or of the parts of a complex one. */
  private static double most(DType dtype) {
    switch (dtype) {
      case FLOAT16: return MOST_FLOAT16;
      case BFLOAT16: return MOST_BFLOAT16;
      case FLOAT32:
      case COMPLEX64: return Float.MAX_VALUE;
      default: return Double.MAX_VALUE;
    }
  }
}
