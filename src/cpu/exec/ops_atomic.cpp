// SPDX-License-Identifier: Apache-2.0
// Handlers of atom and red, and of loads and stores with an order. They use atomic operations of
// the host, lane by lane. The host's sequential consistency covers every order and scope of PTX.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>

#include "cpu/exec/access.hpp"
#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/halves.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu {
namespace {

using ptx::Form;
using ptx::Opcode;
using ptx::Operation;
using ptx::Order;
using ptx::Type;

// The cost, in the slice of its warp, of an operation on which threads may spin.
constexpr int64_t SPIN_COST = 16;

uint64_t address_of(const Warp& w, const Op& op, int lane) {
  if (op.target & NARROW)
    return uint32_t(w.at<uint32_t>(op[LoadStore::ADDRESS])[lane] + uint32_t(op.imm));
  return w.at<uint64_t>(op[LoadStore::ADDRESS])[lane] + op.imm +
         (op.target & FRAME_RELATIVE ? w.frame->local_base : 0);
}

std::byte* place(Warp& w, const Op& op, int lane, uint64_t size, Access access) {
  const uint64_t address = address_of(w, op, lane);
  const auto region = Region(op.target & 0xff);
  if (region == Region::SHARED || region == Region::CLUSTER) {
    if (address <= w.shared_size && size <= w.shared_size - address && !(address & (size - 1)))
      return w.shared + address;
  } else if (region == Region::GLOBAL || region == Region::GENERIC) {
    const Site& site = w.sites[op.site];
    const uint64_t offset = address - site.base;
    if (offset <= site.size && size <= site.size - offset && !(address & (size - 1)) &&
        w.sites[0].base == w.generation->load(std::memory_order_relaxed))
      return reinterpret_cast<std::byte*>(address + site.delta);
  }
  return resolve(w, op, lane, address, size, access, region);
}

// Whether the lane's generic address is one of shared memory.
bool is_generic_shared(const Warp& w, const Op& op, int lane) {
  if (Region(op.target & 0xff) != Region::GENERIC) return false;
  return address_of(w, op, lane) - AddressSpace::instance().shared_window() < AddressSpace::WINDOW;
}

template <class F>
void each_active(const Warp& w, F f) {
  for (uint32_t m = w.mask; m; m &= m - 1) f(std::countr_zero(m));
}

// Operations that compute the new value.
struct Add {
  template <class T>
  static T apply(T a, T b) {
    return T(a + b);
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return b > a ? b : a;
  }
};
struct And {
  template <class T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
struct Exchange {
  template <class T>
  static T apply(T, T b) {
    return b;
  }
};
struct Inc {
  static uint32_t apply(uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }
};
struct Dec {
  static uint32_t apply(uint32_t a, uint32_t b) { return a == 0 || a > b ? b : a - 1; }
};
struct AddF32 {
  static uint32_t apply(uint32_t a, uint32_t b) {
    const float r = std::bit_cast<float>(a) + std::bit_cast<float>(b);
    return r == r ? std::bit_cast<uint32_t>(r) : 0x7fffffff;
  }
};
// Sums in global memory flush subnormal inputs and results to zero; sums in shared memory keep
// them.
struct AddF32Flushed {
  static uint32_t flushed(uint32_t bits) { return bits & 0x7f800000 ? bits : bits & 0x80000000; }
  static uint32_t apply(uint32_t a, uint32_t b) {
    return flushed(AddF32::apply(flushed(a), flushed(b)));
  }
};
struct AddF64 {
  static uint64_t apply(uint64_t a, uint64_t b) {
    return std::bit_cast<uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
  }
};
template <class F>
struct AddHalf {
  static uint16_t apply(uint16_t a, uint16_t b) { return F::from(F::to(a) + F::to(b)); }
};
template <class F>
struct AddHalf2 {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return AddHalf<F>::apply(uint16_t(a), uint16_t(b)) |
           uint32_t(AddHalf<F>::apply(uint16_t(a >> 16), uint16_t(b >> 16))) << 16;
  }
};

template <class T, class F>
T read_modify_write(std::byte* p, T operand) {
  std::atomic_ref<T> cell(*reinterpret_cast<T*>(p));
  T old = cell.load(std::memory_order_relaxed);
  while (!cell.compare_exchange_weak(old, F::apply(old, operand))) {
  }
  return old;
}
template <class T, class F>
T apply_to(std::byte* p, T operand) {
  std::atomic_ref<T> cell(*reinterpret_cast<T*>(p));
  if constexpr (std::is_same_v<F, Add>)
    return cell.fetch_add(operand);
  else if constexpr (std::is_same_v<F, And>)
    return cell.fetch_and(operand);
  else if constexpr (std::is_same_v<F, Or>)
    return cell.fetch_or(operand);
  else if constexpr (std::is_same_v<F, Xor>)
    return cell.fetch_xor(operand);
  else if constexpr (std::is_same_v<F, Exchange>)
    return cell.exchange(operand);
  else
    return read_modify_write<T, F>(p, operand);
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

// One NaN among the operands does not count.
template <class F, class Order>
struct SelectHalf {
  static uint16_t apply(uint16_t a, uint16_t b) {
    const float x = F::to(a), y = F::to(b);
    if (x != x) return y != y ? 0x7fff : b;
    if (y != y) return a;
    if (x == y) return Order::apply(int16_t(a), int16_t(b)) == int16_t(a) ? a : b;
    return Order::apply(x, y) == x ? a : b;
  }
};

template <class F, class Order>
struct SelectHalf2 {
  static uint32_t apply(uint32_t a, uint32_t b) {
    using One = SelectHalf<F, Order>;
    return uint32_t{One::apply(uint16_t(a >> 16), uint16_t(b >> 16))} << 16 |
           One::apply(uint16_t(a), uint16_t(b));
  }
};

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

// Lock-free operations on 128 bits are not available on all hosts. This mutex excludes 128-bit
// operations from each other, not from narrower ones on the same memory. A register keeps its
// halves apart, see pack().
std::mutex& wide_lock() {
  static std::mutex lock;
  return lock;
}
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

// ---- reductions of memory by memory

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

// ---- ordered loads and stores

template <class M>
M load_value(std::byte* p) {
  return std::atomic_ref<M>(*reinterpret_cast<M*>(p)).load();
}

uint64_t load_bits(std::byte* p, uint64_t bytes, bool sign) {
  switch (bytes) {
    case 1:
      return sign ? uint64_t(int64_t(int8_t(load_value<uint8_t>(p)))) : load_value<uint8_t>(p);
    case 2:
      return sign ? uint64_t(int64_t(int16_t(load_value<uint16_t>(p)))) : load_value<uint16_t>(p);
    case 4:
      return sign ? uint64_t(int64_t(int32_t(load_value<uint32_t>(p)))) : load_value<uint32_t>(p);
    default:
      return load_value<uint64_t>(p);
  }
}
void store_bits(std::byte* p, uint64_t bytes, uint64_t value) {
  switch (bytes) {
    case 1:
      std::atomic_ref<uint8_t>(*reinterpret_cast<uint8_t*>(p)).store(uint8_t(value));
      break;
    case 2:
      std::atomic_ref<uint16_t>(*reinterpret_cast<uint16_t*>(p)).store(uint16_t(value));
      break;
    case 4:
      std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(p)).store(uint32_t(value));
      break;
    default:
      std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(p)).store(value);
      break;
  }
}

// LoadStore::FORM: bytes per value, bytes per register, number of values, one byte each;
// signedness, and whether the values are parts of one.
struct Packed {
  uint32_t bytes, width, count, sign, whole;
  explicit Packed(uint32_t v)
      : bytes(v & 0xff),
        width(v >> 8 & 0xff),
        count(v >> 16 & 0xff),
        sign(v >> 24 & 1),
        whole(v >> 25) {}
};

// Excludes atomic operations on 128 bits, so that both halves are of one store.
std::unique_lock<std::mutex> lock_whole(const Packed& form) {
  return form.whole ? std::unique_lock(wide_lock()) : std::unique_lock<std::mutex>();
}
void load_ordered(Warp& w, const Op& op) {
  const Packed form(op[LoadStore::FORM]);
  w.quantum -= SPIN_COST;
  each_active(w, [&](int l) {
    std::byte* p = place(w, op, l, uint64_t{form.bytes} * form.count, Access::READ);
    const auto lock = lock_whole(form);
    for (uint32_t v = 0; v < form.count; ++v) {
      const uint64_t value = load_bits(p + v * form.bytes, form.bytes, form.sign);
      std::memcpy(w.at<std::byte>(op.at(LoadStore::VALUES, v)) + size_t(l) * form.width, &value,
                  form.width);
    }
  });
}
void store_ordered(Warp& w, const Op& op) {
  const Packed form(op[LoadStore::FORM]);
  each_active(w, [&](int l) {
    std::byte* p = place(w, op, l, uint64_t{form.bytes} * form.count, Access::WRITE);
    const auto lock = lock_whole(form);
    for (uint32_t v = 0; v < form.count; ++v) {
      uint64_t value = 0;
      std::memcpy(&value, w.at<std::byte>(op.at(LoadStore::VALUES, v)) + size_t(l) * form.width,
                  form.width);
      store_bits(p + v * form.bytes, form.bytes, value);
    }
  });
}

// Eight values are in a table. Each access is resolved, because the checks have no rows for it.
std::byte* place_eight(Warp& w, const Op& op, int lane, uint64_t bytes, Access access) {
  return resolve(w, op, lane, address_of(w, op, lane), bytes, access, Region(op.target & 0xff));
}
void load_eight(Warp& w, const Op& op) {
  const Packed form(op[LoadStore::FORM]);
  const auto& slots = w.frame->function->tables[op[LoadStore::TABLE]].targets;
  w.quantum -= SPIN_COST;
  each_active(w, [&](int l) {
    std::byte* p = place_eight(w, op, l, uint64_t{form.bytes} * form.count, Access::READ);
    for (uint32_t v = 0; v < form.count; ++v) {
      if (slots[v] == NO_SLOT) continue;
      const uint64_t value = load_bits(p + v * form.bytes, form.bytes, form.sign);
      std::memcpy(w.at<std::byte>(slots[v]) + size_t(l) * form.width, &value, form.width);
    }
  });
}
void store_eight(Warp& w, const Op& op) {
  const Packed form(op[LoadStore::FORM]);
  const auto& slots = w.frame->function->tables[op[LoadStore::TABLE]].targets;
  each_active(w, [&](int l) {
    std::byte* p = place_eight(w, op, l, uint64_t{form.bytes} * form.count, Access::WRITE);
    for (uint32_t v = 0; v < form.count; ++v) {
      uint64_t value = 0;
      std::memcpy(&value, w.at<std::byte>(slots[v]) + size_t(l) * form.width, form.width);
      store_bits(p + v * form.bytes, form.bytes, value);
    }
  });
}

}  // namespace

Handler select_atomic(const Form& f, Widths) { return f.vector > 1 ? vector_of(f) : atomic_of(f); }

Reduction select_reduction(Type type, Operation operation) {
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

Comparison select_ordered(const Form& f, Widths widths) {
  const unsigned bytes = ptx::size_of(f.types[0]);
  if (f.types[0] == Type::b128 && f.vector == 1) {
    const uint64_t halves = 8 | 8u << 8 | 2u << 16 | 1u << 25;
    return {f.op == Opcode::st ? store_ordered : load_ordered, halves};
  }
  const bool fits = f.vector <= 4 || (f.vector == 8 && bytes == 4 && f.op != Opcode::ldu);
  if (bytes == 0 || bytes > 8 || !fits || widths.d > 8) return {};
  const uint64_t packed = bytes | uint64_t{widths.d} << 8 | uint64_t{f.vector} << 16 |
                          uint64_t{ptx::is_signed(f.types[0])} << 24;
  if (f.vector == 8) return {f.op == Opcode::st ? store_eight : load_eight, packed};
  if (f.op == Opcode::st) return {store_ordered, packed};
  return {load_ordered, packed};
}

}  // namespace cucore::cpu
