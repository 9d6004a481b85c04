// SPDX-License-Identifier: Apache-2.0
#include "core/graph/inner_graphs.hpp"

#include <algorithm>

#include "core/graph/graph_text.hpp"
#include "support/concat.hpp"

namespace cucore::core {

using driver::check;

CUgraphNode ChildWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                              std::span<const CUgraphNode> after) const {
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddChildGraphNode(&node, graph, after.data(), after.size(), child_),
        "add a child graph");
  return node;
}

CUresult ChildWork::set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                                 const NodeWork*) const {
  CUgraphNodeParams child{};
  child.type = CU_GRAPH_NODE_TYPE_GRAPH;
  child.graph.graph = child_;
  return cu.cuGraphNodeSetParams(node, &child);
}

CUresult ChildWork::set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                                      CUgraphNode node) const {
  return cu.cuGraphExecChildGraphNodeSetParams(executable, node, child_);
}

void require_conditions(const driver::CudaTable& cu) {
  if (cu.cuGraphConditionalHandleCreate && cu.cuGraphAddNode) return;
  const char* const missing =
      cu.cuGraphConditionalHandleCreate ? "cuGraphAddNode" : "cuGraphConditionalHandleCreate";
  throw Error(Status::UNSUPPORTED,
              concat("conditional nodes need a driver of CUDA 12.3; this one serves ",
                     driver::version_text(cu.version), " (", missing, " is missing)"));
}

namespace {

// A count that is wrong must not become an allocation of gigabytes, here or in the driver.
constexpr size_t MOST_BODIES = 65536;

}  // namespace

void require_body_count(ConditionalKind kind, size_t bodies) {
  const auto refuse = [&](const char* expected) {
    throw Error(Status::INVALID_ARGUMENT,
                concat("body_count is ", bodies, "; expected ", expected));
  };
  if (kind == ConditionalKind::IF && (bodies == 0 || bodies > 2))
    refuse("1 for IF, or 2 with an else");
  if (kind == ConditionalKind::WHILE && bodies != 1) refuse("1 for WHILE");
  if (kind == ConditionalKind::SWITCH && (bodies == 0 || bodies > MOST_BODIES))
    refuse("1 to 65536 for SWITCH");
}

namespace {

constexpr int FIRST_WITH_ELSE = 12080;

CUgraphConditionalNodeType native_of(ConditionalKind kind) {
  switch (kind) {
    case ConditionalKind::WHILE:
      return CU_GRAPH_COND_TYPE_WHILE;
    case ConditionalKind::SWITCH:
      return CU_GRAPH_COND_TYPE_SWITCH;
    case ConditionalKind::IF:
      break;
  }
  return CU_GRAPH_COND_TYPE_IF;
}

}  // namespace

ConditionalWork::ConditionalWork(const driver::CudaTable& cu, CUcontext context, uint64_t condition,
                                 ConditionalKind kind, size_t bodies)
    : NodeWork(NodeKind::CONDITIONAL), context_(context), condition_(condition), kind_(kind) {
  require_conditions(cu);
  require_body_count(kind, bodies);
  if (cu.version < FIRST_WITH_ELSE && (kind == ConditionalKind::SWITCH || bodies == 2))
    throw Error(Status::UNSUPPORTED,
                concat("SWITCH and else need a driver of CUDA 12.8; this one serves ",
                       driver::version_text(cu.version)));
  bodies_.resize(bodies);
}

CUgraphNode ConditionalWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                                    std::span<const CUgraphNode> after) const {
  CUgraphNodeParams node_params{};
  node_params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  CUDA_CONDITIONAL_NODE_PARAMS& conditional = node_params.conditional;
  conditional.handle = condition_;
  conditional.type = native_of(kind_);
  conditional.size = static_cast<unsigned>(bodies_.size());
  conditional.ctx = context_;
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddNode(&node, graph, after.data(), nullptr, after.size(), &node_params),
        "add a conditional node");
  std::copy_n(conditional.phGraph_out, bodies_.size(), bodies_.begin());
  return node;
}

// No function sets a conditional node.
CUresult ConditionalWork::set_in_graph(const driver::CudaTable&, CUgraphNode,
                                       const NodeWork*) const {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult ConditionalWork::set_in_executable(const driver::CudaTable&, CUgraphExec,
                                            CUgraphNode) const {
  return CUDA_ERROR_NOT_SUPPORTED;
}

NodeFacts ConditionalWork::facts() const {
  NodeFacts facts;
  facts.condition = condition_;
  return facts;
}

namespace {

// The nodes are those of the sketch if the driver's copy still has the same ones.
void read_child(const driver::CudaTable& cu, GraphBody& body, const NodeWork* work) {
  if (work && body.take(cu, static_cast<const ChildWork*>(work)->nodes())) return;
  std::vector<RemovedNode> none;
  body.read(cu, none);
}

}  // namespace

const NodeBodies& inner_graphs(const driver::CudaTable& cu, GraphNode& node,
                               const GraphBody& parent) {
  if (node.kind != NodeKind::CHILD && node.kind != NodeKind::CONDITIONAL)
    throw Error(
        Status::INVALID_ARGUMENT,
        concat(describe_node(node), " has no graph; expected a child graph or a conditional node"));
  if (node.bodies.size() != 0) return node.bodies;
  if (node.kind == NodeKind::CONDITIONAL)
    throw Error(Status::UNSUPPORTED, concat("other code has added ", describe_node(node),
                                            ", so its graphs are not known"));
  CUgraph native = nullptr;
  check(cu.cuGraphChildGraphNodeGetGraph(node.native, &native), "find the graph of a child node");
  auto body = make<GraphBody>(native, parent.is_conditional());
  read_child(cu, *body, node.work.get());
  if (parent.is_shared()) body->share(cu);
  node.bodies.add(std::move(body));
  return node.bodies;
}

}  // namespace cucore::core
