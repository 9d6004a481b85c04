// SPDX-License-Identifier: Apache-2.0
// Conversions to and from pairs of 4-bit and 6-bit floats, and of 8-bit exponents.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/halves.hpp"

namespace cucore::cpu {
namespace {

using enum Regular;
using ptx::Form;
using ptx::Rounding;
using ptx::Type;

// A float without infinities and NaN. A value has `bits` bits, its sign first.
struct Tiny {
  int bits, mantissa, least_exponent;  // of the least normal number
  uint32_t largest() const { return (1u << (bits - 1)) - 1; }
  uint32_t sign() const { return 1u << (bits - 1); }
  int distance() const { return bits == 4 ? 4 : 8; }  // of the values of a pair
};

Tiny tiny(Type type) {
  switch (type) {
    case Type::e2m1x2:
      return {4, 1, 0};
    case Type::e2m3x2:
      return {6, 3, 0};
    default:
      return {6, 2, -2};
  }
}

// Rounds to nearest even. Large values and NaN become the largest number.
uint32_t to_tiny(const Tiny& t, float v, bool relu) {
  if (v != v) return t.largest();
  const uint32_t sign = std::signbit(v) ? t.sign() : 0;
  if (relu && sign) return 0;
  if (v == 0) return sign;
  if (std::isinf(v)) return sign | t.largest();
  const int exponent = std::max(std::ilogb(v), t.least_exponent);
  const double units = std::ldexp(std::fabs(double(v)), t.mantissa - exponent);
  const double floor = std::floor(units), rest = units - floor;
  uint64_t rounded = uint64_t(floor);
  rounded += rest > 0.5 || (rest == 0.5 && (rounded & 1));
  const uint64_t code = rounded + (uint64_t(exponent - t.least_exponent) << t.mantissa);
  return sign | uint32_t(std::min(code, uint64_t{t.largest()}));
}

uint32_t half_of_tiny(const Tiny& t, uint32_t code, bool relu) {
  const uint32_t size = code & t.largest();
  const bool negative = code & t.sign();
  if (relu && negative) return 0;
  const int field = int(size >> t.mantissa);
  const uint32_t fraction = size & ((1u << t.mantissa) - 1);
  const double v = std::ldexp(double(field ? fraction | 1u << t.mantissa : fraction),
                              t.least_exponent + (field ? field - 1 : 0) - t.mantissa);
  return Half::from(negative ? -v : v);
}

// The exponent of a bf16. Rounding up ignores the sign, and values up to 2^-127 become 2^-127.
uint32_t exponent_of(uint16_t value, bool up, bool to_finite) {
  const uint32_t size = value & 0x7fff;
  uint32_t result = size >> 7;
  if (up && (size & 0x7f) && size > 0x40 && size < 0x7f80) ++result;
  return to_finite && size <= 0x7f80 && result == 0xff ? 0xfe : result;
}

// Returns the size of the value as bf16.
uint16_t bf16_of(float v, bool up) {
  const uint32_t bits = std::bit_cast<uint32_t>(v) & 0x7fffffff;
  if (v != v) return 0x7fff;
  const bool rounds = up && bits < 0x7f800000 && (bits & 0xffff) != 0;
  return uint16_t((bits >> 16) + rounds);
}

uint16_t bf16_of_exponent(uint32_t exponent) {
  if (exponent == 0xff) return 0x7fff;
  return exponent == 0 ? 0x40 : uint16_t(exponent << 7);
}

// Op::imm of a conversion.
struct Plan {
  Type small;
  uint32_t width;  // of the register of the pair
  bool relu, up, finite, from_float;

  uint64_t packed() const {
    return uint64_t(small) | uint64_t{width} << 8 | uint64_t{relu} << 16 | uint64_t{up} << 17 |
           uint64_t{finite} << 18 | uint64_t{from_float} << 19;
  }
  static Plan of(uint64_t v) {
    return {Type(v & 0xff),     uint32_t(v >> 8 & 0xff), (v >> 16 & 1) != 0,
            (v >> 17 & 1) != 0, (v >> 18 & 1) != 0,      (v >> 19 & 1) != 0};
  }
};

// The first operand becomes the upper value of the pair.
void to_pair(Warp& w, const Op& op) {
  const Plan p = Plan::of(op.imm);
  const Tiny t = tiny(p.small);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const float high = w.at<float>(op[FIRST])[l], low = w.at<float>(op[SECOND])[l];
    const uint32_t pair = to_tiny(t, high, p.relu) << t.distance() | to_tiny(t, low, p.relu);
    std::memcpy(w.at<std::byte>(op[RESULT]) + size_t(l) * p.width, &pair, p.width);
  }
}

void from_pair(Warp& w, const Op& op) {
  const Plan p = Plan::of(op.imm);
  const Tiny t = tiny(p.small);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    uint32_t pair = 0;
    std::memcpy(&pair, w.at<std::byte>(op[FIRST]) + size_t(l) * p.width, std::min(p.width, 4u));
    w.at<uint32_t>(op[RESULT])[l] =
        half_of_tiny(t, pair >> t.distance(), p.relu) << 16 | half_of_tiny(t, pair, p.relu);
  }
}

void to_exponents(Warp& w, const Op& op) {
  const Plan p = Plan::of(op.imm);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const uint32_t both = w.at<uint32_t>(op[FIRST])[l];
    auto high = uint16_t(both >> 16), low = uint16_t(both);
    if (p.from_float) {
      high = bf16_of(w.at<float>(op[FIRST])[l], p.up);
      low = bf16_of(w.at<float>(op[SECOND])[l], p.up);
    }
    const uint32_t pair = exponent_of(high, p.up, p.finite) << 8 | exponent_of(low, p.up, p.finite);
    std::memcpy(w.at<std::byte>(op[RESULT]) + size_t(l) * p.width, &pair, p.width);
  }
}

void from_exponents(Warp& w, const Op& op) {
  const Plan p = Plan::of(op.imm);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    uint32_t pair = 0;
    std::memcpy(&pair, w.at<std::byte>(op[FIRST]) + size_t(l) * p.width, std::min(p.width, 4u));
    w.at<uint32_t>(op[RESULT])[l] =
        uint32_t{bf16_of_exponent(pair >> 8 & 0xff)} << 16 | bf16_of_exponent(pair & 0xff);
  }
}

bool is_tiny(Type t) { return t == Type::e2m1x2 || t == Type::e2m3x2 || t == Type::e3m2x2; }

Handler handler_of(const Form& f) {
  const Type to = f.types[0], from = f.types[1];
  const bool finite = f.has(ptx::FLAG_SATFINITE), nearest = f.rounding == Rounding::rn;
  const bool directed = f.rounding == Rounding::rz || f.rounding == Rounding::rp;
  if (is_tiny(to)) return from == Type::f32 && nearest && finite ? to_pair : nullptr;
  if (is_tiny(from)) return to == Type::f16x2 && nearest ? from_pair : nullptr;
  if (f.has(ptx::FLAG_RELU)) return nullptr;
  if (from == Type::ue8m0x2) return to == Type::bf16x2 && nearest ? from_exponents : nullptr;
  const bool known = from == Type::f32 || from == Type::bf16x2;
  return to == Type::ue8m0x2 && known && directed ? to_exponents : nullptr;
}

}  // namespace

Comparison select_tiny_convert(const Form& f, Widths widths) {
  const bool stores = is_tiny(f.types[0]) || f.types[0] == Type::ue8m0x2;
  const uint32_t width = stores ? widths.d : widths.a;
  const bool fits = (width == 2 || width == 4) && (stores || widths.d == 4);
  const Handler run = handler_of(f);
  if (!run || !fits) return {};
  const Plan plan{stores ? f.types[0] : f.types[1],
                  width,
                  f.has(ptx::FLAG_RELU),
                  f.rounding == Rounding::rp,
                  f.has(ptx::FLAG_SATFINITE),
                  f.types[1] == Type::f32};
  return {run, plan.packed()};
}

}  // namespace cucore::cpu
