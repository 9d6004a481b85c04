// SPDX-License-Identifier: Apache-2.0
// A thread block as a resumable object: warps, barriers and memory. A worker runs it in slices.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cpu/exec/executor.hpp"
#include "cpu/exec/launch_budgets.hpp"
#include "cpu/exec/memory_budget.hpp"
#include "cpu/exec/program.hpp"
#include "cpu/exec/special.hpp"
#include "cpu/exec/thread_copies.hpp"
#include "cpu/exec/warp.hpp"

namespace cucore::cpu {

inline constexpr uint32_t MAX_WARPS = 32;
inline constexpr uint64_t MAX_LOCAL = 512 << 10;  // bytes of local memory per thread, as on a GPU
inline constexpr uint32_t NUMBERED_BARRIERS = 16;
// One more for each warpgroup of four warps.
inline constexpr uint32_t BARRIERS = NUMBERED_BARRIERS + MAX_WARPS / 4;

struct LaunchChecks;
struct WorkerChecks;
struct BlockChecks;
struct LaunchCounts;
struct WorkerCounts;
struct BlockCounts;

// State that all blocks of a launch share.
struct LaunchState {
  const Launch* launch = nullptr;
  const DecodedKernel* kernel = nullptr;
  const DecodedModule* module = nullptr;
  AlignedBytes params;
  AlignedBytes threads;  // tables of %tid, one per warp
  uint32_t warp_count = 0;
  uint64_t block_count = 0;
  uint32_t cluster_size = 1;  // blocks per cluster
  uint64_t cluster_count = 0;
  uint64_t shared_bytes = 0;     // including reserved memory
  uint64_t reserved_shared = 0;  // start of the reserved memory
  uint64_t workspace = 0;        // workspace of grid synchronisation
  uint64_t grid_id = 0;
  LaunchBudgets budgets;
  uint64_t budget = 0;       // warp instructions; 0: no limit
  uint64_t block_bytes = 0;  // charged to the memory budget by every block
  bool reserved = false;     // the memory of all blocks is already charged
  // All workers write it, so it is not in the cache lines that they only read.
  alignas(64) std::atomic<uint64_t> next_cluster{0};
  alignas(64) std::atomic<uint64_t> warp_instructions{0};
  std::atomic<uint64_t> thread_instructions{0};
  std::atomic<uint64_t> printed{0};  // bytes
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::optional<Fault> fault;
  LaunchChecks* checks = nullptr;  // nullptr: none are enabled
  LaunchCounts* counts = nullptr;  // nullptr: the launch is not counted
  alignas(64) MemoryBudget memory;

  void fail(CUresult code, std::string text);
};

struct Barrier {
  uint32_t expected = 0;  // threads; 0: all live threads
  uint32_t count = 0;     // arrivals; a warp counts as 32
  uint32_t lanes = 0;     // lanes that have arrived
  uint32_t popc = 0;
  uint32_t hits = 0;   // lanes whose predicate was true, for and and or
  uint32_t whole = 0;  // warps that count as 32, one bit each
  bool used = false;
  uint32_t arrived[MAX_WARPS] = {};
};

// Per-thread state of the pool during a launch.
struct Worker {
  LaunchState* launch = nullptr;
  std::vector<Site> sites;  // interval cache of the launch's module
  // Those of other modules, whose functions the kernel calls through pointers.
  std::unordered_map<const DecodedModule*, std::vector<Site>> other_sites;
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;
  uint32_t index = 0;
  WorkerChecks* checks = nullptr;
  WorkerCounts* counts = nullptr;

  std::vector<Site>& sites_of(const DecodedModule& module) {
    if (&module == launch->module) return sites;
    std::vector<Site>& others = other_sites[&module];
    if (others.empty()) others.resize(module.site_count);
    return others;
  }
};

struct FrameDelete {
  void operator()(Frame* frame) const;
};

// Returns the host memory of a block before it calls a function.
uint64_t bytes_of_block(const LaunchState& launch);

struct Cluster;

enum class BlockStatus : uint8_t { DONE, EXPIRED };
enum class WarpStatus : uint8_t { DONE, BLOCKED, EXPIRED };

struct Block {
  // The caller has charged the bytes of the block to the memory budget.
  Block(Cluster& cluster, uint32_t rank);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Makes this the block of its rank in the cluster `cluster_number`, which has the place
  // `clusterid`; storage of an earlier block is reused.
  void begin(const uint32_t (&clusterid)[3], uint64_t cluster_number);
  // Gives each warp a turn, and takes its instructions from the quantum. Returns whether a warp
  // made progress. Throws KernelFault.
  bool turn(int64_t& quantum);

  Cluster& cluster;
  const uint32_t rank;
  LaunchState& launch;
  Worker& worker;
  const DecodedFunction& entry;
  uint32_t ctaid[3] = {};
  uint32_t live_threads = 0;
  BlockChecks* checks = nullptr;
  BlockCounts* counts = nullptr;
  AlignedBytes shared;
  AlignedBytes table;
  AlignedBytes registers;  // of the kernel's frame, one warp after another
  std::unique_ptr<Warp[]> warps;
  std::vector<Frame> entry_frames;
  std::vector<AlignedBytes> locals;
  std::vector<AlignedBytes> entry_params;
  Barrier barriers[BARRIERS];
  std::vector<bool> mbarriers;       // by 8 bytes of shared memory: an mbarrier is there
  std::vector<ThreadCopies> copies;  // cp.async by warp; empty: none yet
  bool barriers_used = false;
  std::vector<std::unique_ptr<Frame, FrameDelete>> frames;
  std::unordered_map<const DecodedFunction*, std::vector<Frame*>> free_frames;

  // Frames of called functions.
  Frame* enter(Warp& w, const Op& op, const DecodedFunction& function);
  void leave(Frame* frame);
  // Grows the local memory of every lane to at least `bytes`, which `callee` needs.
  void grow_local(Warp& w, const Op& op, uint64_t bytes, const DecodedFunction& callee);

  // Returns the offset of new local memory of the lane, which ends with the current call (alloca).
  uint64_t allocate_local(Warp& w, const Op& op, int lane, uint64_t size, uint64_t align);
  // Takes bytes of the memory budget until the end of the block; returns false if it is spent.
  bool take(uint64_t bytes);
  void give_back(uint64_t bytes);

  // barriers.cpp
  bool arrive(Warp& w, uint32_t id, uint32_t expected, uint32_t mask, uint32_t predicate);
  void release(uint32_t id);
  void threads_left(const Warp& w, uint32_t count) {
    live_threads -= count;
    if (live_threads == 0 || barriers_used) meet_without_them(w);
  }
  std::string deadlock_text() const;

 private:
  void meet_without_them(const Warp& w);
  uint32_t place_[3] = {};  // in the cluster
  uint64_t taken_ = 0;      // bytes of the memory budget for calls and copies
  void drop_free_frames();
  Frame* new_frame(Warp& w, const Op& op, const DecodedFunction& function);
  [[noreturn]] void refuse(const Warp& w, const Op& op, uint64_t bytes,
                           const DecodedFunction& callee) const;
  bool is_complete(const Barrier& barrier) const;
  void fill_table();
  uint32_t next_warp(uint32_t turn);
  std::vector<uint32_t> order_;  // of the warps, under a random schedule
  std::shared_ptr<BlockChecks> check_owner_;
  std::shared_ptr<BlockCounts> count_owner_;
};

// interpreter.cpp
WarpStatus run_warp(Warp& w);

// builtins.cpp: the call for all active lanes
void call_builtin(Warp& w, const Op& op, const CallSite& site);

}  // namespace cucore::cpu
