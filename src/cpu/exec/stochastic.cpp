// SPDX-License-Identifier: Apache-2.0
// cvt.rs: f32 to pairs of halves and to four floats of at most 8 bits, rounded by random bits.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "cpu/exec/baseline_ops.hpp"

namespace cucore::cpu {
namespace {

using enum Regular;
using ptx::Form;
using ptx::Type;

// A format without sign: its largest number, and the results of infinity and NaN.
struct Target {
  int bits, mantissa, least_exponent;
  uint32_t largest, infinity, nan;
  int random_bits;  // that the text supplies per value
  int distance;     // of the values of a result

  uint32_t sign() const { return 1u << (bits - 1); }
};

Target target(Type type) {
  switch (type) {
    case Type::f16x2:
      return {16, 10, -14, 0x7bff, 0x7c00, 0x7fff, 13, 16};
    case Type::bf16x2:
      return {16, 7, -126, 0x7f7f, 0x7f80, 0x7fff, 16, 16};
    case Type::e4m3x4:
      return {8, 3, -6, 0x7e, 0x7e, 0x7f, 16, 8};
    case Type::e5m2x4:
      return {8, 2, -14, 0x7b, 0x7b, 0x7f, 16, 8};
    case Type::e2m3x4:
      return {6, 3, 0, 0x1f, 0x1f, 0x1f, 16, 8};
    case Type::e3m2x4:
      return {6, 2, -2, 0x1f, 0x1f, 0x1f, 16, 8};
    default:
      return {4, 1, 0, 7, 7, 7, 8, 4};
  }
}

struct Plan {
  Type to;
  uint32_t width;  // of the register
  bool relu, finite;

  uint64_t packed() const {
    return uint64_t(to) | uint64_t{width} << 8 | uint64_t{relu} << 16 | uint64_t{finite} << 17;
  }
  static Plan of(uint64_t v) {
    return {Type(v & 0xff), uint32_t(v >> 8 & 0xff), (v >> 16 & 1) != 0, (v >> 17 & 1) != 0};
  }
};

// The value moves away from zero if the sum of the random bits and the highest of the discarded
// bits has a carry.
uint32_t rounded(const Target& t, float v, uint32_t random, const Plan& p) {
  if (v != v) return t.nan;
  const uint32_t sign = std::signbit(v) ? t.sign() : 0;
  if (p.relu && sign) return 0;
  if (v == 0) return sign;
  const uint32_t beyond = p.finite ? t.largest : t.infinity;
  if (std::isinf(v)) return sign | beyond;
  const int exponent = std::max(std::ilogb(v), t.least_exponent);
  const double units = std::ldexp(std::fabs(double(v)), t.mantissa - exponent);
  const double floor = std::floor(units);
  const uint32_t one = 1u << t.random_bits;
  const auto discarded = uint32_t((units - floor) * one);
  const uint64_t magnitude = uint64_t(floor) + (discarded + (random & (one - 1)) >= one);
  const uint64_t code = magnitude + (uint64_t(exponent - t.least_exponent) << t.mantissa);
  return sign | (code > t.largest ? beyond : uint32_t(code));
}

void to_pair_by_random(Warp& w, const Op& op) {
  const Plan p = Plan::of(op.imm);
  const Target t = target(p.to);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const uint32_t random = w.at<uint32_t>(op[THIRD])[l];
    const float a = w.at<float>(op[FIRST])[l], b = w.at<float>(op[SECOND])[l];
    const uint32_t both = rounded(t, a, random >> 16, p) << 16 | rounded(t, b, random & 0xffff, p);
    w.at<uint32_t>(op[RESULT])[l] = both;
  }
}

// Operands a, b, e, f: a becomes the uppermost value. Two values share 16 random bits; each value
// of 4 bits has 8 of its own.
void to_quad_by_random(Warp& w, const Op& op) {
  const Plan p = Plan::of(op.imm);
  const Target t = target(p.to);
  const bool own = p.to == Type::e2m1x4;
  static constexpr unsigned OWN[] = {24, 8, 16, 0}, SHARED[] = {16, 16, 0, 0};
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const uint32_t random = w.at<uint32_t>(op.at(FIRST, 4))[l];
    uint32_t all = 0;
    for (unsigned k = 0; k < 4; ++k) {
      const uint32_t bits = own ? random >> OWN[k] & 0xff : random >> SHARED[k] & 0xffff;
      all = all << t.distance | rounded(t, w.at<float>(op.at(FIRST, k))[l], bits, p);
    }
    std::memcpy(w.at<std::byte>(op[RESULT]) + size_t(l) * p.width, &all, p.width);
  }
}

}  // namespace

Comparison select_stochastic(const Form& f, Widths widths) {
  if (f.rounding != ptx::Rounding::rs) return {};
  const bool quad = ptx::is_quad(f.types[0]);
  if (widths.d != 4 && !(widths.d == 2 && f.types[0] == Type::e2m1x4)) return {};
  const Plan plan{f.types[0], widths.d, f.has(ptx::FLAG_RELU), f.has(ptx::FLAG_SATFINITE)};
  return {quad ? to_quad_by_random : to_pair_by_random, plan.packed()};
}

}  // namespace cucore::cpu
