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
  write_bits(w, out<u32>(w, op[RESULT]), *in<u32>(w, op[FIRST]));
}
// 128-bit registers are two planes.
void copy_b128(Warp& w, const Op& op) {
  const u64* a = in<u64>(w, op[FIRST]);
  u64* d = out<u64>(w, op[RESULT]);
  each_lane(w, d, [=](int l) { return a[l]; });
  each_lane(w, d + LANES, [=](int l) { return a[l + LANES]; });
}

}  // namespace

Handler select_move(const Form& f, Widths) {
  if (f.op != Opcode::mov && f.op != Opcode::cvta) return nullptr;
  if (f.types[0] == Type::pred) return copy_predicate;
  switch (ptx::size_of(f.types[0])) {
    case 2:
      return copy<u16>;
    case 4:
      return copy<u32>;
    case 8:
      return copy<u64>;
    case 16:
      return copy_b128;
    default:
      return nullptr;
  }
}

}  // namespace cucore::cpu::CUCPU_SIMD
