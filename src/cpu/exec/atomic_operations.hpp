// SPDX-License-Identifier: Apache-2.0
// Atomic operations of the host, lane by lane, for atom and red, reductions of memory by memory,
// and ordered loads and stores. The host's sequential consistency covers every order and scope of
// PTX.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include "cpu/exec/access.hpp"

// The namespace separates the operations from other types with such names, as cpu::Exchange.
namespace cucore::cpu::atomics {

// The cost, in the slice of its warp, of an operation on which threads may spin.
inline constexpr int64_t SPIN_COST = 16;

inline uint64_t address_of(const Warp& w, const Op& op, int lane) {
  if (op.target & NARROW)
    return uint32_t(w.at<uint32_t>(op[LoadStore::ADDRESS])[lane] + uint32_t(op.imm));
  return w.at<uint64_t>(op[LoadStore::ADDRESS])[lane] + op.imm +
         (op.target & FRAME_RELATIVE ? w.frame->local_base : 0);
}

inline std::byte* place(Warp& w, const Op& op, int lane, uint64_t size, Access access) {
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

template <class F>
void each_active(const Warp& w, F f) {
  for (uint32_t m = w.mask; m; m &= m - 1) f(std::countr_zero(m));
}

// Lock-free operations on 128 bits are not available on all hosts. This mutex excludes 128-bit
// operations from each other, not from narrower ones on the same memory.
inline std::mutex& wide_lock() {
  static std::mutex lock;
  return lock;
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

}  // namespace cucore::cpu::atomics
