// SPDX-License-Identifier: Apache-2.0
// The rules of PTX for every floating-point result: subnormals flushed under .ftz, the canonical
// NaN, saturation.
#pragma once

#include "cpu/exec/lanes.hpp"

namespace cucore::cpu::CUCPU_SIMD {

// Replaces a subnormal by a zero with its sign.
CUCPU_INLINE float flushed(float v) {
  const uint32_t b = bits_of<uint32_t>(v);
  return bits_of<float>((b & 0x7f800000) ? b : b & 0x80000000);
}

// All NaN results in f32 are this NaN.
CUCPU_INLINE float canonical(float v) { return v == v ? v : bits_of<float>(uint32_t{0x7fffffff}); }

// A NaN result in f64 is the first operand that is a NaN, made quiet. The processor's own rule
// depends on the order in which the compiler passes the operands.
constexpr uint64_t QUIET = 0x0008000000000000;
CUCPU_INLINE double canonical(double v, double a, double b, double c) {
  uint64_t nan = 0xfff8000000000000;
  nan = c != c ? bits_of<uint64_t>(c) | QUIET : nan;
  nan = b != b ? bits_of<uint64_t>(b) | QUIET : nan;
  nan = a != a ? bits_of<uint64_t>(a) | QUIET : nan;
  return v == v ? v : bits_of<double>(nan);
}
CUCPU_INLINE float canonical(float v, float, float, float) { return canonical(v); }
CUCPU_INLINE double canonical(double v) { return v; }

// Under .ftz a result is zero if it would be below the least normal number with an unbounded
// exponent. Rounding among subnormals could lift such a result to that number. `scaled` is the same
// result from operands 2^24 times as large, which are not subnormal.
CUCPU_INLINE float flushed_by(float v, float scaled) {
  const float size = bits_of<float>(bits_of<uint32_t>(scaled) & 0x7fffffff);
  return size < 0x1p-102f ? bits_of<float>(bits_of<uint32_t>(v) & 0x80000000) : v;
}

// To [0, 1], NaN to 0.
template <class T>
CUCPU_INLINE T saturated(T v) {
  v = v > T(0) ? v : T(0);
  return v < T(1) ? v : T(1);
}

template <bool Ftz, class T>
CUCPU_INLINE T source(T v) {
  if constexpr (Ftz && sizeof(T) == 4)
    return flushed(v);
  else
    return v;
}
template <bool Ftz, bool Sat, class T>
CUCPU_INLINE T result(T v) {
  if constexpr (Sat) v = saturated(v);
  if constexpr (Ftz && sizeof(T) == 4) v = flushed(v);
  return canonical(v);
}
template <bool Ftz, bool Sat, class T>
CUCPU_INLINE T result_of(T v, T a, T b, T c) {
  if constexpr (sizeof(T) == 4 || Sat)
    return result<Ftz, Sat>(v);
  else
    return canonical(v, a, b, c);
}

}  // namespace cucore::cpu::CUCPU_SIMD
