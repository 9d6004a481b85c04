// SPDX-License-Identifier: Apache-2.0
// The order of work in a kernel with reductions. Each reduction that waits for another one needs a
// pass over the elements of its own. The last pass stores elements.
#pragma once

#include <vector>

#include "array/plan/kernel.hpp"

namespace cucore::array {

struct Passes {
  uint8_t last = 0;  // the pass that stores
  bool stores_elements = false;
  std::vector<uint8_t> of;    // the pass that computes each node per element
  std::vector<uint8_t> kept;  // the last pass that needs the node
};
Passes passes_of(const Kernel& kernel);

// Whether the store writes an element per index of the inner axes.
bool is_per_element(const Kernel& kernel, const Store& store);

}  // namespace cucore::array
