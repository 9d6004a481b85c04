// SPDX-License-Identifier: Apache-2.0
// A node that copies a box.
#pragma once

#include "core/graph/node_work.hpp"
#include "core/objects/box_copy.hpp"

namespace cucore::core {

class BoxWork final : public NodeWork {
 public:
  // Throws INVALID_ARGUMENT for a copy without bytes. See open_pools() for the rest.
  BoxWork(CopyNode node, BoxCopy copy);
  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;
  CUresult set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                        const NodeWork* before) const override;
  CUresult set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                             CUgraphNode node) const override;
  std::string refusal() const override { return refusal_; }
  bool copies_rows() const override;
  void require_usable() const override { copy_.require_usable(); }
  NodeFacts facts() const override;

 private:
  CUcontext context() const { return copy_.context()->native(); }

  const BoxCopy copy_;
  const std::string refusal_;
};

}  // namespace cucore::core
