// SPDX-License-Identifier: Apache-2.0
// Handlers of the common conversions; convert.cpp handles all others, lane by lane.
#include <cmath>
#include <limits>

#include "cpu/exec/families.hpp"
#include "cpu/exec/lanes.hpp"
#include "cpu/exec/reals.hpp"

namespace cucore::cpu::CUCPU_SIMD {
namespace {

using enum Regular;
using ptx::Form;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

// D and S are the types of the instruction; R is the type of the source register.
template <class D, class S, class R>
void integer(Warp& w, const Op& op) {
  const R* a = in<R>(w, op[FIRST]);
  each_lane(w, out<D>(w, op[RESULT]), [=](int l) { return D(S(a[l])); });
}

struct Nearest {
  static float apply(float v) { return __builtin_rintf(v); }
  static double apply(double v) { return __builtin_rint(v); }
};
struct Zero {
  static float apply(float v) { return __builtin_truncf(v); }
  static double apply(double v) { return __builtin_trunc(v); }
};
struct Down {
  static float apply(float v) { return __builtin_floorf(v); }
  static double apply(double v) { return __builtin_floor(v); }
};
struct Up {
  static float apply(float v) { return __builtin_ceilf(v); }
  static double apply(double v) { return __builtin_ceil(v); }
};

// Values out of range become the nearest limit. NaN becomes 0, or the upper bit alone if 64 bits
// are involved.
template <class I, class F>
CUCPU_INLINE I clamped(F v) {
  constexpr bool SIGNED = I(-1) < I(0);
  constexpr F TOP =
      F(SIGNED ? (sizeof(I) == 4 ? 0x1p31 : 0x1p63) : (sizeof(I) == 4 ? 0x1p32 : 0x1p64));
  constexpr F BOTTOM = SIGNED ? -TOP : F(0);
  constexpr I MAX = SIGNED ? I(~uint64_t{0} >> (65 - 8 * sizeof(I))) : I(~I(0));
  constexpr I MIN = SIGNED ? I(-MAX - 1) : I(0);
  constexpr I OF_NAN =
      sizeof(F) == 4 && sizeof(I) == 4 ? I(0) : I(uint64_t{1} << (8 * sizeof(I) - 1));
  const bool inside = (v >= BOTTOM) & (v < TOP);
  I r = I(inside ? v : F(0));
  r = v >= TOP ? MAX : r;
  r = v < BOTTOM ? MIN : r;
  return v == v ? r : OF_NAN;
}
template <class I, class F, class Round, bool Ftz>
void to_integer(Warp& w, const Op& op) {
  const F* a = in<F>(w, op[FIRST]);
  each_lane(w, out<I>(w, op[RESULT]),
            [=](int l) { return clamped<I>(Round::apply(source<Ftz>(a[l]))); });
}
template <class F, class I>
void from_integer(Warp& w, const Op& op) {
  const I* a = in<I>(w, op[FIRST]);
  each_lane(w, out<F>(w, op[RESULT]), [=](int l) { return F(a[l]); });
}
template <class F, class Round, bool Ftz, bool Sat>
void to_integral(Warp& w, const Op& op) {
  const F* a = in<F>(w, op[FIRST]);
  each_lane(w, out<F>(w, op[RESULT]), [=](int l) {
    return result_of<Ftz, Sat>(Round::apply(source<Ftz>(a[l])), a[l], a[l], a[l]);
  });
}
// From f64 to f32 and from f32 to f32, a NaN keeps its payload unless it is flushed or saturated.
template <class D, class S, bool Ftz, bool Sat>
CUCPU_INLINE D precise(S s) {
  D v = D(source<Ftz>(s));
  if constexpr (Ftz && sizeof(D) == 4 && sizeof(S) == 8) v = flushed_by(v, D(s * 0x1p24));
  if constexpr (Ftz && sizeof(D) == 8)
    v = s == s ? v : bits_of<double>(uint64_t{0x7fffffffe0000000});
  constexpr bool KEEPS = sizeof(D) == 4 && !Sat && (sizeof(S) == 8 || !Ftz);
  return KEEPS ? v : result<Ftz, Sat>(v);
}
template <class D, class S, bool Ftz, bool Sat>
void real(Warp& w, const Op& op) {
  const S* a = in<S>(w, op[FIRST]);
  each_lane(w, out<D>(w, op[RESULT]), [=](int l) { return precise<D, S, Ftz, Sat>(a[l]); });
}

// ---- choice

template <class D, class S>
Handler from_register(unsigned width) {
  switch (width) {
    case 2:
      return sizeof(S) <= 2 ? Handler(integer<D, S, uint16_t>) : nullptr;
    case 4:
      return sizeof(S) <= 4 ? Handler(integer<D, S, uint32_t>) : nullptr;
    case 8:
      return integer<D, S, uint64_t>;
    default:
      return nullptr;
  }
}
// The destination register has the width of its type, so only the sign of the source matters.
template <class D>
Handler narrow_or_extend(Type s, unsigned width) {
  switch (s) {
    case Type::u8:
      return from_register<D, uint8_t>(width);
    case Type::s8:
      return from_register<D, int8_t>(width);
    case Type::u16:
    case Type::b16:
      return from_register<D, uint16_t>(width);
    case Type::s16:
      return from_register<D, int16_t>(width);
    case Type::u32:
    case Type::b32:
      return from_register<D, uint32_t>(width);
    case Type::s32:
      return from_register<D, int32_t>(width);
    case Type::u64:
    case Type::b64:
    case Type::s64:
      return from_register<D, uint64_t>(width);
    default:
      return nullptr;
  }
}
Handler integer_to_integer(const Form& f, Widths widths) {
  if (f.has(ptx::FLAG_SAT) || widths.d != ptx::size_of(f.types[0])) return nullptr;
  switch (widths.d) {
    case 2:
      return narrow_or_extend<uint16_t>(f.types[1], widths.a);
    case 4:
      return narrow_or_extend<uint32_t>(f.types[1], widths.a);
    case 8:
      return narrow_or_extend<uint64_t>(f.types[1], widths.a);
    default:
      return nullptr;
  }
}

template <class I, class F, bool Ftz>
Handler rounding_of(Rounding r) {
  switch (r) {
    case Rounding::rni:
      return to_integer<I, F, Nearest, Ftz>;
    case Rounding::rzi:
      return to_integer<I, F, Zero, Ftz>;
    case Rounding::rmi:
      return to_integer<I, F, Down, Ftz>;
    case Rounding::rpi:
      return to_integer<I, F, Up, Ftz>;
    default:
      return nullptr;
  }
}
template <class F, bool Ftz>
Handler to_integer_of(const Form& f) {
  switch (f.types[0]) {
    case Type::s32:
      return rounding_of<int32_t, F, Ftz>(f.rounding);
    case Type::u32:
      return rounding_of<uint32_t, F, Ftz>(f.rounding);
    case Type::s64:
      return rounding_of<int64_t, F, Ftz>(f.rounding);
    case Type::u64:
      return rounding_of<uint64_t, F, Ftz>(f.rounding);
    default:
      return nullptr;
  }
}
Handler real_to_integer(const Form& f, Widths widths) {
  if (widths.d != ptx::size_of(f.types[0])) return nullptr;
  if (f.types[1] == Type::f64) return to_integer_of<double, false>(f);
  return f.has(ptx::FLAG_FTZ) ? to_integer_of<float, true>(f) : to_integer_of<float, false>(f);
}

template <class F>
Handler integer_to_real(const Form& f, Widths widths) {
  if (widths.a != ptx::size_of(f.types[1]) || f.has(ptx::FLAG_SAT)) return nullptr;
  if (f.rounding != Rounding::rn && f.rounding != Rounding::none) return nullptr;
  switch (f.types[1]) {
    case Type::s16:
      return from_integer<F, int16_t>;
    case Type::u16:
      return from_integer<F, uint16_t>;
    case Type::s32:
      return from_integer<F, int32_t>;
    case Type::u32:
      return from_integer<F, uint32_t>;
    case Type::s64:
      return from_integer<F, int64_t>;
    case Type::u64:
      return from_integer<F, uint64_t>;
    default:
      return nullptr;
  }
}

template <class F, bool Ftz, bool Sat>
Handler integral_by(Rounding r) {
  switch (r) {
    case Rounding::none:
      return real<F, F, Ftz, Sat>;
    case Rounding::rni:
      return to_integral<F, Nearest, Ftz, Sat>;
    case Rounding::rzi:
      return to_integral<F, Zero, Ftz, Sat>;
    case Rounding::rmi:
      return to_integral<F, Down, Ftz, Sat>;
    case Rounding::rpi:
      return to_integral<F, Up, Ftz, Sat>;
    default:
      return nullptr;
  }
}
Handler integral(const Form& f) {
  const bool sat = f.has(ptx::FLAG_SAT);
  if (f.types[0] == Type::f64)
    return sat ? integral_by<double, false, true>(f.rounding)
               : integral_by<double, false, false>(f.rounding);
  if (f.has(ptx::FLAG_FTZ))
    return sat ? integral_by<float, true, true>(f.rounding)
               : integral_by<float, true, false>(f.rounding);
  return sat ? integral_by<float, false, true>(f.rounding)
             : integral_by<float, false, false>(f.rounding);
}
template <class D, class S>
Handler precision(const Form& f) {
  const bool sat = f.has(ptx::FLAG_SAT);
  if (f.has(ptx::FLAG_FTZ)) return sat ? real<D, S, true, true> : real<D, S, true, false>;
  return sat ? real<D, S, false, true> : real<D, S, false, false>;
}
Handler real_to_real(const Form& f) {
  const Type d = f.types[0], s = f.types[1];
  if (d == s) return integral(f);
  if (d == Type::f64) return f.rounding == Rounding::none ? precision<double, float>(f) : nullptr;
  return f.rounding == Rounding::rn ? precision<float, double>(f) : nullptr;
}

bool is_plain_real(Type t) { return t == Type::f32 || t == Type::f64; }

}  // namespace

Handler select_convert(const Form& f, Widths widths) {
  if (f.op != Opcode::cvt || f.type_count != 2 || f.has(ptx::FLAG_RELU) ||
      f.has(ptx::FLAG_SATFINITE))
    return nullptr;
  const Type d = f.types[0], s = f.types[1];
  const bool real_d = is_plain_real(d), real_s = is_plain_real(s);
  if (real_d && real_s) return real_to_real(f);
  if (real_s) return ptx::is_float(d) ? nullptr : real_to_integer(f, widths);
  if (ptx::is_float(s)) return nullptr;
  if (d == Type::f32) return integer_to_real<float>(f, widths);
  if (d == Type::f64) return integer_to_real<double>(f, widths);
  return ptx::is_float(d) ? nullptr : integer_to_integer(f, widths);
}

}  // namespace cucore::cpu::CUCPU_SIMD
