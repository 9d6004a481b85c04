// SPDX-License-Identifier: Apache-2.0
// Handlers of f32 and f64 arithmetic rounded to nearest even. Directed roundings are in
// rounding.cpp.
#include "cpu/exec/families.hpp"
#include "cpu/exec/lanes.hpp"
#include "cpu/exec/reals.hpp"

#include <cmath>

namespace cucore::cpu::CUCPU_SIMD {
namespace {

using enum Regular;
using ptx::Form;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

struct RealAdd {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct RealSub {
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
};
struct RealMul {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};
struct RealDiv {
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
};
// Sums of normal numbers with a subnormal result are exact.
template <class F>
constexpr bool MAY_BE_TINY = std::is_same_v<F, RealMul> || std::is_same_v<F, RealDiv>;
struct Sqrt {
  static float apply(float a) { return __builtin_sqrtf(a); }
  static double apply(double a) { return __builtin_sqrt(a); }
};
struct Rcp {
  template <class T>
  static T apply(T a) {
    return T(1) / a;
  }
};

// Rounds once, with the processor's instruction if the build has it. Otherwise the product of two
// floats is exact in double. The sum is rounded to odd, so that only the last rounding counts.
CUCPU_INLINE float fused(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  const double p = double(a) * double(b);
  const double q = double(c);
  const double s = p + q;
  const double t = s - p;
  const double error = (p - (s - t)) + (q - t);
  uint64_t bits = bits_of<uint64_t>(s);
  const bool finite = (bits >> 52 & 0x7ff) != 0x7ff;
  const bool away = (error > 0) == (s > 0);
  const uint64_t odd = (bits & 1) ? bits : away ? bits + 1 : bits - 1;
  bits = (finite & (error != 0) & (s != 0)) ? odd : bits;
  return float(bits_of<double>(bits));
#endif
}
CUCPU_INLINE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

// min(-0, +0) is -0; the result of a NaN and a number is the number, unless NAN is set.
template <class T>
struct BitsType;
template <>
struct BitsType<float> {
  using type = uint32_t;
};
template <>
struct BitsType<double> {
  using type = uint64_t;
};

template <bool Least, bool Nan, class T>
CUCPU_INLINE T extreme(T a, T b) {
  using U = typename BitsType<T>::type;
  const U x = bits_of<U>(a), y = bits_of<U>(b);
  const T same = bits_of<T>(Least ? U(x | y) : U(x & y));
  T r = a == b ? same : (Least ? a < b : a > b) ? a : b;
  r = a != a ? b : r;
  r = b != b ? a : r;
  if constexpr (Nan)
    r = ((a != a) | (b != b)) ? bits_of<T>(sizeof(T) == 4 ? U(0x7fffffff) : U(0x7ff8000000000000))
                              : r;
  return r;
}
template <class T>
CUCPU_INLINE T magnitude(T v) {
  using U = typename BitsType<T>::type;
  return bits_of<T>(U(bits_of<U>(v) << 1 >> 1));
}
template <class T>
CUCPU_INLINE T with_sign(T v, T sign) {
  using U = typename BitsType<T>::type;
  constexpr U SIGN = U{1} << (8 * sizeof(U) - 1);
  return bits_of<T>(U((bits_of<U>(v) & ~SIGN) | (bits_of<U>(sign) & SIGN)));
}
template <class T>
CUCPU_INLINE T negated(T v) {
  using U = typename BitsType<T>::type;
  return bits_of<T>(U(bits_of<U>(v) ^ U{1} << (8 * sizeof(U) - 1)));
}

template <class T, class F, bool Ftz, bool Sat>
void real_unary(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) {
    const T x = source<Ftz>(a[l]);
    T v = F::apply(x);
    if constexpr (Ftz && std::is_same_v<F, Rcp>) v = flushed_by(v, 0x1p24f / x);
    return result_of<Ftz, Sat>(v, a[l], a[l], a[l]);
  });
}
template <class T, class F, bool Ftz, bool Sat>
void real_binary(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const T* b = in<T>(w, op[SECOND]);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) {
    const T x = source<Ftz>(a[l]), y = source<Ftz>(b[l]);
    T v = F::apply(x, y);
    if constexpr (Ftz && MAY_BE_TINY<F>) v = flushed_by(v, F::apply(x * 0x1p24f, y));
    return result_of<Ftz, Sat>(v, a[l], b[l], b[l]);
  });
}
template <class T, bool Ftz, bool Sat>
void fma(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const T* b = in<T>(w, op[SECOND]);
  const T* c = in<T>(w, op[THIRD]);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) {
    const T x = source<Ftz>(a[l]), y = source<Ftz>(b[l]), z = source<Ftz>(c[l]);
    T v = fused(x, y, z);
    if constexpr (Ftz) v = flushed_by(v, fused(x * 0x1p24f, y, z * 0x1p24f));
    return result_of<Ftz, Sat>(v, a[l], b[l], c[l]);
  });
}
template <class T, bool Least, bool Nan, bool Ftz>
void minmax(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const T* b = in<T>(w, op[SECOND]);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) {
    const T v = extreme<Least, Nan>(source<Ftz>(a[l]), source<Ftz>(b[l]));
    return result_of<Ftz, false>(v, a[l], b[l], b[l]);
  });
}
// Three operands: the forms of sm_100.
template <bool Least, bool Nan, bool Ftz, bool Abs>
void minmax3(Warp& w, const Op& op) {
  const float* a = in<float>(w, op[FIRST]);
  const float* b = in<float>(w, op[SECOND]);
  const float* c = in<float>(w, op[THIRD]);
  each_lane(w, out<float>(w, op[RESULT]), [=](int l) {
    const auto operand = [](float v) { return Abs ? magnitude(source<Ftz>(v)) : source<Ftz>(v); };
    const float first = extreme<Least, Nan>(operand(a[l]), operand(b[l]));
    return result<Ftz, false>(extreme<Least, Nan>(first, operand(c[l])));
  });
}
template <bool Least, bool Nan, bool Ftz>
void minmax_xorsign(Warp& w, const Op& op) {
  const float* a = in<float>(w, op[FIRST]);
  const float* b = in<float>(w, op[SECOND]);
  each_lane(w, out<float>(w, op[RESULT]), [=](int l) {
    const float x = source<Ftz>(a[l]), y = source<Ftz>(b[l]);
    const float sign = bits_of<float>(bits_of<uint32_t>(x) ^ bits_of<uint32_t>(y));
    const float r = extreme<Least, Nan>(magnitude(x), magnitude(y));
    return r == r ? with_sign(r, sign) : canonical(r);
  });
}
// Devices compute it as a sum: in f64 a NaN keeps its sign, in f32 it becomes the canonical NaN.
template <class T>
CUCPU_INLINE T or_nan(T v, T a) {
  return a == a ? v : canonical(a, a, a, a);
}
template <class T, bool Ftz>
void neg(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  each_lane(w, out<T>(w, op[RESULT]),
            [=](int l) { return or_nan(negated(source<Ftz>(a[l])), a[l]); });
}
template <class T, bool Ftz>
void abs(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  each_lane(w, out<T>(w, op[RESULT]),
            [=](int l) { return or_nan(magnitude(source<Ftz>(a[l])), a[l]); });
}
// copysign d, a, b: the magnitude of b with the sign of a.
template <class T>
void copysign(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const T* b = in<T>(w, op[SECOND]);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) { return with_sign(b[l], a[l]); });
}

template <class F>
Handler binary_of(const Form& f) {
  const bool ftz = f.has(ptx::FLAG_FTZ), sat = f.has(ptx::FLAG_SAT);
  if (f.types[0] == Type::f64) return real_binary<double, F, false, false>;
  if (ftz) return sat ? real_binary<float, F, true, true> : real_binary<float, F, true, false>;
  return sat ? real_binary<float, F, false, true> : real_binary<float, F, false, false>;
}
Handler fma_of(const Form& f) {
  const bool ftz = f.has(ptx::FLAG_FTZ), sat = f.has(ptx::FLAG_SAT);
  if (f.types[0] == Type::f64) return fma<double, false, false>;
  if (ftz) return sat ? fma<float, true, true> : fma<float, true, false>;
  return sat ? fma<float, false, true> : fma<float, false, false>;
}
template <class F>
Handler real_unary_of(const Form& f) {
  if (f.types[0] == Type::f64) return real_unary<double, F, false, false>;
  return f.has(ptx::FLAG_FTZ) ? Handler(real_unary<float, F, true, false>)
                              : Handler(real_unary<float, F, false, false>);
}

template <bool Least, bool Nan, bool Ftz>
Handler minmax_float(const Form& f, bool three) {
  if (three && f.has(ptx::FLAG_XORSIGN_ABS))
    return f.text.find("xorsign") == std::string_view::npos
               ? Handler(minmax3<Least, Nan, Ftz, true>)
               : nullptr;
  if (three) return minmax3<Least, Nan, Ftz, false>;
  return f.has(ptx::FLAG_XORSIGN_ABS) ? Handler(minmax_xorsign<Least, Nan, Ftz>)
                                      : Handler(minmax<float, Least, Nan, Ftz>);
}
template <bool Least>
Handler minmax_of(const Form& f, bool three) {
  const bool nan = f.has(ptx::FLAG_NAN), ftz = f.has(ptx::FLAG_FTZ);
  if (f.types[0] == Type::f64)
    return nan || three ? nullptr : Handler(minmax<double, Least, false, false>);
  if (nan)
    return ftz ? minmax_float<Least, true, true>(f, three)
               : minmax_float<Least, true, false>(f, three);
  return ftz ? minmax_float<Least, false, true>(f, three)
             : minmax_float<Least, false, false>(f, three);
}

bool is_directed(Rounding r) { return r == Rounding::rz || r == Rounding::rm || r == Rounding::rp; }

}  // namespace

Handler select_minmax3(const Form& f) {
  if (f.types[0] != Type::f32) return nullptr;
  return f.op == Opcode::min ? minmax_of<true>(f, true) : minmax_of<false>(f, true);
}

Handler select_real(const Form& f) {
  const Type type = f.types[0];
  if (type != Type::f32 && type != Type::f64) return nullptr;
  const bool approximate = f.has(ptx::FLAG_APPROX) || f.has(ptx::FLAG_FULL);
  if (is_directed(f.rounding)) return nullptr;
  const bool single = type == Type::f32, ftz = f.has(ptx::FLAG_FTZ);
  switch (f.op) {
    case Opcode::add:
      return binary_of<RealAdd>(f);
    case Opcode::sub:
      return binary_of<RealSub>(f);
    case Opcode::mul:
      return binary_of<RealMul>(f);
    case Opcode::fma:
    case Opcode::mad:
      return f.has(ptx::FLAG_RELU) ? nullptr : fma_of(f);
    case Opcode::div:
      return f.has(ptx::FLAG_APPROX) ? nullptr : binary_of<RealDiv>(f);
    case Opcode::rcp:
      return approximate ? nullptr : real_unary_of<Rcp>(f);
    case Opcode::sqrt:
      return approximate ? nullptr : real_unary_of<Sqrt>(f);
    case Opcode::min:
      return minmax_of<true>(f, false);
    case Opcode::max:
      return minmax_of<false>(f, false);
    case Opcode::neg:
      return single ? (ftz ? neg<float, true> : neg<float, false>) : neg<double, false>;
    case Opcode::abs:
      return single ? (ftz ? abs<float, true> : abs<float, false>) : abs<double, false>;
    case Opcode::copysign:
      return single ? copysign<float> : copysign<double>;
    default:
      return nullptr;
  }
}

}  // namespace cucore::cpu::CUCPU_SIMD
