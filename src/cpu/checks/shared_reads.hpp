// SPDX-License-Identifier: Apache-2.0
// Reads of shared memory since the last barrier of all warps of a block. As long as no thread
// writes, they are kept, and the cells do not change. Usually the next barrier drops them;
// otherwise they are recorded in the cells in their order, which has the same result as if at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cpu/checks/lane_checks.hpp"

namespace cucore::cpu {

struct BlockChecks;
struct CheckedOp;
struct ReadGroup;

class SharedReads {
 public:
  explicit SharedReads(BlockChecks& checks) : checks_(checks) {}
  void begin_block();

  // Checks a read and keeps it. Returns false if it is not a simple case, or could be
  // wrong; then it needs the full check.
  bool keep(Warp& w, const Op& op, const CheckedOp& checked);
  // Does the same for all of the groups, or for none.
  bool keep(Warp& w, std::span<const ReadGroup> groups);
  // Records the kept reads: before other accesses to shared memory, and before an order of warps
  // that is not a barrier of all.
  void record() {
    if (count_ != 0) record_all();
  }
  void note_write() { has_writes_ = true; }
  // Every warp has reached a barrier: later accesses happen after all reads.
  void pass_barrier();

 private:
  static constexpr size_t MOST = 1024;
  struct Read {
    Warp* warp;
    const ReadGroup* group;  // nullptr: one instruction
    const Op* op;
    const CheckedOp* checked;
    uint32_t mask;
    uint32_t mine;  // as Rule::mine
    bool is_traced;
    uint32_t addresses[LANES];  // of the lowest instruction
  };
  bool may_keep(const Warp& w, size_t more);
  bool keep_one(Warp& w, const ReadGroup* group, const Op& op, const CheckedOp& checked);
  bool is_initialised(const NarrowRange& range, uint32_t distance, uint32_t bytes) const;
  bool is_initialised(const NarrowRange& range, const ReadGroup& group) const;
  void record_all();
  void record_one(const Read& read, const Op& op, const CheckedOp& checked, uint32_t distance);

  BlockChecks& checks_;
  bool is_on_ = false;        // for the block
  bool has_writes_ = false;   // since the barrier
  bool is_complete_ = false;  // all declared bytes are initialised, or need not be
  Rule rule_;                 // of the first read; the others differ in `mine`
  std::vector<Read> reads_;
  size_t count_ = 0;
};

}  // namespace cucore::cpu
