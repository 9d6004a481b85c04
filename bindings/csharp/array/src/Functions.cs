// SPDX-License-Identifier: Apache-2.0
// Functions with numbers whose defaults depend on the type of the elements, and comparisons of whole arrays.
using System;
using System.Linq;

namespace Cucore.Arrays {
public static partial class Nd {
  private const double MostFloat16 = 65504, MostBFloat16 = 3.3895313892515355e38;

  /// <summary>Returns whether |x - y| is at most atol + rtol * |y|, for each element.</summary>
  /// <param name="x">the first operand</param>
  /// <param name="y">the second operand</param>
  /// <param name="rtol">the part of |y|</param>
  /// <param name="atol">the difference that is always permitted</param>
  /// <param name="equalNan">whether NaN is close to NaN</param>
  /// <returns>an array of bool</returns>
  public static NdArray Isclose(NdArray x, NdArray y, double rtol = 1e-5, double atol = 1e-8, bool equalNan = false) {
    return Apply("isclose", null, Calls.NotNull(x, nameof(x)), Calls.NotNull(y, nameof(y)), rtol, atol, equalNan);
  }

  /// <summary>Returns whether all elements are close, as by Isclose. Waits for them.</summary>
  /// <param name="x">the first operand</param>
  /// <param name="y">the second operand</param>
  /// <param name="rtol">the part of |y|</param>
  /// <param name="atol">the difference that is always permitted</param>
  /// <param name="equalNan">whether NaN is close to NaN</param>
  /// <returns>whether they are</returns>
  public static bool Allclose(NdArray x, NdArray y, double rtol = 1e-5, double atol = 1e-8, bool equalNan = false) {
    return IsTrueEverywhere(Isclose(x, y, rtol, atol, equalNan));
  }

  /// <summary>Returns whether the shapes and all elements are equal. Waits for the elements.</summary>
  /// <param name="x">an array</param>
  /// <param name="y">an array of any type</param>
  /// <returns>whether they are</returns>
  public static bool ArrayEqual(NdArray x, NdArray y) {
    return Calls.NotNull(x, nameof(x)).Shape.SequenceEqual(Calls.NotNull(y, nameof(y)).Shape) && IsTrueEverywhere(x.Equal(y));
  }

  private static bool IsTrueEverywhere(NdArray mask) {
    using (mask)
    using (NdArray all = mask.All()) return all.Item().IsTrue;
  }

  private static bool HasFractions(NdArray x) { return Calls.NotNull(x, nameof(x)).DType >= DType.Float16; }

  /// <summary>Returns the nearest numbers with some decimals; of two, the even one.</summary>
  /// <param name="x">the array</param>
  /// <param name="decimals">digits behind the point; negative ones round to tens, hundreds and so on</param>
  /// <returns>a new array of the same type</returns>
  public static NdArray Round(NdArray x, int decimals) {
    bool hasFractions = HasFractions(x);
    if (decimals == 0) return x.Round();
    if (decimals > 0 && !hasFractions) return x.Copy();
    double power = Math.Pow(10, Math.Abs(decimals));
    Scalar factor = hasFractions ? power : (Scalar)(long)power;
    using (NdArray scaled = decimals > 0 ? x * factor : x / factor)
    using (NdArray nearest = scaled.Rint())
    using (NdArray result = decimals > 0 ? nearest / factor : nearest * factor) return result.Cast(x.DType);
  }

  /// <summary>Replaces NaN and infinities.</summary>
  /// <param name="x">the array</param>
  /// <param name="nan">for NaN</param>
  /// <param name="posinf">for the positive infinity; null: the greatest finite number of the type</param>
  /// <param name="neginf">for the negative infinity; null: the least finite number of the type</param>
  /// <returns>a new array</returns>
  public static NdArray NanToNum(NdArray x, double nan = 0, double? posinf = null, double? neginf = null) {
    return HasFractions(x) ? Apply("nan_to_num", null, x, nan, posinf ?? Most(x.DType), neginf ?? -Most(x.DType)) : x.Copy();
  }

  // The greatest finite number of a type, or of the parts of a complex one.
  private static double Most(DType dtype) {
    switch (dtype) {
      case DType.Float16: return MostFloat16;
      case DType.BFloat16: return MostBFloat16;
      case DType.Float32: case DType.Complex64: return float.MaxValue;
      default: return double.MaxValue;
    }
  }
}
}
