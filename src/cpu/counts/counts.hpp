// SPDX-License-Identifier: Apache-2.0
// The counts of a launch while it runs, and the hooks that the executor calls. Each worker counts
// for itself; the end of its part adds its counts to those of the launch.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "cpu/checks/check_table.hpp"
#include "cpu/counts/access_rules.hpp"
#include "cpu/counts/cache_model.hpp"
#include "cpu/counts/count_table.hpp"
#include "cpu/counts/footprint.hpp"
#include "cpu/driver/kernel_trace.hpp"
#include "cpu/exec/block.hpp"

namespace cucore::cpu {

struct CheckTable;
struct LaneChecks;

struct RowTraffic {
  cucore_cpu_traffic global, local, shared;
  cucore_cpu_traffic loop_loads;  // of shared memory, by the loop of an atomic operation
};

// The counts of the instructions of a function.
struct FunctionCounts {
  explicit FunctionCounts(const DecodedFunction& function);
  void merge(const FunctionCounts& other);

  // Adds one execution of `count` instructions from `first` on. The cells contain the differences
  // to the instruction before, so that a batch costs no more than one instruction.
  void add(size_t first, size_t count, uint32_t lanes) {
    cells[first].warps += 1;
    cells[first].threads += lanes;
    cells[first + count].warps -= 1;
    cells[first + count].threads -= lanes;
  }
  // Takes lanes back that will execute the instruction again, or with `warp` the whole execution.
  void take_back(size_t index, uint32_t lanes, bool warp) {
    cells[index].warps -= warp;
    cells[index].threads -= lanes;
    cells[index + 1].warps += warp;
    cells[index + 1].threads += lanes;
  }

  struct Cell {
    uint64_t warps = 0, threads = 0;
  };
  struct Rare {
    uint64_t guarded_off = 0;  // threads
    uint64_t divergent = 0;
    uint64_t imbalance = 0;
  };
  const DecodedFunction& function;
  const CountTable& table;
  const CheckTable& accesses;
  std::vector<Cell> cells;
  std::vector<Rare> rare;
  std::vector<RowTraffic> traffic;
};

using FunctionTable = std::unordered_map<const DecodedFunction*, std::unique_ptr<FunctionCounts>>;

struct LaunchCounts {
  bool footprint = false;  // different sectors are noted; always with a cache
  bool ghost = false;      // global memory has no bytes: loads read zero, stores do nothing
  bool each = false;  // every access is counted by itself: under a random schedule, and as a ghost
  const LaneChecks* lanes = nullptr;
  std::vector<uint64_t> sample;  // the clusters that run; empty: all
  std::atomic<uint64_t> blocks_run{0};

  std::mutex mutex;
  FunctionTable functions;
  Footprint sectors;
  std::unique_ptr<CacheModel> cache;  // nullptr: none is modelled
};

// Of one worker.
struct WorkerCounts {
  explicit WorkerCounts(LaunchCounts& launch) : launch(launch) {}
  // Makes the function the one that runs.
  FunctionCounts& follow(const DecodedFunction& function);
  void add_to_launch();

  LaunchCounts& launch;
  FunctionCounts* current = nullptr;
  FunctionTable functions;
  Footprint sectors;
};

// The instructions of warps between barriers.
struct BlockCounts {
  void begin();
  void add(const Warp& w, uint64_t instructions) { executed[w.index] += instructions; }
  void arrive(const Warp& w, uint32_t barrier, uint64_t& imbalance);
  void release(uint32_t barrier);

  uint64_t executed[MAX_WARPS] = {};  // since the last barrier
  struct Arrival {
    uint64_t executed = 0;
    uint64_t* imbalance = nullptr;  // of the row of the barrier; nullptr: the warp has not arrived
  };
  Arrival arrivals[BARRIERS][MAX_WARPS] = {};
  bool has_arrivals = false;
};

// Add one access to the traffic of a row.
void add_global_traffic(WorkerCounts& counts, const WarpAccess& access, Hook hook,
                        cucore_cpu_traffic& traffic);
// The same for bytes that follow each other, which one thread transfers.
void add_global_range(WorkerCounts& counts, uint64_t address, uint64_t size, Hook hook,
                      cucore_cpu_traffic& traffic);
void add_shared_traffic(const WarpAccess& access, SharedAccess kind, cucore_cpu_traffic& traffic);
// The same for an atomic operation that is a loop. Its loads have no requests and bytes, because
// those are counts of PTX.
void add_shared_loop(const WarpAccess& access, cucore_cpu_traffic& traffic,
                     cucore_cpu_traffic& loads);

// Handlers that count the access of the running warp, without and with the access.
void count_access(Warp& w, const Op& op);
void run_as_ghost(Warp& w, const Op& op);

}  // namespace cucore::cpu
