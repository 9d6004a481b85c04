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

// A segment with loads has up to this many address registers, and does not change them.
inline constexpr size_t MAX_ADDRESSES = 2;

// The places in the code of the pointers with which a segment continues elsewhere.
struct Detour {
  bool used = false;
  size_t argument = 0, function = 0;
};

// Appends a function with the signature of a Handler. The registers in `local` have no reader
// outside of the segment, and their values are not stored. A segment with loads requires all lanes
// and addresses in one window of 64 bytes per half of the warp. Otherwise it takes the detour, and
// has changed nothing.
Detour compile_segment(Assembler& code, std::span<const SegmentOp> ops,
                       const std::unordered_set<Slot>& local);

}  // namespace cucore::cpu
