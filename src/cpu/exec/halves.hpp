// SPDX-License-Identifier: Apache-2.0
// Converts f16 and bf16 exactly to double, and from double with one rounding.
#pragma once

#include <bit>

#include "cpu/exec/warp.hpp"

namespace cucore::cpu {

enum class HalfRounding : uint8_t { NEAREST, ZERO, DOWN, UP };

// Rounds a double to a format with E exponent and M mantissa bits; NaN becomes 0x7fff.
template <int E, int M>
uint16_t round_to(double value, HalfRounding rounding = HalfRounding::NEAREST,
                  bool to_finite = false) {
  constexpr int BIAS = (1 << (E - 1)) - 1;
  constexpr uint16_t INF = uint16_t(((1 << E) - 1) << M);
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint16_t sign = uint16_t(bits >> 63 << 15);
  const int exponent = int(bits >> 52 & 0x7ff);
  const uint64_t fraction = bits & 0xfffffffffffff;
  if (exponent == 0x7ff)
    return fraction ? uint16_t(0x7fff) : uint16_t(sign | (to_finite ? INF - 1 : INF));
  // far below the smallest value: only a directed rounding has a nonzero result
  if (exponent == 0) {
    const bool away = rounding == (sign ? HalfRounding::DOWN : HalfRounding::UP);
    return uint16_t(sign | uint16_t(fraction != 0 && away));
  }
  int e = exponent - 1023 + BIAS;
  uint64_t mantissa = fraction | uint64_t{1} << 52;
  int shift = 52 - M;
  if (e <= 0) {
    shift += 1 - e;
    e = 0;
  }
  const bool tiny = shift > 63;
  const uint64_t rest = tiny ? 1 : mantissa & ((uint64_t{1} << shift) - 1);
  const uint64_t half = tiny ? 2 : uint64_t{1} << (shift - 1);
  uint64_t kept = tiny ? 0 : mantissa >> shift;
  bool up = false;
  switch (rounding) {
    case HalfRounding::NEAREST:
      up = rest > half || (rest == half && (kept & 1));
      break;
    case HalfRounding::ZERO:
      break;
    case HalfRounding::DOWN:
      up = sign && rest;
      break;
    case HalfRounding::UP:
      up = !sign && rest;
      break;
  }
  kept += up;
  const uint64_t result = e > 0 ? kept + (uint64_t(e - 1) << M) : kept;
  if (result >= INF) {
    const bool toward = rounding == HalfRounding::ZERO ||
                        (rounding == HalfRounding::DOWN && !sign) ||
                        (rounding == HalfRounding::UP && sign);
    return uint16_t(sign | (toward || to_finite ? INF - 1 : INF));
  }
  return uint16_t(sign | result);
}

template <int E, int M>
double widen(uint16_t value) {
  constexpr int BIAS = (1 << (E - 1)) - 1;
  const uint64_t sign = uint64_t(value >> 15) << 63;
  const int exponent = value >> M & ((1 << E) - 1);
  const uint64_t fraction = value & ((1 << M) - 1);
  if (exponent == (1 << E) - 1)
    return std::bit_cast<double>(sign | uint64_t{0x7ff} << 52 | fraction << (52 - M));
  if (exponent == 0) {
    constexpr int SHIFT = BIAS - 1 + M;  // value = fraction * 2^-SHIFT
    const double v = double(fraction) * std::bit_cast<double>(uint64_t(1023 - SHIFT) << 52);
    return sign ? -v : v;
  }
  return std::bit_cast<double>(sign | uint64_t(exponent - BIAS + 1023) << 52 |
                               fraction << (52 - M));
}

struct Half {
  static double to(uint16_t v) { return widen<5, 10>(v); }
  static uint16_t from(double v, HalfRounding r = HalfRounding::NEAREST, bool finite = false) {
    return round_to<5, 10>(v, r, finite);
  }
};
struct Brain {
  static double to(uint16_t v) { return widen<8, 7>(v); }
  static uint16_t from(double v, HalfRounding r = HalfRounding::NEAREST, bool finite = false) {
    return round_to<8, 7>(v, r, finite);
  }
};

}  // namespace cucore::cpu
