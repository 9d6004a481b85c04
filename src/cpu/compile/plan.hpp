// SPDX-License-Identifier: Apache-2.0
// How a warp executes the batches of a function: its steps are handlers of single instructions, and
// machine code for several. A launch with checks has another plan: an instruction that is checked
// is a step without a handler. So is a run of instructions with loads that one check covers. On
// processors without AVX-512, and where executable memory is refused, all steps are handlers.
#pragma once

#include <deque>
#include <vector>

#include "cpu/checks/read_groups.hpp"
#include "cpu/compile/code_memory.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu {

struct Step {
  Handler run = nullptr;   // nullptr: the instruction is checked
  const Op* op = nullptr;  // the first of several
  const struct CoveredRun* covered = nullptr;
};

struct StepRange {
  size_t first = 0, count = 0;
};

// Instructions with loads of shared memory, or of global memory. There are steps for the case that
// the check of all loads succeeds, and steps that check each.
struct CoveredRun {
  std::vector<ReadGroup> reads;
  std::vector<RowGroup> rows;
  StepRange together, each;  // of Plan::covered_steps
};

// The steps that replace a segment whose loads it cannot execute.
struct Alternative {
  const Step* steps = nullptr;
  size_t count = 0;
};

struct Plan {
  struct Batch {
    uint32_t first = 0;  // index of the first step
    uint32_t count = 0;  // 0: no batch begins here
  };
  std::vector<Batch> batches;  // by instruction
  std::vector<Step> steps;
  std::vector<Step> other_steps;  // of the alternatives
  std::vector<Alternative> alternatives;
  std::deque<CoveredRun> covered;
  std::vector<Step> covered_steps;
  CodeMemory code;
};

struct CountTable;

const Plan& build_plan(const DecodedFunction& function);
const Plan& build_checked_plan(const DecodedFunction& function, const CheckTable& table);
// Builds the plan of counted launches into the table, which is complete otherwise.
void build_counting_plan(const DecodedFunction& function, CountTable& table);

// Returns the plan of the function, which the first caller builds.
inline const Plan& plan_of(const DecodedFunction& function) {
  const Plan* plan = function.plan.load(std::memory_order_acquire);
  return plan ? *plan : build_plan(function);
}
inline const Plan& checked_plan_of(const DecodedFunction& function, const CheckTable& table) {
  const Plan* plan = function.checked_plan.load(std::memory_order_acquire);
  return plan ? *plan : build_checked_plan(function, table);
}

}  // namespace cucore::cpu
