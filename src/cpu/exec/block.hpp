// A thread block as a resumable object: warps, barriers and memory, run in slices by a worker.
#ifndef CUCPU_EXEC_BLOCK_HPP
#define CUCPU_EXEC_BLOCK_HPP

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cpu/exec/executor.hpp"
#include "cpu/exec/memory_budget.hpp"
#include "cpu/exec/program.hpp"
#include "cpu/exec/special.hpp"
#include "cpu/exec/warp.hpp"

namespace cucore::cpu {

inline constexpr u32 MAX_WARPS = 32;
inline constexpr u64 MAX_LOCAL = 512 << 10;  // bytes of local memory per thread, as on a GPU
inline constexpr u32 BARRIERS = 17;          // 16 of PTX and the cluster's

// What all blocks of a launch share.
struct LaunchState {
  const Launch* launch = nullptr;
  const DecodedKernel* kernel = nullptr;
  const DecodedModule* module = nullptr;
  AlignedBytes params;
  AlignedBytes threads;  // tables of %tid, one for each warp
  u32 warp_count = 0;
  u64 block_count = 0;
  u64 shared_bytes = 0;     // with what is reserved
  u64 reserved_shared = 0;  // where that begins
  u64 workspace = 0;        // of grid synchronisation
  u64 grid_id = 0;
  u64 budget = 0;
  u64 block_bytes = 0;    // that every block takes from the memory budget
  bool reserved = false;  // the memory of all blocks is taken already
  // Written by all workers, so not in the cache lines of what they only read.
  alignas(64) std::atomic<u64> next_block{0};
  alignas(64) std::atomic<u64> warp_instructions{0};
  std::atomic<u64> thread_instructions{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::optional<Fault> fault;
  alignas(64) MemoryBudget memory;

  void fail(CUresult code, std::string text);
};

struct Barrier {
  u32 expected = 0;  // threads; 0: all that live
  u32 count = 0;     // arrivals, warps counting fully
  u32 lanes = 0;     // lanes that arrived
  u32 popc = 0;
  u32 hits = 0;  // lanes whose predicate was true, for and and or
  bool used = false;
  u32 arrived[MAX_WARPS] = {};
};

// What one thread of the pool keeps while it works on a launch.
struct Worker {
  LaunchState* launch = nullptr;
  std::vector<Site> sites;
  u64 warp_instructions = 0;
  u64 thread_instructions = 0;
  u32 index = 0;
};

struct FrameDelete {
  void operator()(Frame* frame) const;
};

// Host memory of a block before it calls a function.
u64 bytes_of_block(const LaunchState& launch);

enum class BlockStatus : u8 { Done, Expired };
enum class WarpStatus : u8 { Done, Blocked, Expired };

struct Block {
  // The caller has taken the bytes of the block from the memory budget.
  Block(LaunchState& launch, Worker& worker);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Makes this the block with the number; storage of an earlier one is reused.
  void begin(u64 number);
  // Throws KernelFault.
  BlockStatus run(s64 quantum);

  LaunchState& launch;
  Worker& worker;
  const DecodedFunction& entry;
  u32 ctaid[3] = {};
  u32 live_threads = 0;
  bool resumed = false;  // it has had a slice
  AlignedBytes shared;
  AlignedBytes table;
  AlignedBytes registers;  // of the kernel's frame, warp after warp
  std::unique_ptr<Warp[]> warps;
  std::vector<Frame> entry_frames;
  std::vector<AlignedBytes> locals;
  std::vector<AlignedBytes> entry_params;
  Barrier barriers[BARRIERS];
  bool barriers_used = false;
  std::vector<std::unique_ptr<Frame, FrameDelete>> frames;
  std::unordered_map<const DecodedFunction*, std::vector<Frame*>> free_frames;

  // Frames of called functions.
  Frame* enter(Warp& w, const Op& op, const DecodedFunction& function);
  void leave(Frame* frame);
  // Makes the local memory of every lane at least `bytes`; `callee` needs it.
  void grow_local(Warp& w, const Op& op, u64 bytes, const DecodedFunction& callee);

  // barriers.cpp
  bool arrive(Warp& w, u32 id, u32 expected, u32 mask, u32 predicate);
  void release(u32 id);
  void threads_left(u32 count);
  std::string deadlock_text() const;

 private:
  u64 taken = 0;  // from the memory budget, for calls
  bool take(u64 bytes);
  void drop_free_frames();
  Frame* new_frame(Warp& w, const Op& op, const DecodedFunction& function);
  [[noreturn]] void refuse(const Warp& w, const Op& op, u64 bytes,
                           const DecodedFunction& callee) const;
  bool is_complete(const Barrier& barrier) const;
  void fill_table();
};

// interpreter.cpp
WarpStatus run_warp(Warp& w);

// builtins.cpp: the call for all active lanes
void call_builtin(Warp& w, const Op& op, const CallSite& site);

}  // namespace cucore::cpu

#endif
