// SPDX-License-Identifier: Apache-2.0
// Selects the instructions of segments from the batches of a function.
#pragma once

#include <unordered_set>
#include <vector>

#include "cpu/compile/segment.hpp"

namespace cucore::cpu {

class Selector {
 public:
  explicit Selector(const DecodedFunction& function);

  struct Segment {
    std::vector<SegmentOp> ops;
    std::vector<uint32_t> indexes;  // of the instructions
    bool has_loads = false;
  };

  // Returns the segment that begins with the first of these instructions of a batch. It is empty if
  // a segment cannot have that one. It also has later instructions that depend on none between. The
  // order is not visible, because a fault of an instruction between ends the kernel.
  Segment select(const std::vector<uint32_t>& instructions, bool loads) const;
  // Returns the registers whose values nothing but these instructions uses.
  std::unordered_set<Slot> local_registers(const std::vector<uint32_t>& instructions) const;

 private:
  class Choice;

  const DecodedFunction& function_;
  const ptx::Function& source_;
  std::vector<uint32_t> mentions_;  // by register; more than any count: outside of instructions too
};

}  // namespace cucore::cpu
