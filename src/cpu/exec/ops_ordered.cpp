// SPDX-License-Identifier: Apache-2.0
// Handlers of loads and stores with an order, and of weak ones without vector code.
#include <atomic>
#include <cstring>
#include <mutex>

#include "cpu/exec/atomic_operations.hpp"
#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu::atomics {
namespace {

using ptx::Form;
using ptx::Opcode;
using ptx::Type;

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

Comparison ordered_of(const Form& f, Widths widths) {
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

}  // namespace
}  // namespace cucore::cpu::atomics

namespace cucore::cpu {

Comparison select_ordered(const ptx::Form& f, Widths widths) {
  return atomics::ordered_of(f, widths);
}

}  // namespace cucore::cpu
