// SPDX-License-Identifier: Apache-2.0
// The counted form of a function: the kind of each instruction, and which accesses are counted.
// Built at the first counted launch.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/compile/plan.hpp"
#include "cpu/counts/instruction_kinds.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu {

struct CountTable {
  static constexpr uint32_t NOT_COUNTED = ~uint32_t{0};

  std::vector<InstructionKind> kinds;  // by instruction, as are the following
  // The instruction whose traffic this one has, usually itself. An access to shared memory can have
  // an earlier one of its batch as the leader. Their address registers are the same, so their lanes
  // have the same distances.
  std::vector<uint32_t> leaders;
  Plan plan;  // with steps that count the accesses of leaders

  bool is_counted(size_t index) const { return leaders[index] != NOT_COUNTED; }
  bool is_leader(size_t index) const { return leaders[index] == index; }
};

// Builds the table at the first call. Safe for several threads.
const CountTable& count_table(const DecodedFunction& function);

}  // namespace cucore::cpu
