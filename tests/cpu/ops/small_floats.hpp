// SPDX-License-Identifier: Apache-2.0
// f16, bf16 and the 8-bit floats for the reference: values from tables of their definition,
// rounding by a search among the neighbours.
#pragma once

#include <cfenv>

#include "typed.hpp"

namespace cucore::cpu::ops {

// A float format with `exponent_bits` and `fraction_bits`.
struct SmallFormat {
  int exponent_bits, fraction_bits;
  bool has_infinity = true;  // false: e4m3, whose largest pattern alone is NaN
  uint32_t nan;              // the result for a NaN

  int width() const { return 1 + exponent_bits + fraction_bits; }
  uint32_t sign_bit() const { return 1u << (width() - 1); }
  uint32_t infinity() const { return ((1u << exponent_bits) - 1) << fraction_bits; }
  uint32_t largest() const { return has_infinity ? infinity() - 1 : sign_bit() - 2; }

  bool is_nan(uint32_t bits) const {
    uint32_t size = bits & (sign_bit() - 1);
    return has_infinity ? size > infinity() : size == sign_bit() - 1;
  }

  double value(uint32_t bits) const {
    uint32_t size = bits & (sign_bit() - 1);
    double sign = bits & sign_bit() ? -1 : 1;
    if (is_nan(bits)) return std::numeric_limits<double>::quiet_NaN();
    if (has_infinity && size == infinity()) return sign * std::numeric_limits<double>::infinity();
    return sign * finite(size);
  }

  // For patterns without sign, and for one beyond the largest, at the place of the next value.
  double finite(uint32_t size) const {
    int bias = (1 << (exponent_bits - 1)) - 1;
    int exponent = int(size >> fraction_bits);
    double fraction = double(size & ((1u << fraction_bits) - 1));
    double one = double(1u << fraction_bits);
    if (exponent == 0) return std::ldexp(fraction, 1 - bias - fraction_bits);
    return std::ldexp(one + fraction, exponent - bias - fraction_bits);
  }

  // `exact` may be a sum that a double cannot represent: `beyond` is the sign of the missing part.
  uint32_t round(double exact, int mode, bool to_finite = false, int beyond = 0) const {
    if (exact != exact) return nan;
    uint32_t sign = std::signbit(exact) ? sign_bit() : 0;
    double size = std::fabs(exact);
    if (sign) beyond = -beyond;
    if (std::isinf(size))
      return sign | (to_finite ? largest() : has_infinity ? infinity() : nan & ~sign_bit());
    uint32_t low = 0, high = largest() + 1;
    while (high - low > 1) {  // low is the largest pattern that is not above size
      uint32_t middle = low + (high - low) / 2;
      (finite(middle) < size || (finite(middle) == size && beyond >= 0) ? low : high) = middle;
    }
    if (finite(low) == size && beyond == 0) return sign | low;
    bool up = rounds_up(low, size, mode, sign != 0, beyond);
    uint32_t result = low + up;
    if (result > largest()) {
      bool toward_zero =
          mode == FE_TOWARDZERO || (mode == FE_DOWNWARD && !sign) || (mode == FE_UPWARD && sign);
      if (to_finite || toward_zero) return sign | largest();
      return sign | (has_infinity ? infinity() : nan);
    }
    return sign | result;
  }

 private:
  bool rounds_up(uint32_t low, double size, int mode, bool negative, int beyond) const {
    double below = size - finite(low),
           above = finite(low + 1) - size;  // exact: neighbours are near
    switch (mode) {
      case FE_TOWARDZERO:
        return false;
      case FE_DOWNWARD:
        return negative;
      case FE_UPWARD:
        return !negative;
      default:
        break;
    }
    if (below != above) return below > above;
    return beyond != 0 ? beyond > 0 : low & 1;
  }
};

inline constexpr SmallFormat HALF{5, 10, true, 0x7FFF};
inline constexpr SmallFormat BRAIN{8, 7, true, 0x7FFF};
inline constexpr SmallFormat E5_M2{5, 2, true, 0x7F};
inline constexpr SmallFormat E4_M3{4, 3, false, 0x7F};

// a * b + c of small floats: the nearest double and the sign of the error. The product is exact.
inline double sum_with_error(double product, double c, int& beyond) {
  volatile double sum = product + c;
  volatile double part = sum - product;
  volatile double error = (product - (sum - part)) + (c - part);
  beyond = std::isfinite(sum) && error != 0 ? (error > 0 ? 1 : -1) : 0;
  return sum;
}

}  // namespace cucore::cpu::ops
