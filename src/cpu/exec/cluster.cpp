// SPDX-License-Identifier: Apache-2.0
// Slices of execution of a cluster, and its barrier.
#include "cpu/exec/cluster.hpp"

#include <algorithm>
#include <bit>

#include "cpu/checks/checks.hpp"
#include "cpu/exec/fault.hpp"

namespace cucore::cpu {

Cluster::Cluster(LaunchState& state, Worker& owner) : launch(state), worker(owner), async(state) {
  blocks.reserve(state.cluster_size);
  for (uint32_t rank = 0; rank < state.cluster_size; ++rank)
    blocks.push_back(std::make_unique<Block>(*this, rank));
  arrived_.resize(size_t{state.cluster_size} * state.warp_count);
  completed_.resize(arrived_.size());
}

void Cluster::begin(uint64_t number) {
  const Launch& l = *launch.launch;
  uint32_t place[3];
  uint64_t rest = number;
  for (int c = 0; c < 3; ++c) {
    const uint32_t count = l.cluster[c] == 1 ? l.grid[c] : l.grid[c] / l.cluster[c];
    if (rest < count) {  // divisions take as long as the rest of a short block
      place[c] = uint32_t(rest);
      rest = 0;
      continue;
    }
    place[c] = uint32_t(rest % count);
    rest /= count;
  }
  live_threads_ = 0;
  for (auto& block : blocks) {
    block->begin(place, number);
    live_threads_ += block->live_threads;
  }
  missing_ = live_threads_;
  if (barrier_used_) {
    std::fill(arrived_.begin(), arrived_.end(), 0);
    std::fill(completed_.begin(), completed_.end(), 0);
  }
  async.clear();
  barrier_used_ = resumed = false;
}

BlockStatus Cluster::run(int64_t quantum) {
  while (quantum > 0) {
    bool progress = false;
    for (auto& block : blocks) progress |= block->turn(quantum);
    if (live_threads_ == 0 || launch.stop.load(std::memory_order_relaxed)) return BlockStatus::DONE;
    if (!progress) deadlock();
  }
  async.flush();  // threads may wait for the data in other ways
  return BlockStatus::EXPIRED;
}

void Cluster::deadlock() const {
  const bool alone = blocks.size() == 1;
  const auto first = std::find_if(blocks.begin(), blocks.end(),
                                  [](const auto& block) { return block->live_threads != 0; });
  std::string text = block_text(**first) + ": deadlock: no thread of the " +
                     (alone ? "block" : "cluster") + " can go on";
  for (const auto& block : blocks) text += block->deadlock_text();
  throw KernelFault{CUDA_ERROR_LAUNCH_TIMEOUT, text + schedule_suffix()};
}

std::string Cluster::live_thread_text() const {
  const Warp* found = nullptr;
  const Group* group = nullptr;
  for (const auto& block : blocks) {
    for (uint32_t x = 0; x < launch.warp_count; ++x) {
      const Warp& w = block->warps[x];
      for (uint32_t i = 0; i < w.group_count; ++i) {
        if (group && (group->state == GroupState::READY || w.groups[i].state != GroupState::READY))
          continue;
        found = &w;
        group = &w.groups[i];
      }
    }
  }
  if (!group) return {};
  const DecodedFunction& function = *group->frame->function;
  std::string text = thread_text(*found, std::countr_zero(group->mask));
  if (!function.source->is_entry)
    text += " in function '" + shown_name(function.source->name) + "'";
  return text + " is at " + place_text(function, group->pc, settings().show_ptx);
}

bool Cluster::arrive(const Warp& w, uint32_t lanes) {
  uint32_t& arrived = arrived_[index_of(w)];
  if (arrived & lanes) return false;
  barrier_used_ = true;
  arrived |= lanes;
  missing_ -= uint32_t(std::popcount(lanes));
  if (missing_ == 0) complete();
  return true;
}

void Cluster::pass(const Warp& w, uint32_t lanes) {
  arrived_[index_of(w)] &= ~lanes;
  completed_[index_of(w)] &= ~lanes;
}

// Lanes that have arrived in this phase are not missing.
void Cluster::leave_barrier(const Warp& w, uint32_t lanes) {
  const uint32_t waits = arrived_[index_of(w)] & ~completed_[index_of(w)];
  missing_ += uint32_t(std::popcount(lanes & waits));
  pass(w, lanes);
  if (missing_ == 0 && live_threads_ != 0) complete();
}

void Cluster::complete() {
  completed_ = arrived_;
  missing_ = live_threads_;
  for (auto& block : blocks) release(*block);
}

void Cluster::release(Block& block) {
  for (uint32_t x = 0; x < launch.warp_count; ++x) {
    Warp& w = block.warps[x];
    for (uint32_t i = 0; i < w.group_count; ++i) {
      Group& g = w.groups[i];
      if (g.state != GroupState::CLUSTER) continue;
      g.state = GroupState::READY;
      ++g.pc;
      pass(w, g.mask);
      if (block.checks) on_cluster_wait(w);
    }
  }
}

}  // namespace cucore::cpu
