// SPDX-License-Identifier: Apache-2.0
// Handlers of mov: copies between registers, and packing and unpacking of vectors.
#include "cpu/exec/families.hpp"
#include "cpu/exec/lanes.hpp"

namespace cucore::cpu::CUCPU_SIMD {
namespace {

using enum Regular;
using ptx::Form;
using ptx::Opcode;
using ptx::Type;

template <class T>
void copy(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) { return a[l]; });
}
void copy_predicate(Warp& w, const Op& op) {
  write_bits(w, out<uint32_t>(w, op[RESULT]), *in<uint32_t>(w, op[FIRST]));
}
// 128-bit registers are two planes.
void copy_b128(Warp& w, const Op& op) {
  const uint64_t* a = in<uint64_t>(w, op[FIRST]);
  uint64_t* d = out<uint64_t>(w, op[RESULT]);
  each_lane(w, d, [=](int l) { return a[l]; });
  each_lane(w, d + LANES, [=](int l) { return a[l + LANES]; });
}

}  // namespace

Handler select_move(const Form& f, Widths) {
  if (f.op != Opcode::mov && f.op != Opcode::cvta) return nullptr;
  if (f.types[0] == Type::pred) return copy_predicate;
  switch (ptx::size_of(f.types[0])) {
    case 2:
      return copy<uint16_t>;
    case 4:
      return copy<uint32_t>;
    case 8:
      return copy<uint64_t>;
    case 16:
      return copy_b128;
    default:
      return nullptr;
  }
}

}  // namespace cucore::cpu::CUCPU_SIMD
