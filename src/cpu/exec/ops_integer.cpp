// SPDX-License-Identifier: Apache-2.0
// Handlers of integer arithmetic: add to rem, and dot products.
#include "cpu/exec/families.hpp"
#include "cpu/exec/handlers.hpp"
#include "cpu/exec/integers.hpp"
#include "cpu/exec/lanes.hpp"

namespace cucore::cpu::CUCPU_SIMD {
namespace {

using enum Regular;
using ptx::Form;
using ptx::MulMode;
using ptx::Opcode;
using ptx::Type;

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
  if (f.has(ptx::FLAG_CC)) return select_extended(f);
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
  if (f.has(ptx::FLAG_CC)) return select_extended(f);
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
    case Opcode::subc:
    case Opcode::madc:
      return select_extended(f);
    case Opcode::dp4a:
    case Opcode::dp2a:
      return dot(f);
    default:
      return nullptr;
  }
}

}  // namespace cucore::cpu::CUCPU_SIMD
