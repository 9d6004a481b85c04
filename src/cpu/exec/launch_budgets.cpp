// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/launch_budgets.hpp"

#include <mutex>

namespace cucore::cpu {
namespace {

struct StoredBudgets {
  std::mutex mutex;
  LaunchBudgets budgets;
};
StoredBudgets& stored_budgets() {
  static StoredBudgets* const stored = new StoredBudgets;  // never destroyed
  return *stored;
}

}  // namespace

LaunchBudgets launch_budgets() {
  StoredBudgets& stored = stored_budgets();
  std::lock_guard lock(stored.mutex);
  return stored.budgets;
}

void set_launch_budgets(const LaunchBudgets& budgets) {
  StoredBudgets& stored = stored_budgets();
  std::lock_guard lock(stored.mutex);
  stored.budgets = budgets;
}

}  // namespace cucore::cpu
