// SPDX-License-Identifier: Apache-2.0
// Handlers of the .approx instructions. All compute in double without fused operations, so that
// every instruction set returns the same bits. The results are well inside the error bounds of PTX.
#include "cpu/exec/families.hpp"
#include "cpu/exec/lanes.hpp"
#include "cpu/exec/reals.hpp"

namespace cucore::cpu::CUCPU_SIMD {
namespace {

using enum Regular;
using ptx::Form;
using ptx::Opcode;
using ptx::Type;

constexpr double LN2 = 0x1.62e42fefa39efp-1;
constexpr double INF = __builtin_inf();
// Adding and subtracting it rounds to the nearest integer, which is then in its low bits.
constexpr double SHIFTER = 0x1.8p52;

// 2^x for |x| < 1000.
CUCPU_INLINE double exp2_of(double x) {
  const double shifted = x + SHIFTER;
  const double r = (x - (shifted - SHIFTER)) * LN2;
  const uint64_t n = bits_of<uint64_t>(shifted);
  double p = 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return p * bits_of<double>((n + 1023) << 52);
}
CUCPU_INLINE double clamped(double x, double limit) {
  x = x > -limit ? x : -limit;
  return x < limit ? x : limit;
}

struct Ex2 {
  static float apply(float a) {
    const float r = float(exp2_of(clamped(double(a), 200.0)));
    return a == a ? r : a;
  }
};

// Computes log2 of a positive normal double: the mantissa in [sqrt(1/2), sqrt(2)) through the
// series of atanh.
CUCPU_INLINE double log2_of(double x) {
  const uint64_t b = bits_of<uint64_t>(x);
  const uint64_t up = (b & 0xfffffffffffff) > 0x6a09e667f3bcc ? 1 : 0;
  const double e = bits_of<double>((b >> 52) + up + 0x4330000000000000) - (0x1p52 + 1023);
  const double m = bits_of<double>((b & 0xfffffffffffff) | (uint64_t{1023} - up) << 52);
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double p = 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1.0;
  return e + p * s * (2.0 / LN2);
}
struct Lg2 {
  static float apply(float a) {
    float r = float(log2_of(a > 0 ? double(a) : 1.0));
    r = a == 0 ? -float(INF) : r;
    r = a == float(INF) ? a : r;
    return a >= 0 ? r : bits_of<float>(uint32_t{0x7fffffff});
  }
};

// Computes the sine of x + quadrant * pi/2. A pi/2 in two parts keeps the reduction accurate for
// |x| up to 2^30.
CUCPU_INLINE double sine(double x, uint64_t quadrant) {
  const double shifted = x * 0x1.45f306dc9c883p-1 + SHIFTER;
  const double n = shifted - SHIFTER;
  const double r = (x - n * 0x1.921fb544p0) - n * 0x1.0b4611a626331p-34;
  const uint64_t q = bits_of<uint64_t>(shifted) + quadrant;
  const double z = r * r;
  double s = 1.0 / 362880;
  s = s * z - 1.0 / 5040;
  s = s * z + 1.0 / 120;
  s = s * z - 1.0 / 6;
  s = r + r * (z * s);
  double c = -1.0 / 3628800;
  c = c * z + 1.0 / 40320;
  c = c * z - 1.0 / 720;
  c = c * z + 1.0 / 24;
  c = c * z - 0.5;
  c = c * z + 1.0;
  const double v = q & 1 ? c : s;
  return q & 2 ? -v : v;
}
template <uint64_t Quadrant>
CUCPU_INLINE float wave(float a) {
  const float size = bits_of<float>(bits_of<uint32_t>(a) & 0x7fffffff);
  const float r = float(sine(size < 0x1p30f ? double(a) : 0.0, Quadrant));
  return size < float(INF) ? r : bits_of<float>(uint32_t{0x7fffffff});
}
struct Sin {
  // The sine of a tiny or zero argument is the argument, with its sign.
  static float apply(float a) { return a * a < 0x1p-40f ? a : wave<0>(a); }
};
struct Cos {
  static float apply(float a) { return wave<1>(a); }
};

struct Tanh {
  static float apply(float a) {
    const double e = exp2_of(clamped(double(a), 50.0) * (2.0 / LN2));
    const float r = float((e - 1.0) / (e + 1.0));
    return a * a < 0x1p-30f ? a : a == a ? r : a;
  }
};

struct RcpApprox {
  static float apply(float a) { return 1.0f / a; }
};
struct SqrtApprox {
  static float apply(float a) { return __builtin_sqrtf(a); }
};
struct RsqrtApprox {
  static float apply(float a) { return 1.0f / __builtin_sqrtf(a); }
};
struct DivApprox {
  // A divisor of at least 2^126 returns 0, or NaN for an infinite dividend, because its reciprocal
  // is flushed.
  static float apply(float a, float b) {
    const float size = bits_of<float>(bits_of<uint32_t>(b) & 0x7fffffff);
    return (size > 0x1p126f) & (size < float(INF))
               ? a * bits_of<float>(bits_of<uint32_t>(b) & 0x80000000)
               : a / b;
  }
};

template <class F, bool Ftz>
void approximate(Warp& w, const Op& op) {
  const float* a = in<float>(w, op[FIRST]);
  each_lane(w, out<float>(w, op[RESULT]),
            [=](int l) { return result<Ftz, false>(F::apply(source<Ftz>(a[l]))); });
}
template <bool Ftz>
void divide(Warp& w, const Op& op) {
  const float* a = in<float>(w, op[FIRST]);
  const float* b = in<float>(w, op[SECOND]);
  each_lane(w, out<float>(w, op[RESULT]), [=](int l) {
    return result<Ftz, false>(DivApprox::apply(source<Ftz>(a[l]), source<Ftz>(b[l])));
  });
}

// The f64 seeds use the upper half of a double's bits; subnormal arguments count as zero.
CUCPU_INLINE double flushed_high(double v) {
  const uint64_t b = bits_of<uint64_t>(v);
  return bits_of<double>((b >> 52 & 0x7ff) ? b : b & uint64_t{1} << 63);
}
CUCPU_INLINE double upper_half(double v) {
  return bits_of<double>(bits_of<uint64_t>(v) & 0xffffffff00000000);
}
void rcp_f64(Warp& w, const Op& op) {
  const double* a = in<double>(w, op[FIRST]);
  each_lane(w, out<double>(w, op[RESULT]),
            [=](int l) { return flushed_high(upper_half(1.0 / flushed_high(upper_half(a[l])))); });
}
void rsqrt_f64_ftz(Warp& w, const Op& op) {
  const double* a = in<double>(w, op[FIRST]);
  each_lane(w, out<double>(w, op[RESULT]), [=](int l) {
    return upper_half(1.0 / __builtin_sqrt(flushed_high(upper_half(a[l]))));
  });
}
void rsqrt_f64(Warp& w, const Op& op) {
  const double* a = in<double>(w, op[FIRST]);
  each_lane(w, out<double>(w, op[RESULT]), [=](int l) { return 1.0 / __builtin_sqrt(a[l]); });
}

template <class F>
Handler unary_of(const Form& f) {
  return f.has(ptx::FLAG_FTZ) ? Handler(approximate<F, true>) : Handler(approximate<F, false>);
}
Handler double_precision(const Form& f) {
  const bool ftz = f.has(ptx::FLAG_FTZ);
  if (f.op == Opcode::rcp && ftz) return rcp_f64;
  if (f.op == Opcode::rsqrt) return ftz ? rsqrt_f64_ftz : rsqrt_f64;
  return nullptr;
}

}  // namespace

Handler select_approximate(const Form& f) {
  if (!f.has(ptx::FLAG_APPROX)) return nullptr;
  if (f.types[0] == Type::f64) return double_precision(f);
  if (f.types[0] != Type::f32) return nullptr;
  switch (f.op) {
    case Opcode::ex2:
      return unary_of<Ex2>(f);
    case Opcode::lg2:
      return unary_of<Lg2>(f);
    case Opcode::sin:
      return unary_of<Sin>(f);
    case Opcode::cos:
      return unary_of<Cos>(f);
    case Opcode::tanh:
      return unary_of<Tanh>(f);
    case Opcode::rcp:
      return unary_of<RcpApprox>(f);
    case Opcode::sqrt:
      return unary_of<SqrtApprox>(f);
    case Opcode::rsqrt:
      return unary_of<RsqrtApprox>(f);
    case Opcode::div:
      return f.has(ptx::FLAG_FTZ) ? divide<true> : divide<false>;
    default:
      return nullptr;
  }
}

}  // namespace cucore::cpu::CUCPU_SIMD
