// SPDX-License-Identifier: Apache-2.0
// Asynchronous operations of a cluster that report to an mbarrier or belong to a bulk group. Each
// one happens as late as PTX permits: when a thread waits for it. A kernel without the wait
// therefore sees the old data in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "cpu/exec/mbarrier.hpp"

namespace cucore::cpu {

struct LaunchState;
struct TensorTransfer;

// Combines a source with a destination, value by value.
struct Reduction {
  void (*combine)(std::byte* to, const std::byte* from) = nullptr;  // nullptr: a copy
  uint32_t size = 0;                                                // bytes per value
};

// A range of bytes as the issuing thread addresses it.
struct AsyncRange {
  uint64_t address = 0;
  Region region = Region::GLOBAL;
};

struct AsyncOperation {
  // Moves the data; the queue then reports `bytes` to the mbarrier.
  void (*run)(AsyncOperation& operation) = nullptr;
  // Copies the source to `data`, so that the program may change it. nullptr: nothing to read.
  void (*read)(AsyncOperation& operation) = nullptr;

  Warp* warp = nullptr;  // the issuing thread and instruction, for faults
  const Op* op = nullptr;
  const DecodedFunction* function = nullptr;
  int lane = 0;

  AsyncRange to, from;
  uint32_t size = 0;
  Mbarrier barrier;
  uint32_t bytes = 0;           // reported to the mbarrier
  bool arrives = false;         // an arrival at the mbarrier
  bool is_checked = false;      // the checks have noted its begin
  uint64_t before = 0;          // the copies of the warp that an arrival waits for
  uint32_t group = 0;           // bulk group of the thread
  uint32_t byte_mask = 0xffff;  // bytes to write of each 16
  Reduction reduction;
  std::vector<std::byte> data;
  std::shared_ptr<TensorTransfer> tensor;

  const std::byte* source();
  std::byte* destination();
};

// Counts the time of a copy against the slice of the warp and the limit of instructions.
void charge_copy(Warp& w, uint64_t bytes);
// Adds the copy once for each block of the ranks, with its destination and mbarrier at the same
// place of each block.
void multicast(const AsyncOperation& prototype, const AsyncRange& barrier, uint32_t ranks);

// Makes the operation's instruction the current one of its warp, so that faults name it.
class Issuer {
 public:
  explicit Issuer(const AsyncOperation& operation);
  Issuer(Warp& warp, const DecodedFunction& function);
  ~Issuer() {
    warp_.frame = frame_;
    warp_.sites = sites_;
  }
  Issuer(const Issuer&) = delete;
  Issuer& operator=(const Issuer&) = delete;

 private:
  Warp& warp_;
  Frame* frame_;
  Site* sites_;
  Frame issuing_;
};

class AsyncQueue {
 public:
  explicit AsyncQueue(LaunchState& launch) : launch_(launch) {}
  ~AsyncQueue() { clear(); }
  AsyncQueue(const AsyncQueue&) = delete;
  AsyncQueue& operator=(const AsyncQueue&) = delete;

  // Adds an operation for its mbarrier or, without one, for its thread's bulk group. If the memory
  // budget is spent, all operations happen at once.
  void add(AsyncOperation&& operation);
  // Runs the operations that report to the mbarrier.
  void complete(const Mbarrier& barrier);
  // Bulk groups of a thread: ends the current one; waits until at most `pending` groups are not
  // complete, or have not read their source.
  void commit(const Warp& w, int lane);
  void wait(const Warp& w, int lane, uint32_t pending, bool read_only);
  // Runs everything.
  void flush();
  // A block ends. Its stores happen; operations of others that end in its memory are faults.
  void block_exits(const Block& block) {
    if (count_ != 0) leave_block(block);
  }
  void clear();

 private:
  using Operations = std::vector<AsyncOperation>;
  struct Thread {
    uint32_t committed = 0;  // groups
    Operations operations;
  };

  void leave_block(const Block& block);
  void run(AsyncOperation& operation);
  void read(AsyncOperation& operation);
  bool admit();
  void run_all(Operations operations);
  void leave(Operations& operations, const Block& block);

  LaunchState& launch_;
  std::unordered_map<uint64_t, Operations> by_barrier_;
  std::unordered_map<uint64_t, Thread> by_thread_;
  uint32_t count_ = 0;
  uint64_t taken_ = 0;  // bytes of the memory budget
};

}  // namespace cucore::cpu
