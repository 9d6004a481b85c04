// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory (mbarrier), and the bulk copies that complete on them. The warps of a
// block take turns, so atomic operations are not needed.
#include <bit>
#include <cstring>
#include <string>

#include "cpu/exec/access.hpp"
#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/fault.hpp"

namespace cucore::cpu {
namespace {

constexpr uint32_t LIMIT = (1u << 20) - 1;  // limit of counts

// The 64 bits of an mbarrier; mbarrier.arrive returns a copy of them as its state.
struct Barrier {
  uint32_t phase = 0;     // 1 bit
  uint32_t expected = 0;  // arrivals expected in the next phases
  uint32_t pending = 0;   // arrivals missing in this phase
  int32_t bytes = 0;      // bytes that copies have still to deliver

  static Barrier of(uint64_t v) {
    Barrier b;
    b.phase = v & 1;
    b.expected = uint32_t(v >> 1) & LIMIT;
    b.pending = uint32_t(v >> 21) & LIMIT;
    b.bytes = int32_t(int64_t(v) >> 41);
    return b;
  }
  uint64_t packed() const {
    return uint64_t(int64_t(bytes)) << 41 | uint64_t{pending} << 21 | uint64_t{expected} << 1 |
           phase;
  }
  void complete_if_done() {
    if (pending != 0 || bytes != 0) return;
    phase ^= 1;
    pending = expected;
  }
};

uint64_t address(const Warp& w, const Op& op, int lane) {
  if (op.target & NARROW)
    return uint32_t(w.at<uint32_t>(op[Mbarrier::ADDRESS])[lane] + uint32_t(op.imm));
  return w.at<uint64_t>(op[Mbarrier::ADDRESS])[lane] + op.imm;
}

std::byte* barrier_at(Warp& w, const Op& op, int lane, uint64_t where) {
  return resolve(w, op, lane, where, 8, Access::WRITE, Region(op.target & 0xff));
}

[[noreturn]] void misused(const Warp& w, const Op& op, int lane, const char* what) {
  raise(w, op, lane, CUDA_ERROR_LAUNCH_FAILED, "invalid use of an mbarrier", what);
}

// Calls f(barrier, count, lane) for each lane and stores the barrier; the result is its old value.
template <class F>
void each_barrier(Warp& w, const Op& op, F f) {
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    std::byte* place = barrier_at(w, op, l, address(w, op, l));
    uint64_t old = 0;
    std::memcpy(&old, place, 8);
    Barrier b = Barrier::of(old);
    f(b, op[Mbarrier::COUNT] == NO_SLOT ? 1 : w.at<uint32_t>(op[Mbarrier::COUNT])[l], l);
    const uint64_t now = b.packed();
    std::memcpy(place, &now, 8);
    if (op[Mbarrier::RESULT] != NO_SLOT) w.at<uint64_t>(op[Mbarrier::RESULT])[l] = old;
  }
}

void init(Warp& w, const Op& op) {
  each_barrier(w, op, [&](Barrier& b, uint32_t count, int l) {
    if (count == 0 || count > LIMIT) misused(w, op, l, "a count that is 0 or too large");
    b = Barrier{};
    b.expected = b.pending = count;
  });
}

void invalidate(Warp& w, const Op& op) {
  each_barrier(w, op, [](Barrier& b, uint32_t, int) { b = Barrier{}; });
}

void arrive_by(const Warp& w, const Op& op, int l, Barrier& b, uint32_t count) {
  if (count > b.pending) misused(w, op, l, "more arrivals than it waits for");
  b.pending -= count;
  b.complete_if_done();
}

void arrive(Warp& w, const Op& op) {
  each_barrier(w, op, [&](Barrier& b, uint32_t count, int l) { arrive_by(w, op, l, b, count); });
}

void arrive_drop(Warp& w, const Op& op) {
  each_barrier(w, op, [&](Barrier& b, uint32_t count, int l) {
    if (count > b.expected) misused(w, op, l, "more threads drop out than there are");
    b.expected -= count;
    arrive_by(w, op, l, b, count);
  });
}

void change_bytes(const Warp& w, const Op& op, int l, Barrier& b, int64_t change) {
  const int64_t bytes = b.bytes + change;
  if (bytes > int64_t{LIMIT} || bytes < -int64_t{LIMIT}) misused(w, op, l, "too many bytes");
  b.bytes = int32_t(bytes);
}

void arrive_expect(Warp& w, const Op& op) {
  each_barrier(w, op, [&](Barrier& b, uint32_t bytes, int l) {
    change_bytes(w, op, l, b, bytes);
    arrive_by(w, op, l, b, 1);
  });
}

void arrive_drop_expect(Warp& w, const Op& op) {
  each_barrier(w, op, [&](Barrier& b, uint32_t bytes, int l) {
    if (b.expected == 0) misused(w, op, l, "more threads drop out than there are");
    change_bytes(w, op, l, b, bytes);
    --b.expected;
    arrive_by(w, op, l, b, 1);
  });
}

void expect(Warp& w, const Op& op) {
  each_barrier(
      w, op, [&](Barrier& b, uint32_t bytes, int l) { change_bytes(w, op, l, b, int64_t{bytes}); });
}

void complete(Warp& w, const Op& op) {
  each_barrier(w, op, [&](Barrier& b, uint32_t bytes, int l) {
    change_bytes(w, op, l, b, -int64_t{bytes});
    b.complete_if_done();
  });
}

// With PARITY the state is the parity of the phase. A warp that waits lets others run.
template <bool Parity>
void test_wait(Warp& w, const Op& op) {
  uint32_t done = 0;
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    uint64_t value = 0;
    std::memcpy(&value, barrier_at(w, op, l, address(w, op, l)), 8);
    const uint64_t waited =
        Parity ? w.at<uint32_t>(op[Mbarrier::STATE])[l] : w.at<uint64_t>(op[Mbarrier::STATE])[l];
    done |= uint32_t((value ^ waited) & 1) << l;
  }
  uint32_t* d = w.at<uint32_t>(op[Mbarrier::RESULT]);
  *d = (*d & ~w.mask) | done;
  if (done != w.mask) w.quantum = 0;
}

void pending_count(Warp& w, const Op& op) {
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    w.at<uint32_t>(op[Mbarrier::RESULT])[l] =
        Barrier::of(w.at<uint64_t>(op[Mbarrier::STATE])[l]).pending;
  }
}

uint64_t wide_or_narrow(const Warp& w, Slot slot, bool narrow, int lane) {
  return narrow ? w.at<uint32_t>(slot)[lane] : w.at<uint64_t>(slot)[lane];
}

// Copies complete immediately. imm contains the offset of the destination.
template <bool FromGlobal>
void copy_bulk(Warp& w, const Op& op) {
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const bool narrow_source = op.target & BULK_SOURCE_NARROW;
    const uint64_t to = address(w, op, l);
    uint64_t from = wide_or_narrow(w, op[CopyBulk::SOURCE], narrow_source, l) +
                    w.at<uint64_t>(op[CopyBulk::SOURCE_OFFSET])[l];
    if (narrow_source) from = uint32_t(from);
    const uint64_t size = w.at<uint32_t>(op[CopyBulk::SIZE])[l];
    if ((to | from | size) & 15)
      raise(w, op, l, CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address",
            "bulk copies are of 16-byte units");
    if (size == 0) continue;
    const Region shared = Region::SHARED, global = Region::GLOBAL;
    const std::byte* source =
        resolve(w, op, l, from, size, Access::READ, FromGlobal ? global : shared);
    std::byte* d = resolve(w, op, l, to, size, Access::WRITE, FromGlobal ? shared : global);
    std::memcpy(d, source, size);
    if (op[CopyBulk::BARRIER] == NO_SLOT) continue;
    uint64_t where = wide_or_narrow(w, op[CopyBulk::BARRIER], op.target & BULK_BARRIER_NARROW, l) +
                     w.at<uint64_t>(op[CopyBulk::BARRIER_OFFSET])[l];
    if (op.target & BULK_BARRIER_NARROW) where = uint32_t(where);
    std::byte* place = resolve(w, op, l, where, 8, Access::WRITE, Region::SHARED);
    uint64_t value = 0;
    std::memcpy(&value, place, 8);
    Barrier b = Barrier::of(value);
    change_bytes(w, op, l, b, -int64_t(size));
    b.complete_if_done();
    value = b.packed();
    std::memcpy(place, &value, 8);
  }
}

}  // namespace

Handler select_mbarrier(ptx::Opcode opcode) {
  using ptx::Opcode;
  switch (opcode) {
    case Opcode::mbarrier_init:
      return init;
    case Opcode::mbarrier_inval:
      return invalidate;
    case Opcode::mbarrier_arrive:
    case Opcode::cp_async_mbarrier_arrive_noinc:
      return arrive;
    case Opcode::mbarrier_arrive_drop:
      return arrive_drop;
    case Opcode::mbarrier_arrive_expect_tx:
      return arrive_expect;
    case Opcode::mbarrier_arrive_drop_expect_tx:
      return arrive_drop_expect;
    case Opcode::mbarrier_expect_tx:
      return expect;
    case Opcode::mbarrier_complete_tx:
      return complete;
    case Opcode::mbarrier_test_wait:
    case Opcode::mbarrier_try_wait:
      return test_wait<false>;
    case Opcode::mbarrier_test_wait_parity:
    case Opcode::mbarrier_try_wait_parity:
      return test_wait<true>;
    case Opcode::mbarrier_pending_count:
      return pending_count;
    default:
      return nullptr;
  }
}

Handler select_copy_bulk(bool from_global) {
  return from_global ? copy_bulk<true> : copy_bulk<false>;
}

}  // namespace cucore::cpu
