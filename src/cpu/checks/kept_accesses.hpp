// SPDX-License-Identifier: Apache-2.0
// Accesses to shared memory since the last barrier of all warps of a block. They are reads, as long
// as no thread writes, or atomics, as long as no thread loads or stores. The object keeps them, and
// the cells do not change. Usually the next barrier drops them. Otherwise they are recorded in the
// cells in their order, which has the same result as if at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cpu/checks/check_table.hpp"
#include "cpu/checks/lane_checks.hpp"

namespace cucore::cpu {

struct BlockChecks;
struct ReadGroup;

class KeptAccesses {
 public:
  explicit KeptAccesses(BlockChecks& checks) : checks_(checks) {}
  void begin_block();

  // Checks a weak load or an atomic, and keeps it. Returns false if it is not a simple case, or
  // could be wrong; then it needs the full check.
  bool keep(Warp& w, const Op& op, const CheckedOp& checked);
  // Does the same for the loads of all groups, or for none.
  bool keep(Warp& w, std::span<const ReadGroup> groups);
  // Records what is kept: before other accesses to shared memory, and before an order of warps
  // that is not a barrier of all.
  void record() {
    if (count_ != 0) record_all();
  }
  // Notes an access, which excludes others from being kept.
  void note(Hook hook) {
    has_writes_ |= hook != Hook::LOAD;
    has_others_ |= hook != Hook::ATOMIC;
  }
  // Every warp has reached a barrier: later accesses happen after all that are kept.
  void pass_barrier();

 private:
  static constexpr size_t MOST = 1024;
  struct Kept {
    Warp* warp;
    const ReadGroup* group;  // nullptr: one instruction
    const Op* op;
    const CheckedOp* checked;
    uint32_t mask;
    uint32_t mine;  // as Rule::mine
    bool is_traced;
    uint32_t addresses[LANES];  // of the lowest instruction
  };
  // The last bytes of a group that were initialised. They remain so until the end of the block.
  struct Verified {
    const ReadGroup* group = nullptr;
    uint32_t low = 0, high = 0;
  };
  static constexpr size_t VERIFIED = 16;
  bool may_keep(const Warp& w, Hook hook, size_t more);
  bool keep_one(Warp& w, const ReadGroup* group, const Op& op, const CheckedOp& checked);
  bool is_initialised(const NarrowRange& range, uint32_t distance, uint32_t bytes) const;
  bool are_initialised(const NarrowRange& range, const ReadGroup& group) const;
  bool is_verified(const NarrowRange& range, const ReadGroup& group);
  void record_all();
  void record_one(const Kept& kept, const Op& op, const CheckedOp& checked, uint32_t distance);

  BlockChecks& checks_;
  bool is_on_ = false;        // for the block
  bool has_writes_ = false;   // since the barrier, atomics among them
  bool has_others_ = false;   // since the barrier: loads or stores
  bool is_complete_ = false;  // all declared bytes are initialised, or need not be
  Rule rule_;                 // of the first access; the others differ in `mine`
  std::vector<Kept> kept_;
  size_t count_ = 0;
  Verified verified_[VERIFIED];
};

}  // namespace cucore::cpu
