// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/passes.hpp"

#include <algorithm>

namespace cucore::array {

bool is_per_element(const Kernel& kernel, const Store& store) {
  return !is_constant_from(store.access, kernel.outer.size());
}

// A node is computed when it is first needed. A load that only the last pass needs waits for it.
Passes passes_of(const Kernel& kernel) {
  Passes passes;
  const size_t count = kernel.nodes.size();
  for (const Node& node : kernel.nodes) passes.last = std::max(passes.last, node.phase);
  constexpr uint8_t NEVER = 255;
  passes.of.assign(count, NEVER);
  passes.kept.assign(count, 0);
  const auto need = [&](uint16_t node, uint8_t pass) {
    passes.of[node] = std::min(passes.of[node], pass);
    passes.kept[node] = std::max(passes.kept[node], pass);
  };
  // Other families than ROWS visit their elements once, before the reduction.
  const uint8_t storing = kernel.family == KernelFamily::ROWS ? passes.last : uint8_t{0};
  for (const Store& store : kernel.stores) {
    if (!is_per_element(kernel, store)) continue;
    passes.stores_elements = true;
    need(store.node, storing);
  }
  for (size_t at = count; at-- > 0;) {
    const Node& node = kernel.nodes[at];
    if (node.kind == NodeKind::SCANNED || node.kind == NodeKind::SORTED) {
      for (const uint16_t argument : node.arguments) need(argument, 0);
    } else if (node.kind == NodeKind::REDUCED) {
      for (const uint16_t argument : node.arguments)
        need(argument, static_cast<uint8_t>(node.phase - 1));
    } else if (node.per_element && passes.of[at] != NEVER) {
      for (const uint16_t argument : node.arguments) need(argument, passes.of[at]);
    }
  }
  return passes;
}

}  // namespace cucore::array
