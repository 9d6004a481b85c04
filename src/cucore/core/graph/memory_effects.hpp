// SPDX-License-Identifier: Apache-2.0
// The memory that launches of an executable leave allocated, or free for other graphs.
#pragma once

#include <vector>

#include "core/graph/graph_body.hpp"
#include "core/objects/graph_memory.hpp"

namespace cucore::core {

struct MemoryEffect {
  NodeNumber node;
  Ref<GraphMemory> memory;
  GraphMemory::Effect effect;
};
using MemoryEffects = std::vector<MemoryEffect>;

// Memory that the graph allocates and frees has none.
MemoryEffects memory_effects_of(const GraphBody& graph);

// Returns the effect for which the driver refuses a launch now, or null.
const MemoryEffect* find_obstacle(const MemoryEffects& effects) noexcept;
// Describes it; `node` is the text of the node.
std::string describe_obstacle(const MemoryEffect& effect, const std::string& node);

// One launch, which ends with the scope. Needs an access to the context.
class MemoryLaunch {
 public:
  MemoryLaunch(const MemoryEffects& effects, const Stream& stream) noexcept
      : effects_(effects), stream_(stream) {
    for (const MemoryEffect& effect : effects_) effect.memory->begin_launch();
  }
  ~MemoryLaunch() {
    for (const MemoryEffect& effect : effects_)
      effect.memory->end_launch(effect.effect, stream_, is_done_);
  }
  MemoryLaunch(const MemoryLaunch&) = delete;
  MemoryLaunch& operator=(const MemoryLaunch&) = delete;

  void note(CUresult result) noexcept { is_done_ = result == CUDA_SUCCESS; }

 private:
  const MemoryEffects& effects_;
  const Stream& stream_;
  bool is_done_ = false;
};

}  // namespace cucore::core
