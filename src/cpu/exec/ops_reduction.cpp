// SPDX-License-Identifier: Apache-2.0
// Reductions of memory by memory, which bulk copies, tensor copies and surfaces use.
#include <cstring>

#include "cpu/exec/atomic_operations.hpp"
#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/halves.hpp"

namespace cucore::cpu::atomics {
namespace {

using ptx::Operation;
using ptx::Type;

template <class T, class F>
void combine(std::byte* to, const std::byte* from) {
  T operand;
  std::memcpy(&operand, from, sizeof operand);
  apply_to<T, F>(to, operand);
}

template <class T>
Reduction ordered_reduction(Operation operation) {
  using U = std::make_unsigned_t<T>;
  switch (operation) {
    case Operation::add:
      return {combine<U, Add>, sizeof(T)};
    case Operation::min:
      return {combine<T, Min>, sizeof(T)};
    case Operation::max:
      return {combine<T, Max>, sizeof(T)};
    default:
      return {};
  }
}

template <class T>
Reduction bitwise_reduction(Operation operation) {
  switch (operation) {
    case Operation::and_:
      return {combine<T, And>, sizeof(T)};
    case Operation::or_:
      return {combine<T, Or>, sizeof(T)};
    case Operation::xor_:
      return {combine<T, Xor>, sizeof(T)};
    default:
      return {};
  }
}

template <class F>
Reduction half_reduction(Operation operation) {
  switch (operation) {
    case Operation::add:
      return {combine<uint16_t, AddHalf<F>>, 2};
    case Operation::min:
      return {combine<uint16_t, SelectHalf<F, Min>>, 2};
    case Operation::max:
      return {combine<uint16_t, SelectHalf<F, Max>>, 2};
    default:
      return {};
  }
}

Reduction reduction_of(Type type, Operation operation) {
  switch (type) {
    case Type::u32:
      if (operation == Operation::inc) return {combine<uint32_t, Inc>, 4};
      if (operation == Operation::dec) return {combine<uint32_t, Dec>, 4};
      return ordered_reduction<uint32_t>(operation);
    case Type::s32:
      return ordered_reduction<int32_t>(operation);
    case Type::u64:
      return ordered_reduction<uint64_t>(operation);
    case Type::s64:
      return ordered_reduction<int64_t>(operation);
    case Type::b32:
      return bitwise_reduction<uint32_t>(operation);
    case Type::b64:
      return bitwise_reduction<uint64_t>(operation);
    case Type::f16:
      return half_reduction<Half>(operation);
    case Type::bf16:
      return half_reduction<Brain>(operation);
    case Type::f32:
      if (operation == Operation::add) return {combine<uint32_t, AddF32Flushed>, 4};
      return {};
    case Type::f64:
      if (operation == Operation::add) return {combine<uint64_t, AddF64>, 8};
      return {};
    default:
      return {};
  }
}

}  // namespace
}  // namespace cucore::cpu::atomics

namespace cucore::cpu {

Reduction select_reduction(ptx::Type type, ptx::Operation operation) {
  return atomics::reduction_of(type, operation);
}

}  // namespace cucore::cpu
