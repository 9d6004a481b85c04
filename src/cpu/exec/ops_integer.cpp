// SPDX-License-Identifier: Apache-2.0
// Handlers of integer arithmetic: add to rem, the extended-precision forms and dot products.
#include "cpu/exec/families.hpp"
#include "cpu/exec/handlers.hpp"
#include "cpu/exec/lanes.hpp"

namespace cucore::cpu::CUCPU_SIMD {
namespace {

using enum Regular;
using ptx::Form;
using ptx::MulMode;
using ptx::Opcode;
using ptx::Type;

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

template <class T>
struct Twice;
template <>
struct Twice<uint16_t> {
  using type = uint32_t;
};
template <>
struct Twice<int16_t> {
  using type = int32_t;
};
template <>
struct Twice<uint32_t> {
  using type = uint64_t;
};
template <>
struct Twice<int32_t> {
  using type = int64_t;
};
template <>
struct Twice<uint64_t> {
  using type = u128;
};
template <>
struct Twice<int64_t> {
  using type = s128;
};
template <class T>
struct Unsigned {
  using type = T;
};
template <>
struct Unsigned<int16_t> {
  using type = uint16_t;
};
template <>
struct Unsigned<int32_t> {
  using type = uint32_t;
};
template <>
struct Unsigned<int64_t> {
  using type = uint64_t;
};
template <class T>
using WideOf = typename Twice<T>::type;
template <class T>
using UnsignedOf = typename Unsigned<T>::type;

// A multiplication that avoids overflow by promotion to int and undefined behaviour of signed
// types.
template <class T>
CUCPU_INLINE T low_product(T a, T b) {
  if constexpr (sizeof(T) == 2)
    return T(uint32_t(UnsignedOf<T>(a)) * uint32_t(UnsignedOf<T>(b)));
  else
    return T(UnsignedOf<T>(a) * UnsignedOf<T>(b));
}
template <class T>
CUCPU_INLINE WideOf<T> wide_product(T a, T b) {
  return WideOf<T>(a) * WideOf<T>(b);
}
template <class T>
CUCPU_INLINE T high_product(T a, T b) {
  return T(wide_product(a, b) >> (8 * sizeof(T)));
}

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return T(UnsignedOf<T>(a) + UnsignedOf<T>(b));
  }
};
struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return T(UnsignedOf<T>(a) - UnsignedOf<T>(b));
  }
};
struct Mul {
  template <class T>
  static T apply(T a, T b) {
    return low_product(a, b);
  }
};
struct MulHi {
  template <class T>
  static T apply(T a, T b) {
    return high_product(a, b);
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct MinRelu {
  template <class T>
  static T apply(T a, T b) {
    return Max::apply(Min::apply(a, b), T(0));
  }
};
struct MaxRelu {
  template <class T>
  static T apply(T a, T b) {
    return Max::apply(Max::apply(a, b), T(0));
  }
};
struct Neg {
  template <class T>
  static T apply(T a) {
    return T(UnsignedOf<T>(0) - UnsignedOf<T>(a));
  }
};
struct Abs {
  template <class T>
  static T apply(T a) {
    return a < 0 ? Neg::apply(a) : a;
  }
};
struct Mad {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(low_product(a, b), c);
  }
};
struct MadHi {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(high_product(a, b), c);
  }
};
struct Sad {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(c, a < b ? Sub::apply(b, a) : Sub::apply(a, b));
  }
};

CUCPU_INLINE int32_t clamp32(int64_t v) {
  return int32_t(v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v);
}
struct AddSat {
  static int32_t apply(int32_t a, int32_t b) { return clamp32(int64_t(a) + b); }
};
struct SubSat {
  static int32_t apply(int32_t a, int32_t b) { return clamp32(int64_t(a) - b); }
};
struct MadHiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return clamp32(int64_t(high_product(a, b)) + c);
  }
};

// Quotients of 32-bit integers are exact in double, because two of them differ by more than its
// precision. Division by zero returns all ones as quotient and as remainder.
struct Div {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return b ? uint32_t(int64_t(double(a) / double(b ? b : 1))) : ~uint32_t{0};
  }
  static int32_t apply(int32_t a, int32_t b) {
    const int64_t q = int64_t(double(a) / double(b ? b : 1));
    return b ? int32_t(uint32_t(uint64_t(q))) : -1;
  }
  static uint64_t apply(uint64_t a, uint64_t b) { return b ? a / b : ~uint64_t{0}; }
  static int64_t apply(int64_t a, int64_t b) {
    return b == 0 ? -1 : b == -1 ? Neg::apply(a) : a / b;
  }
  static uint16_t apply(uint16_t a, uint16_t b) { return b ? uint16_t(a / b) : uint16_t(0xffff); }
  static int16_t apply(int16_t a, int16_t b) { return b ? int16_t(a / b) : int16_t(-1); }
};
struct Rem {
  template <class T>
  static T apply(T a, T b) {
    return b ? Sub::apply(a, low_product(Div::apply(a, b), b)) : T(~T(0));
  }
};

struct Mul24 {
  static uint32_t apply(uint32_t a, uint32_t b) { return (a & 0xffffff) * (b & 0xffffff); }
  static int32_t apply(int32_t a, int32_t b) { return int32_t(uint32_t(product(a, b))); }
  static int64_t product(int32_t a, int32_t b) {
    return int64_t(int32_t(uint32_t(a) << 8) >> 8) * int64_t(int32_t(uint32_t(b) << 8) >> 8);
  }
};
struct Mul24Hi {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return uint32_t(uint64_t(a & 0xffffff) * (b & 0xffffff) >> 16);
  }
  static int32_t apply(int32_t a, int32_t b) {
    return int32_t(uint32_t(uint64_t(Mul24::product(a, b) >> 16)));
  }
};
struct Mad24 {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(Mul24::apply(a, b), c);
  }
};
struct Mad24Hi {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(Mul24Hi::apply(a, b), c);
  }
};
struct Mad24HiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return clamp32(int64_t(Mul24Hi::apply(a, b)) + c);
  }
};

template <class T, class F>
void ternary(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const T* b = in<T>(w, op[SECOND]);
  const T* c = in<T>(w, op[THIRD]);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) { return F::apply(a[l], b[l], c[l]); });
}
template <class T, class F>
void binary_scalar(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const T* b = in<T>(w, op[SECOND]);
  T* d = out<T>(w, op[RESULT]);
  each_active(w, [=](int l) { d[l] = F::apply(a[l], b[l]); });
}
template <class T>
void mul_wide(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const T* b = in<T>(w, op[SECOND]);
  each_lane(w, out<WideOf<T>>(w, op[RESULT]), [=](int l) { return wide_product(a[l], b[l]); });
}
template <class T>
void mad_wide(Warp& w, const Op& op) {
  using W = WideOf<T>;
  const T* a = in<T>(w, op[FIRST]);
  const T* b = in<T>(w, op[SECOND]);
  const W* c = in<W>(w, op[THIRD]);
  each_lane(w, out<W>(w, op[RESULT]),
            [=](int l) { return Add::apply(wide_product(a[l], b[l]), c[l]); });
}
template <class T, class F>
void ternary_min(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const T* b = in<T>(w, op[SECOND]);
  const T* c = in<T>(w, op[THIRD]);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) { return F::apply(F::apply(a[l], b[l]), c[l]); });
}

// ---- extended precision

// d = a + b + carry in. A subtraction is a + ~b + 1; its carry means no borrow, which compiled code
// expects when it mixes subc and addc. T is unsigned.
template <class T, bool Subtract, bool TakesCarry>
void extended(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const T* b = in<T>(w, op[SECOND]);
  T* d = out<T>(w, op[RESULT]);
  uint32_t carry = w.carry;
  each_active(w, [&](int l) {
    const T in = TakesCarry ? T(w.carry >> l & 1) : T(Subtract);
    const T second = Subtract ? T(~b[l]) : b[l];
    const T first = a[l] + second;
    const T value = first + in;
    const bool wrapped = (first < second) | (value < first);
    carry = (carry & ~(uint32_t{1} << l)) | uint32_t{wrapped} << l;
    d[l] = value;
  });
  if (op.imm) w.carry = carry;
}

// d = low or high half of a * b, + c + carry in; S defines the signedness of the product.
template <class S, bool High, bool TakesCarry>
void extended_mad(Warp& w, const Op& op) {
  using T = UnsignedOf<S>;
  const S* a = in<S>(w, op[FIRST]);
  const S* b = in<S>(w, op[SECOND]);
  const T* c = in<T>(w, op[THIRD]);
  T* d = out<T>(w, op[RESULT]);
  uint32_t carry = w.carry;
  each_active(w, [&](int l) {
    const T product = T(High ? high_product(a[l], b[l]) : low_product(a[l], b[l]));
    const T in = TakesCarry ? T(w.carry >> l & 1) : T(0);
    const T first = product + c[l];
    const T value = first + in;
    const bool wrapped = (first < product) | (value < first);
    carry = (carry & ~(uint32_t{1} << l)) | uint32_t{wrapped} << l;
    d[l] = value;
  });
  if (op.imm) w.carry = carry;
}

template <bool Subtract, bool TakesCarry>
Handler extended_of(Type type) {
  switch (ptx::size_of(type)) {
    case 4:
      return extended<uint32_t, Subtract, TakesCarry>;
    case 8:
      return extended<uint64_t, Subtract, TakesCarry>;
    default:
      return nullptr;
  }
}
template <bool High, bool TakesCarry>
Handler extended_mad_of(Type type) {
  switch (type) {
    case Type::u32:
    case Type::b32:
      return extended_mad<uint32_t, High, TakesCarry>;
    case Type::s32:
      return extended_mad<int32_t, High, TakesCarry>;
    case Type::u64:
    case Type::b64:
      return extended_mad<uint64_t, High, TakesCarry>;
    case Type::s64:
      return extended_mad<int64_t, High, TakesCarry>;
    default:
      return nullptr;
  }
}

// ---- dot products

template <class A, class B>
void dp4a(Warp& w, const Op& op) {
  const uint32_t* a = in<uint32_t>(w, op[FIRST]);
  const uint32_t* b = in<uint32_t>(w, op[SECOND]);
  const uint32_t* c = in<uint32_t>(w, op[THIRD]);
  each_lane(w, out<uint32_t>(w, op[RESULT]), [=](int l) {
    uint32_t sum = c[l];
    for (int k = 0; k < 32; k += 8) sum += uint32_t(int32_t(A(a[l] >> k)) * int32_t(B(b[l] >> k)));
    return sum;
  });
}
template <class A, class B, int Shift>
void dp2a(Warp& w, const Op& op) {
  using A16 = std::conditional_t<IS_SIGNED<A>, int16_t, uint16_t>;
  const uint32_t* a = in<uint32_t>(w, op[FIRST]);
  const uint32_t* b = in<uint32_t>(w, op[SECOND]);
  const uint32_t* c = in<uint32_t>(w, op[THIRD]);
  each_lane(w, out<uint32_t>(w, op[RESULT]), [=](int l) {
    const uint32_t low = uint32_t(int32_t(A16(a[l])) * int32_t(B(b[l] >> Shift)));
    const uint32_t high = uint32_t(int32_t(A16(a[l] >> 16)) * int32_t(B(b[l] >> (Shift + 8))));
    return c[l] + low + high;
  });
}
template <class A, class B>
Handler dot_of(const Form& f) {
  if (f.op == Opcode::dp4a) return dp4a<A, B>;
  return f.mul == MulMode::hi ? Handler(dp2a<A, B, 16>) : Handler(dp2a<A, B, 0>);
}
Handler dot(const Form& f) {
  const bool a = f.types[0] == Type::s32;
  const bool b = f.types[1] == Type::s32;
  if (a) return b ? dot_of<int8_t, int8_t>(f) : dot_of<int8_t, uint8_t>(f);
  return b ? dot_of<uint8_t, int8_t>(f) : dot_of<uint8_t, uint8_t>(f);
}

// ---- choice

template <class F>
Handler unsigned_binary(Type type) {
  switch (ptx::size_of(type)) {
    case 2:
      return binary<uint16_t, F>;
    case 4:
      return binary<uint32_t, F>;
    case 8:
      return binary<uint64_t, F>;
    default:
      return nullptr;
  }
}
#define CUCPU_BY_TYPE(handler, ...)            \
  switch (type) {                              \
    case Type::u16:                            \
    case Type::b16:                            \
      return handler<uint16_t, ##__VA_ARGS__>; \
    case Type::s16:                            \
      return handler<int16_t, ##__VA_ARGS__>;  \
    case Type::u32:                            \
    case Type::b32:                            \
      return handler<uint32_t, ##__VA_ARGS__>; \
    case Type::s32:                            \
      return handler<int32_t, ##__VA_ARGS__>;  \
    case Type::u64:                            \
    case Type::b64:                            \
      return handler<uint64_t, ##__VA_ARGS__>; \
    case Type::s64:                            \
      return handler<int64_t, ##__VA_ARGS__>;  \
    default:                                   \
      return nullptr;                          \
  }
template <class F>
Handler any_binary(Type type) {
  CUCPU_BY_TYPE(binary, F)
}
template <class F>
Handler any_ternary(Type type) {
  CUCPU_BY_TYPE(ternary, F)
}
template <class F>
Handler quotient(Type type) {
  switch (type) {
    case Type::u32:
      return binary<uint32_t, F>;
    case Type::s32:
      return binary<int32_t, F>;
    case Type::u16:
      return binary_scalar<uint16_t, F>;
    case Type::s16:
      return binary_scalar<int16_t, F>;
    case Type::u64:
      return binary_scalar<uint64_t, F>;
    case Type::s64:
      return binary_scalar<int64_t, F>;
    default:
      return nullptr;
  }
}

Handler multiply(const Form& f) {
  const Type type = f.types[0];
  if (f.mul == MulMode::lo) return unsigned_binary<Mul>(type);
  if (f.mul == MulMode::hi) return any_binary<MulHi>(type);
  switch (type) {
    case Type::u16:
      return mul_wide<uint16_t>;
    case Type::s16:
      return mul_wide<int16_t>;
    case Type::u32:
      return mul_wide<uint32_t>;
    case Type::s32:
      return mul_wide<int32_t>;
    default:
      return nullptr;
  }
}

Handler multiply_add(const Form& f) {
  const Type type = f.types[0];
  if (f.has(ptx::FLAG_CC))
    return f.mul == MulMode::hi ? extended_mad_of<true, false>(type)
                                : extended_mad_of<false, false>(type);
  if (f.has(ptx::FLAG_SAT))
    return type == Type::s32 && f.mul == MulMode::hi ? Handler(ternary<int32_t, MadHiSat>)
                                                     : nullptr;
  if (f.mul == MulMode::lo) return any_ternary<Mad>(type);
  if (f.mul == MulMode::hi) return any_ternary<MadHi>(type);
  switch (type) {
    case Type::u16:
      return mad_wide<uint16_t>;
    case Type::s16:
      return mad_wide<int16_t>;
    case Type::u32:
      return mad_wide<uint32_t>;
    case Type::s32:
      return mad_wide<int32_t>;
    default:
      return nullptr;
  }
}

Handler multiply24(const Form& f) {
  const bool s = f.types[0] == Type::s32;
  const bool hi = f.mul == MulMode::hi;
  if (f.op == Opcode::mul24) {
    if (hi) return s ? Handler(binary<int32_t, Mul24Hi>) : Handler(binary<uint32_t, Mul24Hi>);
    return s ? Handler(binary<int32_t, Mul24>) : Handler(binary<uint32_t, Mul24>);
  }
  if (f.has(ptx::FLAG_SAT)) return s && hi ? Handler(ternary<int32_t, Mad24HiSat>) : nullptr;
  if (hi) return s ? Handler(ternary<int32_t, Mad24Hi>) : Handler(ternary<uint32_t, Mad24Hi>);
  return s ? Handler(ternary<int32_t, Mad24>) : Handler(ternary<uint32_t, Mad24>);
}

Handler minimum(const Form& f) {
  const Type type = f.types[0];
  const bool least = f.op == Opcode::min;
  if (f.has(ptx::FLAG_RELU)) {
    if (type != Type::s32) return nullptr;
    return least ? Handler(binary<int32_t, MinRelu>) : Handler(binary<int32_t, MaxRelu>);
  }
  return least ? any_binary<Min>(type) : any_binary<Max>(type);
}

Handler sum(const Form& f) {
  const Type type = f.types[0];
  const bool subtract = f.op == Opcode::sub;
  if (f.has(ptx::FLAG_CC))
    return subtract ? extended_of<true, false>(type) : extended_of<false, false>(type);
  if (f.has(ptx::FLAG_SAT)) {
    if (type != Type::s32) return nullptr;
    return subtract ? Handler(binary<int32_t, SubSat>) : Handler(binary<int32_t, AddSat>);
  }
  return subtract ? unsigned_binary<Sub>(type) : unsigned_binary<Add>(type);
}

Handler sign(const Form& f) {
  const bool negate = f.op == Opcode::neg;
  switch (f.types[0]) {
    case Type::s16:
      return negate ? Handler(unary<int16_t, Neg>) : Handler(unary<int16_t, Abs>);
    case Type::s32:
      return negate ? Handler(unary<int32_t, Neg>) : Handler(unary<int32_t, Abs>);
    case Type::s64:
      return negate ? Handler(unary<int64_t, Neg>) : Handler(unary<int64_t, Abs>);
    default:
      return nullptr;
  }
}

}  // namespace

Handler select_integer(const Form& f) {
  const Type type = f.types[0];
  switch (f.op) {
    case Opcode::add:
    case Opcode::sub:
      return sum(f);
    case Opcode::mul:
      return multiply(f);
    case Opcode::mad:
      return multiply_add(f);
    case Opcode::mul24:
    case Opcode::mad24:
      return multiply24(f);
    case Opcode::min:
    case Opcode::max:
      return minimum(f);
    case Opcode::neg:
    case Opcode::abs:
      return sign(f);
    case Opcode::sad:
      return any_ternary<Sad>(type);
    case Opcode::div:
      return quotient<Div>(type);
    case Opcode::rem:
      return quotient<Rem>(type);
    case Opcode::addc:
      return extended_of<false, true>(type);
    case Opcode::subc:
      return extended_of<true, true>(type);
    case Opcode::madc:
      return f.mul == MulMode::hi ? extended_mad_of<true, true>(type)
                                  : extended_mad_of<false, true>(type);
    case Opcode::dp4a:
    case Opcode::dp2a:
      return dot(f);
    default:
      return nullptr;
  }
}

}  // namespace cucore::cpu::CUCPU_SIMD
