// SPDX-License-Identifier: Apache-2.0
// Handlers of mbarrier, and of cp.async.mbarrier.arrive.
#include "cpu/exec/mbarrier.hpp"

#include <bit>
#include <string>

#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"

namespace cucore::cpu {

uint64_t Mbarrier::bits() const {
  uint64_t value = 0;
  std::memcpy(&value, block->shared.get() + offset, 8);
  return value;
}
void Mbarrier::store(uint64_t value) const { std::memcpy(block->shared.get() + offset, &value, 8); }
uint64_t Mbarrier::key() const { return uint64_t{block->rank} << 32 | offset; }

void misused_mbarrier(const Warp& w, const Op& op, int lane, const char* what) {
  raise(w, op, lane, CUDA_ERROR_LAUNCH_FAILED, "invalid use of an mbarrier", what);
}

Mbarrier place_mbarrier(Warp& w, const Op& op, int lane, uint64_t address, Region region) {
  const uint64_t window = region == Region::GENERIC ? AddressSpace::instance().shared_window() : 0;
  const bool shared = region == Region::SHARED || region == Region::CLUSTER ||
                      (region == Region::GENERIC && address - window < AddressSpace::WINDOW);
  if (!shared) misused_mbarrier(w, op, lane, "it is not in shared memory");
  resolve(w, op, lane, address, 8, Access::WRITE, region);
  address -= window;
  Block& block = *w.block->cluster.blocks[rank_of(w, address)];
  return {&block, uint32_t(address & OFFSET_MASK)};
}

Mbarrier find_mbarrier(Warp& w, const Op& op, int lane, uint64_t address, Region region) {
  const Mbarrier found = place_mbarrier(w, op, lane, address, region);
  const auto& known = found.block->mbarriers;
  if (known.empty() || !known[found.offset / 8])
    misused_mbarrier(w, op, lane, "it is not initialised");
  return found;
}

void change_bytes(const Warp& w, const Op& op, int lane, MbarrierWord& word, int64_t change) {
  const int64_t bytes = word.bytes + change;
  if (bytes > int64_t{MBARRIER_LIMIT} || bytes < -int64_t{MBARRIER_LIMIT})
    misused_mbarrier(w, op, lane, "too many bytes");
  word.bytes = int32_t(bytes);
}

namespace {

using Operand = MbarrierOperand;

uint64_t address(const Warp& w, const Op& op, int lane) {
  if (op.target & NARROW)
    return uint32_t(w.at<uint32_t>(op[Operand::ADDRESS])[lane] + uint32_t(op.imm));
  return w.at<uint64_t>(op[Operand::ADDRESS])[lane] + op.imm;
}

Region region_of(const Op& op) { return Region(op.target & 0xff); }

Mbarrier find(Warp& w, const Op& op, int lane) {
  return find_mbarrier(w, op, lane, address(w, op, lane), region_of(op));
}

uint32_t count_of(const Warp& w, const Op& op, int lane) {
  return op[Operand::COUNT] == NO_SLOT ? 1 : w.at<uint32_t>(op[Operand::COUNT])[lane];
}

void init(Warp& w, const Op& op) {
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const uint32_t count = count_of(w, op, l);
    if (count == 0 || count > MBARRIER_LIMIT)
      misused_mbarrier(w, op, l, "a count that is 0 or too large");
    const Mbarrier barrier = place_mbarrier(w, op, l, address(w, op, l), region_of(op));
    auto& known = barrier.block->mbarriers;
    if (known.empty()) known.resize(w.shared_size / 8 + 1);
    known[barrier.offset / 8] = true;
    MbarrierWord word;
    word.expected = word.pending = count;
    barrier.store(word);
  }
}

void invalidate(Warp& w, const Op& op) {
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const Mbarrier barrier = find(w, op, std::countr_zero(m));
    w.block->cluster.async.complete(barrier);
    barrier.block->mbarriers[barrier.offset / 8] = false;
    barrier.store(0);
  }
}

// Calls f(word, count, lane) for each lane and stores the word; the result is its old value.
template <class F>
void each_barrier(Warp& w, const Op& op, F f) {
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const Mbarrier barrier = find(w, op, l);
    // A barrier without missing threads waits for bytes only.
    if (barrier.word().pending == 0) w.block->cluster.async.complete(barrier);
    const uint64_t old = barrier.bits();
    MbarrierWord word = MbarrierWord::of(old);
    f(word, count_of(w, op, l), l);
    barrier.store(word);
    if (op[Operand::RESULT] != NO_SLOT) w.at<uint64_t>(op[Operand::RESULT])[l] = old;
  }
}

void arrive_by(const Warp& w, const Op& op, int l, MbarrierWord& word, uint32_t count) {
  if (count == 0) misused_mbarrier(w, op, l, "an arrival with a count of 0");
  if (count > word.pending) misused_mbarrier(w, op, l, "more arrivals than it waits for");
  word.pending -= count;
  const uint32_t phase = word.phase;
  word.complete_if_done();
  if ((op.target & MBARRIER_NO_COMPLETE) && word.phase != phase)
    misused_mbarrier(w, op, l, "an arrival with .noComplete completes the phase");
}

void arrive(Warp& w, const Op& op) {
  each_barrier(w, op,
               [&](MbarrierWord& b, uint32_t count, int l) { arrive_by(w, op, l, b, count); });
}

void drop(const Warp& w, const Op& op, int l, MbarrierWord& word, uint32_t count) {
  if (count > word.expected) misused_mbarrier(w, op, l, "more threads drop out than there are");
  word.expected -= count;
  arrive_by(w, op, l, word, count);
}

void arrive_drop(Warp& w, const Op& op) {
  each_barrier(w, op, [&](MbarrierWord& b, uint32_t count, int l) { drop(w, op, l, b, count); });
}

void arrive_expect(Warp& w, const Op& op) {
  each_barrier(w, op, [&](MbarrierWord& b, uint32_t bytes, int l) {
    change_bytes(w, op, l, b, bytes);
    arrive_by(w, op, l, b, 1);
  });
}

void arrive_drop_expect(Warp& w, const Op& op) {
  each_barrier(w, op, [&](MbarrierWord& b, uint32_t bytes, int l) {
    change_bytes(w, op, l, b, bytes);
    drop(w, op, l, b, 1);
  });
}

void expect(Warp& w, const Op& op) {
  each_barrier(w, op, [&](MbarrierWord& b, uint32_t bytes, int l) {
    change_bytes(w, op, l, b, int64_t{bytes});
  });
}

void complete(Warp& w, const Op& op) {
  each_barrier(w, op, [&](MbarrierWord& b, uint32_t bytes, int l) {
    change_bytes(w, op, l, b, -int64_t{bytes});
    b.complete_if_done();
  });
}

// With PARITY the state is the parity of the phase. Copies happen now. A warp that waits lets
// others run.
template <bool Parity>
void test_wait(Warp& w, const Op& op) {
  uint32_t done = 0;
  Mbarrier last;
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const Mbarrier barrier = find(w, op, l);
    const uint64_t waited =
        Parity ? w.at<uint32_t>(op[Operand::STATE])[l] : w.at<uint64_t>(op[Operand::STATE])[l];
    const bool still = ((barrier.bits() ^ waited) & 1) == 0;
    if (still && !(barrier == last)) w.block->cluster.async.complete(barrier);
    last = barrier;
    done |= uint32_t((barrier.bits() ^ waited) & 1) << l;
  }
  uint32_t* d = w.at<uint32_t>(op[Operand::RESULT]);
  *d = (*d & ~w.mask) | done;
  if (done != w.mask) w.quantum = 0;
}

void pending_count(Warp& w, const Op& op) {
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    w.at<uint32_t>(op[Operand::RESULT])[l] =
        MbarrierWord::of(w.at<uint64_t>(op[Operand::STATE])[l]).pending;
  }
}

// An arrival of a thread when its earlier copies by cp.async are complete.
void run_copies(AsyncOperation& a) {
  auto& copies = a.warp->block->copies;
  if (!copies.empty()) copies[a.warp->index].finish(*a.warp, uint32_t{1} << a.lane, a.before);
}

// Without .noinc, the barrier waits for one more arrival in this phase.
template <bool Increments>
void arrive_after_copies(Warp& w, const Op& op) {
  const auto& copies = w.block->copies;
  for (uint32_t m = w.mask; m; m &= m - 1) {
    AsyncOperation a;
    a.run = run_copies;
    a.warp = &w;
    a.op = &op;
    a.function = w.frame->function;
    a.lane = std::countr_zero(m);
    a.barrier = find(w, op, a.lane);
    a.arrives = true;
    a.before = copies.empty() ? 0 : copies[w.index].next_number();
    if (Increments) {
      MbarrierWord word = a.barrier.word();
      if (++word.pending > MBARRIER_LIMIT) misused_mbarrier(w, op, a.lane, "too many arrivals");
      a.barrier.store(word);
    }
    w.block->cluster.async.add(std::move(a));
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
      return arrive;
    case Opcode::cp_async_mbarrier_arrive:
      return arrive_after_copies<true>;
    case Opcode::cp_async_mbarrier_arrive_noinc:
      return arrive_after_copies<false>;
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

}  // namespace cucore::cpu
