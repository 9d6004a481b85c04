// f16 and bf16 as numbers: exact to double, and from double with one rounding.
#ifndef CUCPU_EXEC_HALVES_HPP
#define CUCPU_EXEC_HALVES_HPP

#include <bit>

#include "cpu/exec/warp.hpp"

namespace cucore::cpu {

enum class HalfRounding : u8 { Nearest, Zero, Down, Up };

// Rounds a double to a format with E exponent and M mantissa bits, NaN to 0x7fff.
template <int E, int M>
u16 round_to(double value, HalfRounding rounding = HalfRounding::Nearest, bool to_finite = false) {
  constexpr int BIAS = (1 << (E - 1)) - 1;
  constexpr u16 INF = u16(((1 << E) - 1) << M);
  const u64 bits = std::bit_cast<u64>(value);
  const u16 sign = u16(bits >> 63 << 15);
  const int exponent = int(bits >> 52 & 0x7ff);
  const u64 fraction = bits & 0xfffffffffffff;
  if (exponent == 0x7ff) return fraction ? u16(0x7fff) : u16(sign | (to_finite ? INF - 1 : INF));
  if (exponent == 0) {  // far below the smallest value: only a directed rounding leaves zero
    const bool away = rounding == (sign ? HalfRounding::Down : HalfRounding::Up);
    return u16(sign | u16(fraction != 0 && away));
  }
  int e = exponent - 1023 + BIAS;
  u64 mantissa = fraction | u64{1} << 52;
  int shift = 52 - M;
  if (e <= 0) {
    shift += 1 - e;
    e = 0;
  }
  const bool tiny = shift > 63;
  const u64 rest = tiny ? 1 : mantissa & ((u64{1} << shift) - 1);
  const u64 half = tiny ? 2 : u64{1} << (shift - 1);
  u64 kept = tiny ? 0 : mantissa >> shift;
  bool up = false;
  switch (rounding) {
    case HalfRounding::Nearest:
      up = rest > half || (rest == half && (kept & 1));
      break;
    case HalfRounding::Zero:
      break;
    case HalfRounding::Down:
      up = sign && rest;
      break;
    case HalfRounding::Up:
      up = !sign && rest;
      break;
  }
  kept += up;
  const u64 result = e > 0 ? kept + (u64(e - 1) << M) : kept;
  if (result >= INF) {
    const bool toward = rounding == HalfRounding::Zero ||
                        (rounding == HalfRounding::Down && !sign) ||
                        (rounding == HalfRounding::Up && sign);
    return u16(sign | (toward || to_finite ? INF - 1 : INF));
  }
  return u16(sign | result);
}

template <int E, int M>
double widen(u16 value) {
  constexpr int BIAS = (1 << (E - 1)) - 1;
  const u64 sign = u64(value >> 15) << 63;
  const int exponent = value >> M & ((1 << E) - 1);
  const u64 fraction = value & ((1 << M) - 1);
  if (exponent == (1 << E) - 1)
    return std::bit_cast<double>(sign | u64{0x7ff} << 52 | fraction << (52 - M));
  if (exponent == 0) {
    constexpr int SHIFT = BIAS - 1 + M;  // value = fraction * 2^-SHIFT
    const double v = double(fraction) * std::bit_cast<double>(u64(1023 - SHIFT) << 52);
    return sign ? -v : v;
  }
  return std::bit_cast<double>(sign | u64(exponent - BIAS + 1023) << 52 | fraction << (52 - M));
}

struct Half {
  static double to(u16 v) { return widen<5, 10>(v); }
  static u16 from(double v, HalfRounding r = HalfRounding::Nearest, bool finite = false) {
    return round_to<5, 10>(v, r, finite);
  }
};
struct Brain {
  static double to(u16 v) { return widen<8, 7>(v); }
  static u16 from(double v, HalfRounding r = HalfRounding::Nearest, bool finite = false) {
    return round_to<8, 7>(v, r, finite);
  }
};

}  // namespace cucore::cpu

#endif
