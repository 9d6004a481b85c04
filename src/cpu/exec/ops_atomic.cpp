// SPDX-License-Identifier: Apache-2.0
// Handlers of atom and red.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "cpu/exec/atomic_operations.hpp"
#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/halves.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu::atomics {
namespace {

using ptx::Form;
using ptx::Operation;
using ptx::Type;

// Whether the lane's generic address is one of shared memory.
bool is_generic_shared(const Warp& w, const Op& op, int lane) {
  if (Region(op.target & 0xff) != Region::GENERIC) return false;
  return address_of(w, op, lane) - AddressSpace::instance().shared_window() < AddressSpace::WINDOW;
}

// Only one worker accesses the shared memory of a cluster, so locked instructions are not needed.
template <class T, class F>
T apply_alone(std::byte* p, T operand) {
  T old;
  std::memcpy(&old, p, sizeof old);
  const T value = F::apply(old, operand);
  std::memcpy(p, &value, sizeof value);
  return old;
}

// Writes the lanes' offsets in shared memory. Returns false if one is outside of it or misaligned,
// or if lanes do not take part.
bool all_in_shared(const Warp& w, const Op& op, uint32_t size, uint32_t (&offsets)[LANES]) {
  if (!(op.target & NARROW) || w.mask != FULL_MASK || w.shared_size < size) return false;
  const uint32_t* base = w.at<uint32_t>(op[LoadStore::ADDRESS]);
  const auto last = uint32_t(std::min<uint64_t>(w.shared_size - size, FULL_MASK));
  uint32_t bad = 0;
  for (int l = 0; l < LANES; ++l) {
    const uint32_t offset = base[l] + uint32_t(op.imm);
    offsets[l] = offset;
    bad |= uint32_t(offset > last) | (offset & (size - 1));
  }
  return bad == 0;
}

template <class T, class F>
bool atomic_in_shared(const Warp& w, const Op& op, const T* operand, T* result) {
  uint32_t offsets[LANES];
  if (!all_in_shared(w, op, sizeof(T), offsets)) return false;
  T old[LANES];
  for (int l = 0; l < LANES; ++l) old[l] = apply_alone<T, F>(w.shared + offsets[l], operand[l]);
  if (result) std::memcpy(result, old, sizeof old);
  return true;
}

template <class T, class F, class InShared = F>
void atomic(Warp& w, const Op& op) {
  const T* b = w.at<T>(op[Atomic::OPERAND]);
  T* d = op[Atomic::RESULT] == NO_SLOT ? nullptr : w.at<T>(op[Atomic::RESULT]);
  const auto region = Region(op.target & 0xff);
  const bool alone = region == Region::SHARED || region == Region::CLUSTER;
  w.quantum -= SPIN_COST;
  if (region == Region::SHARED && atomic_in_shared<T, InShared>(w, op, b, d)) return;
  each_active(w, [&](int l) {
    std::byte* p = place(w, op, l, sizeof(T), Access::WRITE);
    T old;
    if (alone)
      old = apply_alone<T, InShared>(p, b[l]);
    else if (!std::is_same_v<F, InShared> && is_generic_shared(w, op, l))
      old = apply_to<T, InShared>(p, b[l]);
    else
      old = apply_to<T, F>(p, b[l]);
    if (d) d[l] = old;
  });
}
template <class T>
void compare_and_swap(Warp& w, const Op& op) {
  const T* b = w.at<T>(op[Atomic::OPERAND]);
  const T* c = w.at<T>(op[Atomic::REPLACEMENT]);
  T* d = op[Atomic::RESULT] == NO_SLOT ? nullptr : w.at<T>(op[Atomic::RESULT]);
  w.quantum -= SPIN_COST;
  each_active(w, [&](int l) {
    std::byte* p = place(w, op, l, sizeof(T), Access::WRITE);
    T expected = b[l];
    std::atomic_ref<T>(*reinterpret_cast<T*>(p)).compare_exchange_strong(expected, c[l]);
    if (d) d[l] = expected;
  });
}

// Vectors are processed element by element. A table contains the slots of the results and operands.
template <class T, class F>
void vector_atomic(Warp& w, const Op& op) {
  const auto& slots = w.frame->function->tables[op[Atomic::TABLE]].targets;
  const size_t count = slots.size() / 2;
  w.quantum -= SPIN_COST;
  each_active(w, [&](int l) {
    std::byte* p = place(w, op, l, sizeof(T) * count, Access::WRITE);
    for (size_t k = 0; k < count; ++k) {
      const T old = apply_to<T, F>(p + k * sizeof(T), w.at<T>(slots[count + k])[l]);
      if (slots[k] != NO_SLOT) w.at<T>(slots[k])[l] = old;
    }
  });
}

template <class Order>
Handler vector_selection(Type type) {
  switch (type) {
    case Type::f16:
      return vector_atomic<uint16_t, SelectHalf<Half, Order>>;
    case Type::bf16:
      return vector_atomic<uint16_t, SelectHalf<Brain, Order>>;
    case Type::f16x2:
      return vector_atomic<uint32_t, SelectHalf2<Half, Order>>;
    case Type::bf16x2:
      return vector_atomic<uint32_t, SelectHalf2<Brain, Order>>;
    default:
      return nullptr;
  }
}

Handler vector_of(const Form& f) {
  if (f.operation == Operation::min) return vector_selection<Min>(f.types[0]);
  if (f.operation == Operation::max) return vector_selection<Max>(f.types[0]);
  if (f.operation != Operation::add) return nullptr;
  switch (f.types[0]) {
    case Type::f32:
      return vector_atomic<uint32_t, AddF32Flushed>;
    case Type::f16:
      return vector_atomic<uint16_t, AddHalf<Half>>;
    case Type::bf16:
      return vector_atomic<uint16_t, AddHalf<Brain>>;
    case Type::f16x2:
      return vector_atomic<uint32_t, AddHalf2<Half>>;
    case Type::bf16x2:
      return vector_atomic<uint32_t, AddHalf2<Brain>>;
    default:
      return nullptr;
  }
}

// A register keeps the halves of 128 bits apart, see pack().
struct Wide {
  uint64_t low, high;
  bool operator==(const Wide&) const = default;
};
Wide wide_at(const Warp& w, Slot slot, int lane) {
  return {w.at<uint64_t>(slot)[lane], w.at<uint64_t>(slot)[LANES + lane]};
}
template <bool Compares>
void exchange_wide(Warp& w, const Op& op) {
  w.quantum -= SPIN_COST;
  each_active(w, [&](int l) {
    std::byte* p = place(w, op, l, sizeof(Wide), Access::WRITE);
    const Wide b = wide_at(w, op[Atomic::OPERAND], l);
    Wide old;
    {
      const std::lock_guard lock(wide_lock());
      std::memcpy(&old, p, sizeof old);
      const Wide next = Compares ? wide_at(w, op[Atomic::REPLACEMENT], l) : b;
      if (!Compares || old == b) std::memcpy(p, &next, sizeof next);
    }
    if (op[Atomic::RESULT] == NO_SLOT) return;
    w.at<uint64_t>(op[Atomic::RESULT])[l] = old.low;
    w.at<uint64_t>(op[Atomic::RESULT])[LANES + l] = old.high;
  });
}

template <class T>
Handler integer_atomic(Operation operation) {
  switch (operation) {
    case Operation::add:
      return atomic<std::make_unsigned_t<T>, Add>;
    case Operation::min:
      return atomic<T, Min>;
    case Operation::max:
      return atomic<T, Max>;
    case Operation::and_:
      return atomic<std::make_unsigned_t<T>, And>;
    case Operation::or_:
      return atomic<std::make_unsigned_t<T>, Or>;
    case Operation::xor_:
      return atomic<std::make_unsigned_t<T>, Xor>;
    case Operation::exch:
      return atomic<std::make_unsigned_t<T>, Exchange>;
    case Operation::cas:
      return compare_and_swap<std::make_unsigned_t<T>>;
    default:
      return nullptr;
  }
}

Handler atomic_of(const Form& f) {
  const Operation o = f.operation;
  switch (f.types[0]) {
    case Type::u32:
    case Type::b32:
      if (o == Operation::inc) return atomic<uint32_t, Inc>;
      if (o == Operation::dec) return atomic<uint32_t, Dec>;
      return integer_atomic<uint32_t>(o);
    case Type::s32:
      return integer_atomic<int32_t>(o);
    case Type::u64:
    case Type::b64:
      return integer_atomic<uint64_t>(o);
    case Type::s64:
      return integer_atomic<int64_t>(o);
    case Type::b128:
      if (o == Operation::cas) return exchange_wide<true>;
      return o == Operation::exch ? Handler(exchange_wide<false>) : nullptr;
    case Type::b16:
    case Type::u16:
      if (o == Operation::cas) return compare_and_swap<uint16_t>;
      return o == Operation::exch ? Handler(atomic<uint16_t, Exchange>) : nullptr;
    default:
      break;
  }
  if (o == Operation::exch && ptx::size_of(f.types[0]) == 4) return atomic<uint32_t, Exchange>;
  if (o == Operation::exch && ptx::size_of(f.types[0]) == 8) return atomic<uint64_t, Exchange>;
  if (o != Operation::add) return nullptr;
  switch (f.types[0]) {
    case Type::f32:
      return atomic<uint32_t, AddF32Flushed, AddF32>;
    case Type::f64:
      return atomic<uint64_t, AddF64>;
    case Type::f16:
      return atomic<uint16_t, AddHalf<Half>>;
    case Type::bf16:
      return atomic<uint16_t, AddHalf<Brain>>;
    case Type::f16x2:
      return atomic<uint32_t, AddHalf2<Half>>;
    case Type::bf16x2:
      return atomic<uint32_t, AddHalf2<Brain>>;
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace cucore::cpu::atomics

namespace cucore::cpu {

Handler select_atomic(const ptx::Form& f, Widths) {
  return f.vector > 1 ? atomics::vector_of(f) : atomics::atomic_of(f);
}

}  // namespace cucore::cpu
