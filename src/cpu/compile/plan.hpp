// SPDX-License-Identifier: Apache-2.0
// How a warp executes the batches of a function in launches without checks: its steps are handlers
// of single instructions, and machine code for several. On processors without AVX-512, and where
// executable memory is refused, all steps are handlers.
#pragma once

#include <vector>

#include "cpu/compile/code_memory.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu {

struct Step {
  Handler run = nullptr;
  const Op* op = nullptr;  // the first of several
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
  CodeMemory code;
};

const Plan& build_plan(const DecodedFunction& function);

// Returns the plan of the function, which the first caller builds.
inline const Plan& plan_of(const DecodedFunction& function) {
  const Plan* plan = function.plan.load(std::memory_order_acquire);
  return plan ? *plan : build_plan(function);
}

}  // namespace cucore::cpu
