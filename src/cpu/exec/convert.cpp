// SPDX-License-Identifier: Apache-2.0
// All conversions without a vector handler, lane by lane: directed roundings, saturation, 8-bit
// types, registers wider than their type, f16 and bf16. Built with -frounding-math.
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/halves.hpp"
#include "cpu/exec/host_rounding.hpp"

namespace cucore::cpu {
namespace {

using enum Regular;
using ptx::Form;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

__extension__ typedef __int128 s128;

// A conversion, encoded in the 64 bits of Op::imm.
struct Plan {
  Type to = Type::none, from = Type::none;
  uint8_t to_width = 0, from_width = 0;
  Rounding rounding = Rounding::none;
  bool ftz = false, sat = false, relu = false, finite = false;

  uint64_t packed() const {
    return uint64_t(to) | uint64_t(from) << 8 | uint64_t(to_width) << 16 |
           uint64_t(from_width) << 24 | uint64_t(rounding) << 32 | uint64_t(ftz) << 40 |
           uint64_t(sat) << 41 | uint64_t(relu) << 42 | uint64_t(finite) << 43;
  }
  static Plan unpacked(uint64_t v) {
    Plan p;
    p.to = Type(v & 0xff);
    p.from = Type(v >> 8 & 0xff);
    p.to_width = uint8_t(v >> 16);
    p.from_width = uint8_t(v >> 24);
    p.rounding = Rounding(v >> 32 & 0xff);
    p.ftz = v >> 40 & 1;
    p.sat = v >> 41 & 1;
    p.relu = v >> 42 & 1;
    p.finite = v >> 43 & 1;
    return p;
  }
};

unsigned bits_in(Type t) { return 8 * ptx::size_of(t); }

s128 integer_value(Type t, uint64_t raw) {
  const unsigned n = bits_in(t);
  const uint64_t kept = n >= 64 ? raw : raw & ((uint64_t{1} << n) - 1);
  if (!ptx::is_signed(t)) return kept;
  return n >= 64 ? s128(int64_t(kept)) : s128(int64_t(kept << (64 - n)) >> (64 - n));
}
s128 highest(Type t) {
  return ptx::is_signed(t) ? (s128{1} << (bits_in(t) - 1)) - 1 : (s128{1} << bits_in(t)) - 1;
}
s128 lowest(Type t) { return ptx::is_signed(t) ? -(s128{1} << (bits_in(t) - 1)) : 0; }

float flushed(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; }

double real_value(const Plan& p, uint64_t raw) {
  switch (p.from) {
    case Type::f16:
      return Half::to(uint16_t(raw));
    case Type::bf16:
      return Brain::to(uint16_t(raw));
    case Type::f64:
      return std::bit_cast<double>(raw);
    default: {
      const float v = std::bit_cast<float>(uint32_t(raw));
      // f16's own subnormals are not subnormal in f32
      const bool flushes = p.ftz && p.to != Type::f16;
      return flushes ? flushed(v) : v;
    }
  }
}

double integral(double v, Rounding r) {
  switch (r) {
    case Rounding::rni:
      return std::nearbyint(v);
    case Rounding::rzi:
      return std::trunc(v);
    case Rounding::rmi:
      return std::floor(v);
    case Rounding::rpi:
      return std::ceil(v);
    default:
      return v;
  }
}

uint64_t real_to_integer(const Plan& p, double v) {
  const bool wide = p.from == Type::f64 || bits_in(p.to) == 64;
  if (v != v) return wide ? uint64_t{1} << (bits_in(p.to) - 1) : 0;
  v = integral(v, p.rounding);
  if (v >= std::ldexp(1.0, int(bits_in(p.to)) - ptx::is_signed(p.to)))
    return uint64_t(highest(p.to));
  if (v < double(lowest(p.to))) return uint64_t(lowest(p.to));
  return uint64_t(s128(v));
}

HalfRounding half_rounding(Rounding r) {
  switch (r) {
    case Rounding::rz:
      return HalfRounding::ZERO;
    case Rounding::rm:
      return HalfRounding::DOWN;
    case Rounding::rp:
      return HalfRounding::UP;
    default:
      return HalfRounding::NEAREST;
  }
}

template <class T>
T saturated(T v) {
  return v > T(0) ? (v < T(1) ? v : T(1)) : T(0);
}

// tf32 is an f32 whose lower 13 bits are zero; rna rounds halves away from zero.
uint32_t to_tf32(const Plan& p, float v) {
  uint32_t b = std::bit_cast<uint32_t>(v);
  if (v != v) return b & ~uint32_t{0x1fff};
  if ((b & 0x7f800000) == 0x7f800000) return p.finite ? (b & 0x80000000) | 0x7f7fe000 : b;
  const uint32_t rest = b & 0x1fff;
  uint32_t kept = b & ~uint32_t{0x1fff};
  const bool up = p.rounding == Rounding::rna ? rest >= 0x1000
                  : p.rounding == Rounding::rz
                      ? false
                      : rest > 0x1000 || (rest == 0x1000 && (kept & 0x2000));
  kept += up ? 0x2000 : 0;
  if (p.finite && (kept & 0x7f800000) == 0x7f800000) kept = (kept & 0x80000000) | 0x7f7fe000;
  return kept;
}

// If a conversion keeps a NaN's payload, then it keeps the upper bits; otherwise the result is the
// canonical NaN.
uint64_t nan_from(const Plan& p, double v) {
  const uint64_t bits = std::bit_cast<uint64_t>(v), sign = bits >> 63;
  const uint64_t fraction = (bits & 0x000fffffffffffff) | 0x0008000000000000;
  if (p.to == Type::f64) return p.ftz ? 0x7fffffffe0000000 : bits | 0x0008000000000000;
  if (p.to == Type::f16 && p.from == Type::f64) return sign << 15 | 0x7c00 | fraction >> 42;
  if (p.to == Type::f32 && (p.from == Type::f64 || p.from == Type::bf16))
    return sign << 31 | 0x7f800000 | fraction >> 29;
  return p.to == Type::f32 ? 0x7fffffff : 0x7fff;
}

// Two conversions only move or cut bits, and do not quiet a signalling NaN.
bool keeps_nan(const Plan& p, uint32_t raw) {
  if (p.sat || p.ftz || p.relu) return false;
  if (p.from == Type::bf16 && p.to == Type::f32) return (raw & 0x7fff) > 0x7f80;
  return p.from == Type::f32 && p.to == Type::tf32 && (raw & 0x7fffffff) > 0x7f800000;
}
uint32_t nan_as_it_is(const Plan& p, uint32_t raw) {
  return p.from == Type::bf16 ? raw << 16 : raw & ~uint32_t{0x1fff};
}

// Under .ftz: returns whether v rounds below the least normal number with an unbounded exponent;
// see rounding.cpp.
bool is_tiny(double v) {
  volatile double scaled = v * 0x1p100;
  return std::fabs(float(scaled)) < 0x1p-26f;
}

// The host already has the rounding mode of the conversion.
uint64_t from_real(const Plan& p, double v) {
  if (v != v && !p.sat && p.to != Type::tf32) return nan_from(p, v);
  if (p.relu && !(v > 0) && v == v) v = 0;
  if (p.sat) v = saturated(v);
  if (p.rounding >= Rounding::rni) v = integral(v, p.rounding);
  switch (p.to) {
    case Type::f16:
      return Half::from(v, half_rounding(p.rounding), p.finite);
    case Type::bf16:
      return Brain::from(v, half_rounding(p.rounding), p.finite);
    case Type::f64:
      return std::bit_cast<uint64_t>(v);
    case Type::tf32:
      return to_tf32(p, float(v));
    default: {
      volatile double source = v;
      float r = float(source);
      if (p.ftz && is_tiny(v)) r = std::copysign(0.0f, r);
      return r == r ? std::bit_cast<uint32_t>(r) : 0x7fffffff;
    }
  }
}

// Returns a double that rounds to a format of at most 51 bits as v itself does. Its last bit is set
// if any bit below it is.
double sticky_double(s128 v) {
  const uint64_t size = v < 0 ? uint64_t(-v) : uint64_t(v);
  const int cut = std::max(0, 11 - std::countl_zero(size));
  const uint64_t kept = size >> cut | uint64_t((size & ((uint64_t{1} << cut) - 1)) != 0);
  const double wide = std::ldexp(double(kept), cut);
  return v < 0 ? -wide : wide;
}

uint64_t from_integer(const Plan& p, s128 v) {
  const bool fits =
      v >= std::numeric_limits<int64_t>::min() && v <= std::numeric_limits<int64_t>::max();
  if (p.to == Type::f32) {
    const float r = fits ? float(int64_t(v)) : float(uint64_t(v));
    return std::bit_cast<uint32_t>(p.sat ? saturated(r) : r);
  }
  if (p.to != Type::f64) return from_real(p, sticky_double(v));
  return from_real(p, fits ? double(int64_t(v)) : double(uint64_t(v)));
}

uint64_t convert_one(const Plan& p, uint64_t raw) {
  const bool real_to = ptx::is_float(p.to), real_from = ptx::is_float(p.from);
  if (real_from && real_to && keeps_nan(p, uint32_t(raw))) return nan_as_it_is(p, uint32_t(raw));
  if (real_from)
    return real_to ? from_real(p, real_value(p, raw)) : real_to_integer(p, real_value(p, raw));
  s128 v = integer_value(p.from, raw);
  if (real_to) return from_integer(p, v);
  if (p.sat) v = v > highest(p.to) ? highest(p.to) : v < lowest(p.to) ? lowest(p.to) : v;
  return uint64_t(v);
}

// A destination register wider than the type receives the sign-extended value.
uint64_t extended(const Plan& p, uint64_t value) {
  if (ptx::is_float(p.to) || ptx::size_of(p.to) >= p.to_width) return value;
  return uint64_t(integer_value(p.to, value));
}

void convert(Warp& w, const Op& op) {
  const Plan p = Plan::unpacked(op.imm);
  const bool wide = ptx::is_float(p.to) && !ptx::is_float(p.from);
  const HostRounding mode(wide || p.to == Type::f32 ? p.rounding : Rounding::rn);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    uint64_t raw = 0;
    std::memcpy(&raw, w.at<std::byte>(op[FIRST]) + size_t(l) * p.from_width, p.from_width);
    const uint64_t value = extended(p, convert_one(p, raw));
    std::memcpy(w.at<std::byte>(op[RESULT]) + size_t(l) * p.to_width, &value, p.to_width);
  }
}

// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half.
void convert_pair(Warp& w, const Op& op) {
  const Plan p = Plan::unpacked(op.imm);
  const uint32_t* a = w.at<uint32_t>(op[FIRST]);
  const uint32_t* b = w.at<uint32_t>(op[SECOND]);
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    d[l] = uint32_t(convert_one(p, a[l])) << 16 | uint32_t(convert_one(p, b[l]));
  }
}

// ---- 8-bit floats, two in 16 bits

struct Quarter {
  int mantissa, least_exponent;  // of the least normal number
  uint32_t largest, infinity;    // infinity 0: e4m3 has none, and its largest pattern is NaN
};
constexpr Quarter E4_M3 = {3, -6, 0x7e, 0};
constexpr Quarter E5_M2 = {2, -14, 0x7b, 0x7c};

// Rounds to nearest even. Values that are too large become the largest finite number. The host must
// round to nearest.
uint32_t to_quarter(const Quarter& q, double v, bool relu) {
  if (v != v) return 0x7f;
  const uint32_t sign = std::signbit(v) ? 0x80 : 0;
  if (relu && sign) return 0;
  if (v == 0) return sign;
  if (std::isinf(v)) return sign | q.largest;
  const int exponent = std::max(std::ilogb(v), q.least_exponent);
  volatile double units = std::ldexp(std::fabs(v), q.mantissa - exponent);
  const uint64_t rounded = uint64_t(std::nearbyint(units));
  const uint64_t code = rounded + (uint64_t(exponent - q.least_exponent) << q.mantissa);
  return sign | uint32_t(std::min(code, uint64_t{q.largest}));
}
uint32_t half_of_quarter(const Quarter& q, uint32_t code, bool relu) {
  const uint32_t size = code & 0x7f;
  if (q.infinity ? size > q.infinity : size > q.largest) return 0x7fff;
  if (relu && (code & 0x80)) return 0;
  if (q.infinity && size == q.infinity) return (code & 0x80) << 8 | 0x7c00;
  const int field = int(size >> q.mantissa);
  const uint32_t fraction = size & ((1u << q.mantissa) - 1);
  const double v = std::ldexp(double(field ? fraction | 1u << q.mantissa : fraction),
                              q.least_exponent + (field ? field - 1 : 0) - q.mantissa);
  return Half::from(code & 0x80 ? -v : v);
}
const Quarter& quarter(Type t) { return t == Type::e4m3x2 ? E4_M3 : E5_M2; }

// cvt.rn.satfinite.e4m3x2.f32 d, a, b: a becomes the upper byte. An f16x2 source is one operand.
void to_quarters(Warp& w, const Op& op) {
  const Plan p = Plan::unpacked(op.imm);
  const Quarter& q = quarter(p.to);
  const uint32_t* a = w.at<uint32_t>(op[FIRST]);
  const uint32_t* b = p.from == Type::f32 ? w.at<uint32_t>(op[SECOND]) : nullptr;
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const double high = b ? std::bit_cast<float>(a[l]) : Half::to(uint16_t(a[l] >> 16));
    const double low = b ? std::bit_cast<float>(b[l]) : Half::to(uint16_t(a[l]));
    const uint32_t value = to_quarter(q, high, p.relu) << 8 | to_quarter(q, low, p.relu);
    std::memcpy(w.at<std::byte>(op[RESULT]) + size_t(l) * p.to_width, &value, p.to_width);
  }
}
void from_quarters(Warp& w, const Op& op) {
  const Plan p = Plan::unpacked(op.imm);
  const Quarter& q = quarter(p.from);
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    uint32_t both = 0;
    std::memcpy(&both, w.at<std::byte>(op[FIRST]) + size_t(l) * p.from_width, 2);
    d[l] = half_of_quarter(q, both >> 8 & 0xff, p.relu) << 16 |
           half_of_quarter(q, both & 0xff, p.relu);
  }
}
bool is_quarters(Type t) { return t == Type::e4m3x2 || t == Type::e5m2x2; }

Comparison select_quarters(const Plan& p) {
  if (p.rounding != Rounding::rn) return {};
  if (is_quarters(p.to)) {
    const bool known = p.from == Type::f32 || p.from == Type::f16x2;
    const bool fits = p.to_width == 2 || p.to_width == 4;
    return known && fits && p.finite ? Comparison{to_quarters, p.packed()} : Comparison{};
  }
  return p.to == Type::f16x2 && p.to_width == 4 ? Comparison{from_quarters, p.packed()}
                                                : Comparison{};
}

bool is_scalar(Type t) {
  switch (t) {
    case Type::f16:
    case Type::bf16:
    case Type::f32:
    case Type::f64:
      return true;
    default:
      return !ptx::is_float(t) && t != Type::pred && ptx::size_of(t) >= 1 && ptx::size_of(t) <= 8;
  }
}
bool is_packed(Type t) { return t == Type::u16x2 || t == Type::s16x2; }

}  // namespace

Comparison select_any_convert(const Form& f, Widths widths) {
  if (f.op != Opcode::cvt || f.type_count != 2) return {};
  Plan p;
  p.to = f.types[0];
  p.from = f.types[1];
  p.to_width = widths.d;
  p.from_width = widths.a;
  p.rounding = f.rounding;
  p.ftz = f.has(ptx::FLAG_FTZ);
  p.sat = f.has(ptx::FLAG_SAT);
  p.relu = f.has(ptx::FLAG_RELU);
  p.finite = f.has(ptx::FLAG_SATFINITE);
  if (p.rounding == Rounding::rs) return select_stochastic(f, widths);
  if (const Comparison chosen = select_tiny_convert(f, widths); chosen.run) return chosen;
  if (is_quarters(p.to) || is_quarters(p.from)) return select_quarters(p);
  if ((p.to == Type::f16x2 || p.to == Type::bf16x2) && p.from == Type::f32) {
    p.to = p.to == Type::f16x2 ? Type::f16 : Type::bf16;
    return {convert_pair, p.packed()};
  }
  if (p.to == Type::tf32)
    return p.from == Type::f32 ? Comparison{convert, p.packed()} : Comparison{};
  if (!is_scalar(p.to) || !is_scalar(p.from) || is_packed(p.to) || is_packed(p.from)) return {};
  return {convert, p.packed()};
}

}  // namespace cucore::cpu
