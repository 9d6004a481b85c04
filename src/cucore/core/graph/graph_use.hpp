// SPDX-License-Identifier: Apache-2.0
// One operation on a graph: its lock, and its context.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/objects/context_scope.hpp"

namespace cucore::core {

class GraphUse {
 public:
  // Throws INVALID_STATE if the graph was lost in a reset.
  GraphUse(const GraphRoot& root, GraphBody& body)
      : lock_(root.mutex()), scope_(*root.context(), "graph"), cu_(driver::cuda()) {
    if (body.is_shared()) body.read(cu_, dropped_);
  }

  const driver::CudaTable& cu() const { return cu_; }
  // Drops the work after the lock, because that may run functions of the program.
  void drop(Ref<const NodeWork> work) noexcept { last_ = std::move(work); }

 private:
  std::vector<Ref<const NodeWork>> dropped_;
  Ref<const NodeWork> last_;
  const std::lock_guard<std::mutex> lock_;
  const ContextScope scope_;
  const driver::CudaTable& cu_;
};

}  // namespace cucore::core
