// SPDX-License-Identifier: Apache-2.0
// The bounds of one launch: time as warp instructions, memory of its running blocks, and output.
#pragma once

#include <cstdint>

namespace cucore::cpu {

struct LaunchBudget {
  uint64_t amount = 0;  // 0: no bound, or the default for memory
  const char* setting;  // what sets it, for texts
};

struct LaunchBudgets {
  LaunchBudget instructions{0, "CUCORE_CPU_TIMEOUT"};
  LaunchBudget memory{0, "CUCORE_CPU_LAUNCH_MEMORY"};
  LaunchBudget output{0, "CUCORE_CPU_LAUNCH_OUTPUT"};
};

// Each launch reads them once, at its begin.
LaunchBudgets launch_budgets();
void set_launch_budgets(const LaunchBudgets& budgets);

}  // namespace cucore::cpu
