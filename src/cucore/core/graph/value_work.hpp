// SPDX-License-Identifier: Apache-2.0
// A node that writes a word, or waits for one.
#pragma once

#include <cucore.h>

#include "core/graph/node_work.hpp"

namespace cucore::core {

class ValueWork final : public NodeWork {
 public:
  // A comparison of 0 writes. Throws INVALID_ARGUMENT for a word that the buffer does not have.
  ValueWork(Ref<const Buffer> buffer, size_t offset, uint64_t value, size_t size,
            int32_t comparison);
  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;
  // No function sets such a node.
  CUresult set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                        const NodeWork* before) const override;
  CUresult set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                             CUgraphNode node) const override;
  void require_usable() const override { buffer_->require_usable(); }
  NodeFacts facts() const override;

 private:
  CUstreamBatchMemOpParams native() const;

  const Ref<const Buffer> buffer_;
  const size_t offset_;
  const uint64_t value_;
  const size_t size_;
  const int32_t comparison_;
};

}  // namespace cucore::core
