// SPDX-License-Identifier: Apache-2.0
// A node that signals a semaphore of another library, or waits for it.
#pragma once

#include "core/graph/node_work.hpp"
#include "core/objects/external.hpp"

namespace cucore::core {

class SemaphoreWork final : public NodeWork {
 public:
  // `kind` is SEMAPHORE_SIGNAL or SEMAPHORE_WAIT.
  SemaphoreWork(NodeKind kind, Ref<const External> semaphore, uint64_t value);
  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;
  CUresult set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                        const NodeWork* before) const override;
  CUresult set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                             CUgraphNode node) const override;
  void require_usable() const override { semaphore_->require_usable(); }
  NodeFacts facts() const override;

 private:
  bool is_signal() const { return kind() == NodeKind::SEMAPHORE_SIGNAL; }
  // Calls one of two functions of the driver with the parameters of the node.
  template <class Signal, class Wait>
  CUresult call(const Signal& signal, const Wait& wait) const;

  const Ref<const External> semaphore_;
  const uint64_t value_;
};

}  // namespace cucore::core
