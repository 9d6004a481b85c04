// SPDX-License-Identifier: Apache-2.0
// Compiles a run of instructions to one function for all lanes of a warp.
#pragma once

#include <span>
#include <unordered_set>

#include "cpu/compile/lane_ops.hpp"

namespace cucore::cpu {

struct SegmentOp {
  LaneOp lane;
  const Op* op = nullptr;
};

// Appends a function with the signature of a Handler. The registers in `local` have no reader
// outside of the segment, and their values are not stored.
void compile_segment(Assembler& code, std::span<const SegmentOp> ops,
                     const std::unordered_set<Slot>& local);

}  // namespace cucore::cpu
