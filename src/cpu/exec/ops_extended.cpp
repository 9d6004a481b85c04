// SPDX-License-Identifier: Apache-2.0
// Handlers of extended precision: add, sub and mad with a carry.
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

}  // namespace

Handler select_extended(const Form& f) {
  const Type type = f.types[0];
  switch (f.op) {
    case Opcode::add:
      return extended_of<false, false>(type);
    case Opcode::sub:
      return extended_of<true, false>(type);
    case Opcode::mad:
      return f.mul == MulMode::hi ? extended_mad_of<true, false>(type)
                                  : extended_mad_of<false, false>(type);
    case Opcode::addc:
      return extended_of<false, true>(type);
    case Opcode::subc:
      return extended_of<true, true>(type);
    case Opcode::madc:
      return f.mul == MulMode::hi ? extended_mad_of<true, true>(type)
                                  : extended_mad_of<false, true>(type);
    default:
      return nullptr;
  }
}

}  // namespace cucore::cpu::CUCPU_SIMD
