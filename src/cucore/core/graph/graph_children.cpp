// SPDX-License-Identifier: Apache-2.0
// Nodes with graphs of their own: children, and conditional nodes with their bodies.
#include <optional>
#include <utility>

#include "core/graph/graph.hpp"
#include "core/graph/graph_text.hpp"
#include "core/graph/graph_use.hpp"
#include "core/graph/temporary_graph.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {

using driver::check;

namespace {

// The graph that the driver copies into a node. A graph that would contain the node is cloned
// first, because drivers crash when a graph becomes its own child (seen with CUDA 13.0).
class ChildSource {
 public:
  ChildSource(const driver::CudaTable& cu, const GraphBody& child, bool is_same_graph)
      : native_(child.native()) {
    if (is_same_graph) native_ = copy_.emplace(cu, native_).native();
  }

  CUgraph native() const { return native_; }

 private:
  std::optional<TemporaryGraph> copy_;
  CUgraph native_;
};

void require_child(const GraphRoot& root, const GraphBody& child) {
  const char* const what = root.has_conditions() ? "with conditions"
                           : child.has_memory()  ? "that allocates or frees memory"
                                                 : nullptr;
  if (what)
    throw Error(Status::UNSUPPORTED,
                concat("a graph ", what, " cannot be a child; add its nodes to the graph itself"));
}

}  // namespace

NodeNumber Graph::add_child(std::span<const NodeNumber> after, const Graph& child) {
  GraphLocks locks(*root_, *child.root_);
  GraphUse use(std::move(locks.first), *root_, *body_);
  child.require_usable();
  use.read_source(*child.root_, *child.body_, "add");
  require_child(*child.root_, *child.body_);
  const ChildSource source(use.cu(), *child.body_, child.root_ == root_);
  Ref<const NodeWork> work = make<ChildWork>(*child.body_, source.native());
  return insert(use.cu(), after, work);
}

uint64_t Graph::add_condition(uint32_t value, bool is_reset_at_launch) {
  const GraphUse use(*root_, *body_);
  require_conditions(use.cu());
  CUgraphConditionalHandle condition = 0;
  check(use.cu().cuGraphConditionalHandleCreate(
            &condition, body_->native(), context()->native(), value,
            is_reset_at_launch ? CU_GRAPH_COND_ASSIGN_DEFAULT : 0),
        "add a condition to a graph");
  root_->note_condition();
  body_->add_condition(condition);
  return condition;
}

NodeNumber Graph::add_conditional(std::span<const NodeNumber> after, uint64_t condition,
                                  ConditionalKind kind, size_t count,
                                  const std::function<void(const Graph&)>& publish) {
  const GraphUse use(*root_, *body_);
  const auto work = make<ConditionalWork>(use.cu(), context()->native(), condition, kind, count);
  body_->require_free(condition);
  Ref<const NodeWork> added = work;
  const NodeNumber number = insert(use.cu(), after, added);
  GraphNode& node = body_->find(number);
  try {
    for (const CUgraph native : work->bodies()) {
      const Ref<GraphBody>& body = node.bodies.add(make<GraphBody>(native, true));
      if (body_->is_shared()) body->share(use.cu());
      publish(*make<Graph>(root_, body));
    }
  } catch (...) {
    driver::check_release(use.cu().cuGraphDestroyNode(node.native), "destroy a node of a graph");
    body_->remove(node);
    root_->change();
    throw;
  }
  body_->decide(condition, number);
  return number;
}

void Graph::set_child(NodeNumber number, const Graph& child) {
  GraphLocks locks(*root_, *child.root_);
  GraphUse use(std::move(locks.first), *root_, *body_);
  GraphNode& node = body_->find(number);
  child.require_usable();
  use.read_source(*child.root_, *child.body_, "set a node to");
  if (!use.cu().cuGraphNodeSetParams)
    throw Error(
        Status::UNSUPPORTED,
        concat("setting the graph of a node needs a driver of CUDA 12.2; this one serves ",
               driver::version_text(use.cu().version), " (cuGraphNodeSetParams is missing)"));
  require_child(*child.root_, *child.body_);
  if (node.kind == NodeKind::CHILD) root_->require_not_captured(*body_, node, "set a node of");
  const ChildSource source(use.cu(), *child.body_, child.root_ == root_);
  Ref<const NodeWork> work = make<ChildWork>(*child.body_, source.native());
  if (body_->is_conditional() && !work->may_be_conditional()) throw_not_for_body(work->kind());
  replace(use, node, std::move(work));
  for (const auto& body : node.bodies) body->end();
  use.drop(std::move(node.bodies));
}

Ref<Graph> Graph::child(NodeNumber number, size_t index) const {
  const GraphUse use(*root_, *body_);
  GraphNode& node = body_->find(number);
  const auto& bodies = inner_graphs(use.cu(), node, *body_);
  if (index >= bodies.size())
    throw Error(Status::INVALID_ARGUMENT, concat("index is ", index, "; ", describe_node(node),
                                                 " has ", counted(bodies.size(), "graph")));
  return make<Graph>(root_, bodies[index]);
}

}  // namespace cucore::core
