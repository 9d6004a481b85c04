// SPDX-License-Identifier: Apache-2.0
// Lanes that wait for each other: exchanges, and barriers of warps, blocks and clusters.
#include "cpu/exec/interpreter.hpp"

#include "cpu/checks/checks.hpp"
#include "cpu/counts/counts.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"

namespace cucore::cpu {
namespace {

uint32_t barrier_number(const Warp& w, const Op& op, uint32_t id, uint32_t threads) {
  if (id >= NUMBERED_BARRIERS || threads % LANES)
    raise(w, op, std::countr_zero(w.active), CUDA_ERROR_ILLEGAL_INSTRUCTION, "invalid barrier",
          std::to_string(id) + ", " + std::to_string(threads));
  return id;
}

}  // namespace

// Returns the lanes of `of` with the same member mask as its first lane.
uint32_t Interpreter::same_mask(Slot slot, uint32_t of) const {
  if ((slot & 3) == CONSTANT_BASE) return of;
  const uint32_t* masks = w_.at<uint32_t>(slot);
  const uint32_t first = masks[std::countr_zero(of)];
  uint32_t same = 0, differs = 0;
  for (int l = 0; l < LANES; ++l) differs |= masks[l] ^ first;
  if (differs == 0) return of;
  for (uint32_t m = of; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    same |= uint32_t{masks[lane] == first} << lane;
  }
  return same;
}

// An exchange may access memory, as ldmatrix does.
void Interpreter::run_observed(const Op& op) {
  const bool is_checked = w_.block->checks != nullptr;
  if (counts_) return is_checked ? run_counted<true>(op) : run_counted<false>(op);
  run_checked(op);
}

// Lanes that run together may belong to several groups. Each group continues when it is complete.
bool Interpreter::sync(const Op& op) {
  if (w_.group_count > 1) {
    const uint32_t before = w_.active;
    merge_here();
    if (w_.active != before) {  // the guard applies to the lanes that have arrived
      if (!counts_) return step<false, false>(op);
      take_back(before, true);
      return step<false, true>(op);
    }
  }
  uint32_t ready = 0, partial = 0;
  for (uint32_t rest = w_.active; rest; rest &= ~w_.mask) {
    w_.mask = same_mask(op[Exchange::MEMBERS], rest);
    const uint32_t member =
        w_.at<uint32_t>(op[Exchange::MEMBERS])[std::countr_zero(rest)] & w_.live;
    const bool whole = (member & ~w_.active) == 0;
    if (whole && !counts_ && !w_.block->checks) [[likely]]
      op.run(w_, op);
    else if (whole)
      run_observed(op);
    (whole ? ready : partial) |= w_.mask;
  }
  w_.mask = w_.active;
  if (ready && w_.block->checks) on_warp_barrier(w_);
  if (counts_ && partial) take_back(partial, ready == 0);
  return pass_or_wait(ready, partial, GroupState::WARP_SYNC);
}

// An arrival orders nothing. The checks learn of the barrier when it is complete.
bool Interpreter::warp_barrier(const Op& op) {
  uint32_t waits[LANES], masks[LANES], count = 0, partial = 0;
  for (uint32_t rest = w_.active; rest;) {
    const uint32_t same = same_mask(op[Exchange::MEMBERS], rest);
    const uint32_t member = w_.at<uint32_t>(op[Exchange::MEMBERS])[std::countr_zero(rest)];
    rest &= ~same;
    if ((member & w_.live & ~w_.active) == 0) continue;
    waits[count] = member;
    masks[count++] = same;
    partial |= same;
  }
  if (partial != w_.active && w_.block->checks) on_warp_barrier(w_);
  if (partial == 0) {
    ++pc_;
    return true;
  }
  if (partial != w_.active) split(partial, pc_, pc_ + 1);
  w_.groups[current_].mask = masks[0];
  for (uint32_t i = 0; i < count; ++i) {
    if (i > 0) add_group(w_.frame, pc_, masks[i]);
    Group& g = w_.groups[i > 0 ? w_.group_count - 1 : current_];
    g.pc = pc_;
    g.wait = waits[i];
    g.state = GroupState::WARP_BARRIER;
  }
  for (uint32_t i = 0; i < count; ++i) release_warp_barrier(waits[i]);
  return false;
}

void Interpreter::release_warp_barrier(uint32_t member) {
  uint32_t present = 0;
  for (uint32_t i = 0; i < w_.group_count; ++i) {
    const Group& g = w_.groups[i];
    if (g.state == GroupState::WARP_BARRIER && g.wait == member) present |= g.mask;
  }
  if (present == 0 || (member & w_.live & ~present)) return;
  if (w_.block->checks) on_warp_barrier(w_);
  for (uint32_t i = 0; i < w_.group_count; ++i) {
    Group& g = w_.groups[i];
    if (g.state != GroupState::WARP_BARRIER || g.wait != member) continue;
    g.state = GroupState::READY;
    ++g.pc;
  }
}

bool Interpreter::barrier(const Op& op) {
  const uint32_t threads =
      op[BlockBarrier::THREADS] == NO_SLOT ? 0 : value(op[BlockBarrier::THREADS]);
  const Slot number = op[BlockBarrier::NUMBER];
  const uint32_t id = number == NO_SLOT ? NUMBERED_BARRIERS + w_.index / 4
                                        : barrier_number(w_, op, value(number), threads);
  uint32_t predicate = 0;
  if (op.kind == OpKind::REDUCE) {
    predicate = *w_.at<uint32_t>(op[BlockBarrier::PREDICATE]);
    if (op.target) predicate = ~predicate;
  }
  Group& g = w_.groups[current_];
  g.pc = pc_;
  g.wait = id;
  g.state = GroupState::BARRIER;
  if (table_ && !table_->uses.empty()) on_registers(w_, op);  // wgmma.wait_group
  if (w_.block->checks) on_block_barrier(w_, id);
  if (counts_) w_.block->counts->arrive(w_, id, counts_->rare[pc_].imbalance);
  if (!w_.block->arrive(w_, id, threads, w_.active, predicate)) return false;
  if (w_.group_count > 1) return false;
  pc_ = g.pc;  // complete: this group was released too
  return true;
}

bool Interpreter::arrive(const Op& op) {
  const uint32_t threads = value(op[BlockBarrier::THREADS]);
  const uint32_t id = barrier_number(w_, op, value(op[BlockBarrier::NUMBER]), threads);
  if (w_.block->checks) on_block_barrier(w_, id);
  if (counts_) w_.block->counts->arrive(w_, id, counts_->rare[pc_].imbalance);
  ++pc_;
  park();
  w_.block->arrive(w_, id, threads, w_.active, 0);
  return w_.group_count == 1;
}

// Lanes whose phase is complete continue; the others wait.
bool Interpreter::cluster_wait(const Op& op) {
  Cluster& cluster = w_.block->cluster;
  if (const uint32_t stray = w_.active & ~cluster.arrived(w_))
    raise(w_, op, std::countr_zero(stray), CUDA_ERROR_LAUNCH_FAILED,
          "invalid use of the barrier of a cluster", "a thread waits that has not arrived");
  const uint32_t ready = w_.active & cluster.completed(w_);
  const uint32_t partial = w_.active & ~ready;
  cluster.pass(w_, ready);
  if (ready && w_.block->checks) on_cluster_wait(w_);
  return pass_or_wait(ready, partial, GroupState::CLUSTER);
}

}  // namespace cucore::cpu
