// SPDX-License-Identifier: Apache-2.0
// Nodes that have graphs of their own: child graphs, and the bodies of conditional nodes.
#pragma once

#include "core/graph/graph_body.hpp"

namespace cucore::core {

// A copy of another graph. The caller keeps the other graph unchanged while the driver copies it.
class ChildWork final : public NodeWork {
 public:
  explicit ChildWork(const GraphBody& child) : ChildWork(child, child.native()) {}
  // The driver copies `native`, which is a copy of the other graph.
  ChildWork(const GraphBody& child, CUgraph native)
      : NodeWork(NodeKind::CHILD), child_(native), nodes_(child.sketch()) {}
  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;
  CUresult set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                        const NodeWork* before) const override;
  CUresult set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                             CUgraphNode node) const override;
  void forget() const noexcept override { nodes_->forget(); }
  bool may_be_conditional() const override { return nodes_->may_be_conditional(); }
  bool may_print() const override { return nodes_->may_print(); }

  // The nodes as they were when the driver made its copy, without handles.
  const GraphBody& nodes() const { return *nodes_; }

 private:
  const CUgraph child_;
  const Ref<GraphBody> nodes_;
};

// The numbers of cucore_conditional.
enum class ConditionalKind : int32_t { IF, WHILE, SWITCH };

// Throws INVALID_ARGUMENT unless a node of this kind can have so many graphs.
void require_body_count(ConditionalKind kind, size_t bodies);

class ConditionalWork final : public NodeWork {
 public:
  // Throws INVALID_ARGUMENT for a number of bodies that the kind does not have, and UNSUPPORTED on
  // drivers that are too old.
  ConditionalWork(const driver::CudaTable& cu, CUcontext context, uint64_t condition,
                  ConditionalKind kind, size_t bodies);
  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;
  CUresult set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                        const NodeWork* before) const override;
  CUresult set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                             CUgraphNode node) const override;
  bool keeps() const override { return false; }
  NodeFacts facts() const override;

  // The driver's graphs of the node, after add_to().
  std::span<const CUgraph> bodies() const { return bodies_; }

 private:
  const CUcontext context_;
  const uint64_t condition_;
  const ConditionalKind kind_;
  mutable std::vector<CUgraph> bodies_;
};

// Throws UNSUPPORTED on a driver without conditions.
void require_conditions(const driver::CudaTable& cu);

// Returns the graphs of a child or conditional node. Throws INVALID_ARGUMENT for other nodes.
const NodeBodies& inner_graphs(const driver::CudaTable& cu, GraphNode& node,
                               const GraphBody& parent);

}  // namespace cucore::core
