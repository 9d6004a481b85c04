// SPDX-License-Identifier: Apache-2.0
// Reads of a graph: its nodes, their facts, edges and text.
#include "core/graph/driver_facts.hpp"
#include "core/graph/graph.hpp"
#include "core/graph/graph_text.hpp"
#include "core/graph/graph_use.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {

using driver::check;

size_t Graph::node_count() const {
  const GraphUse use(*root_, *body_);
  return body_->nodes().size();
}

NodeNumber Graph::node_at(size_t index) const {
  const GraphUse use(*root_, *body_);
  const auto& nodes = body_->nodes();
  if (index >= nodes.size())
    throw Error(Status::INVALID_ARGUMENT,
                concat("index is ", index, "; the graph has ", counted(nodes.size(), "node")));
  return nodes[index]->number;
}

namespace {

uint64_t tools_id_of(const driver::CudaTable& cu, CUgraphNode node) {
  unsigned long long id = 0;
  if (cu.cuGraphNodeGetToolsId)
    check(cu.cuGraphNodeGetToolsId(node, &id), "query the number of a node for profilers");
  return id;
}

}  // namespace

NodeState Graph::query(NodeNumber number) const {
  const GraphUse use(*root_, *body_);
  const GraphNode& node = body_->find(number);
  NodeState state;
  state.number = number;
  state.kind = node.kind;
  if (node.label) state.label = node.label->c_str();
  state.facts = node.work ? node.work->facts() : read_facts(use.cu(), node.kind, node.native);
  state.facts.kernel = body_->keep_text(state.facts.kernel)->c_str();
  state.work = node.work;
  state.before = node.before.size();
  state.after = node.after.size();
  state.native = node.native;
  state.tools_id = tools_id_of(use.cu(), node.native);
  return state;
}

namespace {

std::vector<NodeNumber> numbers_of(const NodeEdges& edges) {
  std::vector<NodeNumber> numbers;
  numbers.reserve(edges.size());
  for (const NodeEdge& edge : edges) numbers.push_back(edge.node);
  return numbers;
}

}  // namespace

std::vector<NodeNumber> Graph::dependencies(NodeNumber node) const {
  const GraphUse use(*root_, *body_);
  return numbers_of(body_->find(node).before);
}

std::vector<NodeNumber> Graph::dependents(NodeNumber node) const {
  const GraphUse use(*root_, *body_);
  return numbers_of(body_->find(node).after);
}

std::string Graph::dot(uint32_t details) const {
  const GraphUse use(*root_, *body_);
  return details == 0 ? to_dot(*body_) : native_dot(use.cu(), body_->native(), details);
}

}  // namespace cucore::core
