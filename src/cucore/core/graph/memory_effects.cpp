// SPDX-License-Identifier: Apache-2.0
#include "core/graph/memory_effects.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/graph/memory_work.hpp"
#include "support/concat.hpp"

namespace cucore::core {

MemoryEffects memory_effects_of(const GraphBody& graph) {
  MemoryEffects effects;
  std::unordered_map<const GraphMemory*, int> nodes;
  for (const auto& node : graph.nodes())
    if (const MemoryWork* const work = memory_work_of(node->work.get())) {
      ++nodes[work->memory().get()];
      effects.push_back({node->number, work->memory(),
                         node->kind == NodeKind::FREE ? GraphMemory::Effect::FREES
                                                      : GraphMemory::Effect::ALLOCATES});
    }
  std::erase_if(effects,
                [&](const MemoryEffect& effect) { return nodes[effect.memory.get()] > 1; });
  return effects;
}

const MemoryEffect* find_obstacle(const MemoryEffects& effects) noexcept {
  const auto found = std::ranges::find_if(effects, [](const MemoryEffect& effect) {
    const bool is_allocated = effect.memory->is_allocated();
    return (effect.effect == GraphMemory::Effect::ALLOCATES) == is_allocated;
  });
  return found == effects.end() ? nullptr : &*found;
}

std::string describe_obstacle(const MemoryEffect& effect, const std::string& node) {
  if (effect.effect == GraphMemory::Effect::FREES)
    return concat("cannot launch the executable: ", node,
                  " frees memory that is not allocated; launch the graph that allocates it first");
  return concat("cannot launch the executable: ", node,
                " has allocated its memory in an earlier launch; free it in a node, release its "
                "buffer, or use cucore_executable_options.free_on_launch");
}

}  // namespace cucore::core
