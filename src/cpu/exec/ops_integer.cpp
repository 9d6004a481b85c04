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
struct Twice<u16> {
  using type = u32;
};
template <>
struct Twice<s16> {
  using type = s32;
};
template <>
struct Twice<u32> {
  using type = u64;
};
template <>
struct Twice<s32> {
  using type = s64;
};
template <>
struct Twice<u64> {
  using type = u128;
};
template <>
struct Twice<s64> {
  using type = s128;
};
template <class T>
struct Unsigned {
  using type = T;
};
template <>
struct Unsigned<s16> {
  using type = u16;
};
template <>
struct Unsigned<s32> {
  using type = u32;
};
template <>
struct Unsigned<s64> {
  using type = u64;
};
template <class T>
using WideOf = typename Twice<T>::type;
template <class T>
using UnsignedOf = typename Unsigned<T>::type;
template <class T>
constexpr bool is_signed_v = T(-1) < T(0);

// Multiplication that neither overflows int by promotion nor is undefined for signed types.
template <class T>
CUCPU_INLINE T low_product(T a, T b) {
  if constexpr (sizeof(T) == 2)
    return T(u32(UnsignedOf<T>(a)) * u32(UnsignedOf<T>(b)));
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

CUCPU_INLINE s32 clamp32(s64 v) {
  return s32(v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v);
}
struct AddSat {
  static s32 apply(s32 a, s32 b) { return clamp32(s64(a) + b); }
};
struct SubSat {
  static s32 apply(s32 a, s32 b) { return clamp32(s64(a) - b); }
};
struct MadHiSat {
  static s32 apply(s32 a, s32 b, s32 c) { return clamp32(s64(high_product(a, b)) + c); }
};

// Quotients of 32-bit integers are exact in double: no two of them are closer than its precision.
// Division by zero gives all ones, as quotient and as remainder.
struct Div {
  static u32 apply(u32 a, u32 b) { return b ? u32(s64(double(a) / double(b ? b : 1))) : ~u32{0}; }
  static s32 apply(s32 a, s32 b) {
    const s64 q = s64(double(a) / double(b ? b : 1));
    return b ? s32(u32(u64(q))) : -1;
  }
  static u64 apply(u64 a, u64 b) { return b ? a / b : ~u64{0}; }
  static s64 apply(s64 a, s64 b) { return b == 0 ? -1 : b == -1 ? Neg::apply(a) : a / b; }
  static u16 apply(u16 a, u16 b) { return b ? u16(a / b) : u16(0xffff); }
  static s16 apply(s16 a, s16 b) { return b ? s16(a / b) : s16(-1); }
};
struct Rem {
  template <class T>
  static T apply(T a, T b) {
    return b ? Sub::apply(a, low_product(Div::apply(a, b), b)) : T(~T(0));
  }
};

struct Mul24 {
  static u32 apply(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }
  static s32 apply(s32 a, s32 b) { return s32(u32(product(a, b))); }
  static s64 product(s32 a, s32 b) {
    return s64(s32(u32(a) << 8) >> 8) * s64(s32(u32(b) << 8) >> 8);
  }
};
struct Mul24Hi {
  static u32 apply(u32 a, u32 b) { return u32(u64(a & 0xffffff) * (b & 0xffffff) >> 16); }
  static s32 apply(s32 a, s32 b) { return s32(u32(u64(Mul24::product(a, b) >> 16))); }
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
  static s32 apply(s32 a, s32 b, s32 c) { return clamp32(s64(Mul24Hi::apply(a, b)) + c); }
};

template <class T, class F>
void unary(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) { return F::apply(a[l]); });
}
template <class T, class F>
void binary(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const T* b = in<T>(w, op[SECOND]);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) { return F::apply(a[l], b[l]); });
}
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

// d = a + b + carry in. A subtraction is a + ~b + 1: its carry says that nothing was borrowed, as
// compiled code expects when it mixes subc and addc. T is unsigned.
template <class T, bool Subtract, bool TakesCarry>
void extended(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const T* b = in<T>(w, op[SECOND]);
  T* d = out<T>(w, op[RESULT]);
  u32 carry = w.carry;
  each_active(w, [&](int l) {
    const T in = TakesCarry ? T(w.carry >> l & 1) : T(Subtract);
    const T second = Subtract ? T(~b[l]) : b[l];
    const T first = a[l] + second;
    const T value = first + in;
    const bool wrapped = (first < second) | (value < first);
    carry = (carry & ~(u32{1} << l)) | u32{wrapped} << l;
    d[l] = value;
  });
  if (op.imm) w.carry = carry;
}

// d = low or high half of a * b, + c + carry in; S gives the signedness of the product.
template <class S, bool High, bool TakesCarry>
void extended_mad(Warp& w, const Op& op) {
  using T = UnsignedOf<S>;
  const S* a = in<S>(w, op[FIRST]);
  const S* b = in<S>(w, op[SECOND]);
  const T* c = in<T>(w, op[THIRD]);
  T* d = out<T>(w, op[RESULT]);
  u32 carry = w.carry;
  each_active(w, [&](int l) {
    const T product = T(High ? high_product(a[l], b[l]) : low_product(a[l], b[l]));
    const T in = TakesCarry ? T(w.carry >> l & 1) : T(0);
    const T first = product + c[l];
    const T value = first + in;
    const bool wrapped = (first < product) | (value < first);
    carry = (carry & ~(u32{1} << l)) | u32{wrapped} << l;
    d[l] = value;
  });
  if (op.imm) w.carry = carry;
}

template <bool Subtract, bool TakesCarry>
Handler extended_of(Type type) {
  switch (ptx::size_of(type)) {
    case 4:
      return extended<u32, Subtract, TakesCarry>;
    case 8:
      return extended<u64, Subtract, TakesCarry>;
    default:
      return nullptr;
  }
}
template <bool High, bool TakesCarry>
Handler extended_mad_of(Type type) {
  switch (type) {
    case Type::u32:
    case Type::b32:
      return extended_mad<u32, High, TakesCarry>;
    case Type::s32:
      return extended_mad<s32, High, TakesCarry>;
    case Type::u64:
    case Type::b64:
      return extended_mad<u64, High, TakesCarry>;
    case Type::s64:
      return extended_mad<s64, High, TakesCarry>;
    default:
      return nullptr;
  }
}

// ---- dot products

template <class A, class B>
void dp4a(Warp& w, const Op& op) {
  const u32* a = in<u32>(w, op[FIRST]);
  const u32* b = in<u32>(w, op[SECOND]);
  const u32* c = in<u32>(w, op[THIRD]);
  each_lane(w, out<u32>(w, op[RESULT]), [=](int l) {
    u32 sum = c[l];
    for (int k = 0; k < 32; k += 8) sum += u32(s32(A(a[l] >> k)) * s32(B(b[l] >> k)));
    return sum;
  });
}
template <class A, class B, int Shift>
void dp2a(Warp& w, const Op& op) {
  using A16 = std::conditional_t<is_signed_v<A>, s16, u16>;
  const u32* a = in<u32>(w, op[FIRST]);
  const u32* b = in<u32>(w, op[SECOND]);
  const u32* c = in<u32>(w, op[THIRD]);
  each_lane(w, out<u32>(w, op[RESULT]), [=](int l) {
    const u32 low = u32(s32(A16(a[l])) * s32(B(b[l] >> Shift)));
    const u32 high = u32(s32(A16(a[l] >> 16)) * s32(B(b[l] >> (Shift + 8))));
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
  if (a) return b ? dot_of<s8, s8>(f) : dot_of<s8, u8>(f);
  return b ? dot_of<u8, s8>(f) : dot_of<u8, u8>(f);
}

// ---- choice

template <class F>
Handler unsigned_binary(Type type) {
  switch (ptx::size_of(type)) {
    case 2:
      return binary<u16, F>;
    case 4:
      return binary<u32, F>;
    case 8:
      return binary<u64, F>;
    default:
      return nullptr;
  }
}
#define CUCPU_BY_TYPE(handler, ...)       \
  switch (type) {                         \
    case Type::u16:                       \
    case Type::b16:                       \
      return handler<u16, ##__VA_ARGS__>; \
    case Type::s16:                       \
      return handler<s16, ##__VA_ARGS__>; \
    case Type::u32:                       \
    case Type::b32:                       \
      return handler<u32, ##__VA_ARGS__>; \
    case Type::s32:                       \
      return handler<s32, ##__VA_ARGS__>; \
    case Type::u64:                       \
    case Type::b64:                       \
      return handler<u64, ##__VA_ARGS__>; \
    case Type::s64:                       \
      return handler<s64, ##__VA_ARGS__>; \
    default:                              \
      return nullptr;                     \
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
      return binary<u32, F>;
    case Type::s32:
      return binary<s32, F>;
    case Type::u16:
      return binary_scalar<u16, F>;
    case Type::s16:
      return binary_scalar<s16, F>;
    case Type::u64:
      return binary_scalar<u64, F>;
    case Type::s64:
      return binary_scalar<s64, F>;
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
      return mul_wide<u16>;
    case Type::s16:
      return mul_wide<s16>;
    case Type::u32:
      return mul_wide<u32>;
    case Type::s32:
      return mul_wide<s32>;
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
    return type == Type::s32 && f.mul == MulMode::hi ? Handler(ternary<s32, MadHiSat>) : nullptr;
  if (f.mul == MulMode::lo) return any_ternary<Mad>(type);
  if (f.mul == MulMode::hi) return any_ternary<MadHi>(type);
  switch (type) {
    case Type::u16:
      return mad_wide<u16>;
    case Type::s16:
      return mad_wide<s16>;
    case Type::u32:
      return mad_wide<u32>;
    case Type::s32:
      return mad_wide<s32>;
    default:
      return nullptr;
  }
}

Handler multiply24(const Form& f) {
  const bool s = f.types[0] == Type::s32;
  const bool hi = f.mul == MulMode::hi;
  if (f.op == Opcode::mul24) {
    if (hi) return s ? Handler(binary<s32, Mul24Hi>) : Handler(binary<u32, Mul24Hi>);
    return s ? Handler(binary<s32, Mul24>) : Handler(binary<u32, Mul24>);
  }
  if (f.has(ptx::FLAG_SAT)) return s && hi ? Handler(ternary<s32, Mad24HiSat>) : nullptr;
  if (hi) return s ? Handler(ternary<s32, Mad24Hi>) : Handler(ternary<u32, Mad24Hi>);
  return s ? Handler(ternary<s32, Mad24>) : Handler(ternary<u32, Mad24>);
}

Handler minimum(const Form& f) {
  const Type type = f.types[0];
  const bool least = f.op == Opcode::min;
  if (f.has(ptx::FLAG_RELU)) {
    if (type != Type::s32) return nullptr;
    return least ? Handler(binary<s32, MinRelu>) : Handler(binary<s32, MaxRelu>);
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
    return subtract ? Handler(binary<s32, SubSat>) : Handler(binary<s32, AddSat>);
  }
  return subtract ? unsigned_binary<Sub>(type) : unsigned_binary<Add>(type);
}

Handler sign(const Form& f) {
  const bool negate = f.op == Opcode::neg;
  switch (f.types[0]) {
    case Type::s16:
      return negate ? Handler(unary<s16, Neg>) : Handler(unary<s16, Abs>);
    case Type::s32:
      return negate ? Handler(unary<s32, Neg>) : Handler(unary<s32, Abs>);
    case Type::s64:
      return negate ? Handler(unary<s64, Neg>) : Handler(unary<s64, Abs>);
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
