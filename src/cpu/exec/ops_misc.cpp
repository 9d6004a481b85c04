// SPDX-License-Identifier: Apache-2.0
// Handlers of clocks, packed moves, address spaces, fences and instructions that end a launch.
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>

#include "cpu/exec/access.hpp"
#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/block.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

using enum Regular;

template <class F>
void each_active(const Warp& w, F f) {
  for (uint32_t m = w.mask; m; m &= m - 1) f(std::countr_zero(m));
}

void convert_pack(const Warp& w, const Op& op, int32_t least, int32_t most) {
  const uint32_t bits = uint32_t(op.imm), mask = (1u << bits) - 1;
  each_active(w, [&](int lane) {
    auto limited = [&](Slot slot) {
      return uint32_t(std::clamp(w.at<int32_t>(slot)[lane], least, most)) & mask;
    };
    const uint64_t rest = uint64_t{w.at<uint32_t>(op[THIRD])[lane]} << (2 * bits);
    w.at<uint32_t>(op[RESULT])[lane] =
        uint32_t(rest) | limited(op[FIRST]) << bits | limited(op[SECOND]);
  });
}

uint64_t nanoseconds(bool since_epoch) {
  using namespace std::chrono;
  const auto t =
      since_epoch ? system_clock::now().time_since_epoch()
                  : duration_cast<system_clock::duration>(steady_clock::now().time_since_epoch());
  return uint64_t(duration_cast<std::chrono::nanoseconds>(t).count());
}

uint64_t clock_value(uint64_t which) {
  using R = ptx::SpecialRegister;
  switch (R(which)) {
    case R::clock:
      return uint32_t(nanoseconds(false));
    case R::clock_hi:
      return nanoseconds(false) >> 32;
    case R::clock64:
      return nanoseconds(false);
    case R::globaltimer_lo:
      return uint32_t(nanoseconds(true));
    case R::globaltimer_hi:
      return nanoseconds(true) >> 32;
    default:
      return nanoseconds(true);
  }
}

}  // namespace

void convert_pack_signed(Warp& w, const Op& op) {
  const int32_t most = (1 << (op.imm - 1)) - 1;
  convert_pack(w, op, -most - 1, most);
}
void convert_pack_unsigned(Warp& w, const Op& op) { convert_pack(w, op, 0, (1 << op.imm) - 1); }

void read_clock(Warp& w, const Op& op) {
  const uint32_t value = uint32_t(clock_value(op.imm));
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  each_active(w, [=](int l) { d[l] = value; });
}
void read_clock_wide(Warp& w, const Op& op) {
  const uint64_t value = clock_value(op.imm);
  uint64_t* d = w.at<uint64_t>(op[RESULT]);
  each_active(w, [=](int l) { d[l] = value; });
}

void copy_special(Warp& w, const Op& op) {
  const uint32_t width = op.imm & 0xff;
  const uint32_t from = op.imm >> 8 & 1 ? 8 : 4;
  each_active(w, [&](int l) {
    uint64_t value = 0;
    std::memcpy(&value, w.at<std::byte>(op[FIRST]) + size_t(l) * from, from);
    std::memcpy(w.at<std::byte>(op[RESULT]) + size_t(l) * width, &value, width);
  });
}

void local_address(Warp& w, const Op& op) {
  uint64_t* d = w.at<uint64_t>(op[RESULT]);
  each_active(w, [&](int l) { d[l] = w.frame->local_base + op.imm; });
}
void local_address_narrow(Warp& w, const Op& op) {
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  each_active(w, [&](int l) { d[l] = uint32_t(w.frame->local_base + op.imm); });
}

// 128-bit registers store their halves in two planes of 32 lanes.
namespace {
std::byte* wide_piece(const Warp& w, Slot slot, uint32_t total, int lane, uint32_t offset) {
  std::byte* base = w.at<std::byte>(slot);
  if (total != 16) return base + size_t(lane) * total + offset;
  return base + (offset / 8) * (LANES * 8) + size_t(lane) * 8 + offset % 8;
}
}  // namespace

// A register of one byte occupies two.
void pack(Warp& w, const Op& op) {
  const uint32_t count = op.imm & 0xff, width = op.imm >> 8 & 0xff, bytes = op.imm >> 16 & 0xff;
  each_active(w, [&](int l) {
    std::byte value[16];
    for (uint32_t k = 0; k < count; ++k)
      std::memcpy(value + k * bytes, w.at<std::byte>(op.at(FIRST, k)) + size_t(l) * width, bytes);
    for (uint32_t k = 0; k < count; ++k)
      std::memcpy(wide_piece(w, op[RESULT], count * bytes, l, k * bytes), value + k * bytes, bytes);
  });
}
void unpack(Warp& w, const Op& op) {
  const uint32_t count = op.imm & 0xff, width = op.imm >> 8 & 0xff, bytes = op.imm >> 16 & 0xff;
  each_active(w, [&](int l) {
    std::byte value[16 + 8] = {};
    for (uint32_t k = 0; k < count; ++k)
      std::memcpy(value + k * width, wide_piece(w, op[RESULT], count * bytes, l, k * bytes), bytes);
    for (uint32_t k = 0; k < count; ++k)
      std::memcpy(w.at<std::byte>(op.at(FIRST, k)) + size_t(l) * width, value + k * width, width);
  });
}

void add_window(Warp& w, const Op& op) {
  const uint64_t* a = w.at<uint64_t>(op[FIRST]);
  uint64_t* d = w.at<uint64_t>(op[RESULT]);
  each_active(w, [&](int l) { d[l] = a[l] + op.imm; });
}

void isspacep(Warp& w, const Op& op) {
  const AddressSpace& space = AddressSpace::instance();
  const uint64_t* a = w.at<uint64_t>(op[FIRST]);
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  uint32_t bits = 0;
  each_active(w, [&](int l) {
    const bool shared = a[l] - space.shared_window() < AddressSpace::WINDOW;
    const bool local = a[l] - space.local_window() < AddressSpace::WINDOW;
    const bool param = a[l] - space.param_window() < AddressSpace::WINDOW;
    const auto is_constant = [&] {
      const auto range = space.find(a[l]);
      return range && range->constant;
    };
    bool is = false;
    switch (ptx::Space(op.imm)) {
      case ptx::Space::shared:
        is = shared && rank_of(w, a[l] - space.shared_window()) == w.block->rank;
        break;
      case ptx::Space::shared_cluster:
        is = shared && rank_of(w, a[l] - space.shared_window()) < w.block->launch.cluster_size;
        break;
      case ptx::Space::local:
        is = local;
        break;
      case ptx::Space::param:
        is = param;
        break;
      case ptx::Space::global:
        is = !shared && !local && !param && !is_constant();
        break;
      default:
        is = is_constant();
        break;
    }
    bits |= uint32_t{is} << l;
  });
  *d = (*d & ~w.mask) | bits;
}

// ---- local memory that a function allocates

namespace {

template <class T>
void allocate_local(Warp& w, const Op& op) {
  each_active(w, [&](int l) {
    const uint64_t size = w.at<T>(op[FIRST])[l];
    w.at<T>(op[RESULT])[l] = T(w.block->allocate_local(w, op, l, size, op.imm));
  });
}
// A level is the number of bytes that the function has allocated.
template <class T>
void save_stack(Warp& w, const Op& op) {
  each_active(w, [&](int l) { w.at<T>(op[RESULT])[l] = w.frame->dynamic_of[l]; });
}
template <class T>
void restore_stack(Warp& w, const Op& op) {
  each_active(w, [&](int l) {
    const T level = w.at<T>(op[FIRST])[l];
    if (level > w.frame->dynamic_of[l])
      raise(w, op, l, CUDA_ERROR_LAUNCH_FAILED, "invalid stack level",
            std::to_string(level) + " bytes of " + std::to_string(w.frame->dynamic_of[l]));
    w.frame->dynamic_of[l] = uint32_t(level);
  });
}

template <class T>
Handler stack_handler(ptx::Opcode opcode) {
  if (opcode == ptx::Opcode::alloca_) return allocate_local<T>;
  return opcode == ptx::Opcode::stacksave ? save_stack<T> : restore_stack<T>;
}

}  // namespace

Handler select_stack(ptx::Opcode opcode, unsigned width) {
  return width == 8 ? stack_handler<uint64_t>(opcode) : stack_handler<uint32_t>(opcode);
}

void fence(Warp&, const Op&) { std::atomic_thread_fence(std::memory_order_seq_cst); }
void nothing(Warp&, const Op&) {}

void trap(Warp& w, const Op& op) {
  raise(w, op, std::countr_zero(w.mask), CUDA_ERROR_LAUNCH_FAILED, "trap instruction", "");
}
void breakpoint(Warp& w, const Op& op) {
  raise(w, op, std::countr_zero(w.mask), CUDA_ERROR_LAUNCH_FAILED, "breakpoint instruction", "");
}

}  // namespace cucore::cpu
