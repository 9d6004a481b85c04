// SPDX-License-Identifier: Apache-2.0
// The blocks of a cluster. One worker runs them in turn, so that they access each other's shared
// memory without atomic operations. Without clusters, each block is a cluster of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cpu/exec/async.hpp"
#include "cpu/exec/block.hpp"

namespace cucore::cpu {

inline constexpr uint32_t MAX_CLUSTER = 16;  // blocks

// An address of shared memory below 2^24 belongs to the own block. Bits 24 and up of other
// addresses contain the rank of the block, plus 1.
inline constexpr uint32_t RANK_SHIFT = 24;
inline constexpr uint64_t OFFSET_MASK = (uint64_t{1} << RANK_SHIFT) - 1;

struct Cluster {
  // The caller has charged the bytes of the blocks to the memory budget.
  Cluster(LaunchState& launch, Worker& worker);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // Makes this the cluster with the number; storage of an earlier cluster is reused.
  void begin(uint64_t number);
  // Throws KernelFault.
  BlockStatus run(int64_t quantum);
  // Returns "kernel 'saxpy' block (3,0,0) thread (17,0,0) is at saxpy.cu:12 (PTX line 42)" for one
  // thread that can go on, or else for one that waits; "" if all have ended.
  std::string live_thread_text() const;

  // The barrier of the cluster. The bits are lanes of the warp.
  // Returns false if one of the lanes has arrived already and has not waited.
  bool arrive(const Warp& w, uint32_t lanes);
  // Returns the lanes that have arrived: in all phases, or in completed ones.
  uint32_t arrived(const Warp& w) const { return lanes_of(arrived_, w); }
  uint32_t completed(const Warp& w) const { return lanes_of(completed_, w); }
  // Ends the wait of lanes whose phase is complete.
  void pass(const Warp& w, uint32_t lanes);
  // The lanes have ended.
  void leave(const Warp& w, uint32_t lanes) {
    const uint32_t count = lanes == FULL_MASK ? LANES : uint32_t(__builtin_popcount(lanes));
    live_threads_ -= count;
    missing_ -= count;
    if (barrier_used_) leave_barrier(w, lanes);
  }

  LaunchState& launch;
  Worker& worker;
  std::vector<std::unique_ptr<Block>> blocks;  // by rank
  AsyncQueue async;
  bool resumed = false;  // has run a slice

 private:
  size_t index_of(const Warp& w) const {
    return size_t{w.block->rank} * launch.warp_count + w.index;
  }
  uint32_t lanes_of(const std::vector<uint32_t>& masks, const Warp& w) const {
    return masks[index_of(w)];
  }
  void leave_barrier(const Warp& w, uint32_t lanes);
  void complete();
  void release(Block& block);
  [[noreturn]] void deadlock() const;

  bool barrier_used_ = false;
  uint32_t live_threads_ = 0;
  uint32_t missing_ = 0;             // live threads that have not arrived in this phase
  std::vector<uint32_t> arrived_;    // by block and warp: lanes that have not waited yet
  std::vector<uint32_t> completed_;  // those of them whose phase is complete
};

}  // namespace cucore::cpu
