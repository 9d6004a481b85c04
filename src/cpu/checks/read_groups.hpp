// SPDX-License-Identifier: Apache-2.0
// Loads that one check covers: they have the same address register, and lie at constant distances.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/checks/check_table.hpp"

namespace cucore::cpu {

// Loads of shared memory.
struct ReadGroup {
  struct Member {
    const Op* op;
    const CheckedOp* checked;
    uint32_t distance;  // from the lowest member
  };
  std::vector<Member> members;  // the first is the lowest

  uint32_t bytes = 0;  // from the first byte that a lane reads to the last
};

// Loads of global memory whose addresses differ by the size of an element, or one load.
struct RowGroup {
  struct Member {
    const Op* op;
    const CheckedOp* checked;
    uint32_t number;  // in the order of the program
  };
  std::vector<Member> members;            // the first is the lowest
  uint16_t site;                          // of the last one in the program
  std::vector<uint16_t> low, high, each;  // see RowSites
};

// A run of instructions of a batch, up to `end`, of which only the loads in `groups`, or those in
// `rows`, are checked.
struct ReadRun {
  uint32_t end;
  std::vector<ReadGroup> groups;
  std::vector<RowGroup> rows;
};

// Returns the run that begins with the first of these instructions. It ends before a load whose
// address an instruction of the run computes. Runs of global loads have at least one group of
// several.
ReadRun read_run(const DecodedFunction& function, const CheckTable& table, uint32_t begin,
                 uint32_t end);

}  // namespace cucore::cpu
