// SPDX-License-Identifier: Apache-2.0
// Named barriers of a block. Without a thread count, a barrier waits for all live threads. With
// one, each complete warp counts as 32 threads, as PTX defines.
#include <bit>
#include <string>

#include "cpu/checks/checks.hpp"
#include "cpu/counts/counts.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"
#include "ptx/ast.hpp"
#include "support/counted.hpp"

namespace cucore::cpu {

bool Block::is_complete(const Barrier& barrier) const {
  if (!barrier.used) return false;
  return barrier.expected ? barrier.count >= barrier.expected : barrier.lanes >= live_threads;
}

namespace {

// Lets the warp count as 32 threads once all of its live lanes have arrived; `counted` lanes of it
// count already. Returns whether it does so from now on.
bool count_whole(Barrier& barrier, const Warp& w, uint32_t counted) {
  const uint32_t arrived = barrier.arrived[w.index], bit = uint32_t{1} << w.index;
  if (arrived == 0 || (w.live & ~arrived) || (barrier.whole & bit)) return false;
  barrier.whole |= bit;
  barrier.count += uint32_t(LANES) - (counted ? uint32_t(std::popcount(counted)) : 0);
  return true;
}

}  // namespace

// Returns true if this arrival completed the barrier.
bool Block::arrive(Warp& w, uint32_t id, uint32_t expected, uint32_t mask, uint32_t predicate) {
  Barrier& barrier = barriers[id];
  barriers_used = true;
  if (!barrier.used) {
    barrier = Barrier{};
    barrier.used = true;
  }
  if (expected) barrier.expected = expected;
  const uint32_t before = barrier.arrived[w.index];
  const uint32_t lanes = mask == FULL_MASK ? uint32_t(LANES) : uint32_t(std::popcount(mask));
  barrier.arrived[w.index] |= mask;
  if (!count_whole(barrier, w, before)) barrier.count += lanes;
  barrier.lanes += lanes;
  if (predicate) barrier.hits += uint32_t(std::popcount(mask & predicate));
  if (!is_complete(barrier)) return false;
  release(id);
  return true;
}

namespace {

void write_result(const Group& g, const Op& op, const Barrier& barrier) {
  auto* d = reinterpret_cast<uint32_t*>(g.frame->registers + op[BlockBarrier::RESULT]);
  switch (ptx::Operation(op.imm)) {
    case ptx::Operation::popc:
      for (uint32_t m = g.mask; m; m &= m - 1) d[std::countr_zero(m)] = barrier.hits;
      break;
    case ptx::Operation::and_:
      *d = (*d & ~g.mask) | (barrier.hits == barrier.lanes ? g.mask : 0);
      break;
    default:
      *d = (*d & ~g.mask) | (barrier.hits ? g.mask : 0);
      break;
  }
}

}  // namespace

void Block::release(uint32_t id) {
  Barrier& barrier = barriers[id];
  if (checks) on_barrier_release(*this, id);
  if (counts) counts->release(id);
  for (uint32_t x = 0; x < launch.warp_count; ++x) {
    Warp& w = warps[x];
    for (uint32_t i = 0; i < w.group_count; ++i) {
      Group& g = w.groups[i];
      if (g.state != GroupState::BARRIER || g.wait != id) continue;
      const Op& op = g.frame->function->ops[g.pc];
      if (op.kind == OpKind::REDUCE) write_result(g, op, barrier);
      g.state = GroupState::READY;
      ++g.pc;
    }
  }
  barrier.used = false;
}

// Threads of the warp have left: releases the barriers that wait for no others. With the last
// thread, the asynchronous operations of the block end.
void Block::meet_without_them(const Warp& w) {
  if (live_threads == 0) return cluster.async.block_exits(*this);
  for (uint32_t id = 0; id < BARRIERS; ++id) {
    if (barriers[id].used) count_whole(barriers[id], w, barriers[id].arrived[w.index]);
    if (is_complete(barriers[id])) release(id);
  }
}

std::string Block::deadlock_text() const {
  std::string text;
  for (uint32_t x = 0; x < launch.warp_count && text.size() < 600; ++x) {
    const Warp& w = warps[x];
    for (uint32_t i = 0; i < w.group_count; ++i) {
      const Group& g = w.groups[i];
      const auto waiting = static_cast<unsigned>(std::popcount(g.mask));
      text += "; warp " + std::to_string(x) + ": " + counted(waiting, "thread") +
              (waiting == 1 ? " waits at " : " wait at ") +
              place_text(*g.frame->function, g.pc, true);
    }
  }
  return text;
}

}  // namespace cucore::cpu
