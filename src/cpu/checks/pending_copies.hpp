// SPDX-License-Identifier: Apache-2.0
// The bytes of a block's shared memory that cp.async has been issued for and that are not yet
// complete. Each access to them is a race with the copy, also by the thread that has issued it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/checks/check_table.hpp"

namespace cucore::cpu {

class PendingCopies {
 public:
  bool any() const { return count_ != 0; }
  void clear();

  // A copy of one lane begins or ends; `offset` and `size` are multiples of 4.
  void begin(const Warp& w, const Op& op, int lane, uint64_t offset, uint32_t size);
  void end(uint64_t offset, uint32_t size);

  // Reports accesses of the warp to bytes of copies.
  void check(Warp& w, const Op& op, const CheckedOp& checked) const;
  void check_lane(Warp& w, const Op& op, const CheckedOp& checked, int lane, uint64_t offset,
                  uint64_t size) const;

 private:
  struct Issue {
    const Op* op;
    const DecodedFunction* function;
    uint32_t warp;
  };
  std::vector<Issue> issues_;
  std::vector<uint32_t> owners_;  // by word: 0, or 1 + (number of the issue << 5 | lane)
  size_t count_ = 0;              // words with an owner
};

}  // namespace cucore::cpu
