// SPDX-License-Identifier: Apache-2.0
// Changes of nodes and edges that a graph has.
#include <utility>

#include "core/graph/graph.hpp"
#include "core/graph/graph_text.hpp"
#include "core/graph/graph_use.hpp"
#include "core/graph/node_change.hpp"
#include "core/objects/external.hpp"
#include "core/objects/user_object.hpp"
#include "driver/graph_edges.hpp"
#include "support/concat.hpp"

namespace cucore::core {

using driver::check;

namespace {

// Checks a removal, which the driver refuses for each node and edge of a graph with memory.
template <class Describe>
void check_removal(CUresult result, const GraphBody& root, Describe&& describe) {
  if (is_refusal(result) && root.has_memory())
    throw Error(Status::UNSUPPORTED,
                concat("cannot ", describe(),
                       ": the driver keeps all nodes and edges of a graph that allocates or frees "
                       "memory; build the graph again"),
                {}, {"cuda", static_cast<int32_t>(result), driver::name_of(result)});
  check(result, describe);
}

}  // namespace

void Graph::remove(NodeNumber number) {
  GraphUse use(*root_, *body_);
  GraphNode& node = body_->find(number);
  root_->require_not_captured(*body_, node, "remove a node of");
  body_->reserve({});
  check_removal(use.cu().cuGraphDestroyNode(node.native), *root_->body(),
                [&] { return concat("remove ", describe_node(node)); });
  RemovedNode removed = body_->remove(node);
  release_from(use.cu(), body_->native(), removed.keeper);
  use.drop(std::move(removed.work));
  use.drop(std::move(removed.bodies));
  root_->change();
}

namespace {

// Gives the work before back to a node. The failure that made it necessary is reported. The driver
// sets a child graph as a whole, and the graph that it came from may be gone.
void restore(const driver::CudaTable& cu, const GraphNode& node) noexcept {
  try {
    if (node.work && node.kind != NodeKind::CHILD)
      (void)node.work->set_in_graph(cu, node.native, nullptr);
  } catch (...) {
  }
}

}  // namespace

// Work that a failure ends may run functions of the program, so it ends after the lock.
void Graph::replace(GraphUse& use, GraphNode& node, Ref<const NodeWork> work) try {
  exchange(use, node, work);
} catch (...) {
  use.drop(std::move(work));
  throw;
}

// A shared graph keeps the new work's objects first, so that a failure changes nothing.
void Graph::exchange(GraphUse& use, GraphNode& node, Ref<const NodeWork>& work) {
  const auto& cu = use.cu();
  require_replaceable(node, node.work.get(), *work);
  if (node.work)
    if (const std::string why = work->obstacle(*node.work); !why.empty())
      throw Error(Status::INVALID_ARGUMENT,
                  concat("cannot set ", describe_node(node), ": ", why, "; add another node"));
  CUuserObject keeper = nullptr;
  if (body_->is_shared() && work->keeps()) keeper = UserObject(cu, work).move_to(body_->native());
  try {
    const CUresult result = work->set_in_graph(cu, node.native, node.work.get());
    check_refusal(*work, result);
    check(result, [&] { return concat("set ", describe_node(node)); });
  } catch (...) {
    restore(cu, node);
    release_from(cu, body_->native(), keeper);
    throw;
  }
  release_from(cu, body_->native(), std::exchange(node.keeper, keeper));
  use.drop(std::exchange(node.work, std::move(work)));
  body_->forget_references();
  root_->change();
}

void Graph::set(NodeNumber number, Ref<const NodeWork> work) {
  GraphUse use(*root_, *body_);
  work->require_usable();
  replace(use, body_->find(number), std::move(work));
}

const Device& Graph::kernel_device(NodeNumber number) const {
  const GraphUse use(*root_, *body_);
  const GraphNode& node = body_->find(number);
  return core::kernel_device(context_, node, node.work.get());
}

// A load may call observers, which may use the graph. So it comes before the lock.
void Graph::set_kernel(NodeNumber number, KernelChange change, const LaunchHandles& handles) {
  if (change.kernel) (void)change.kernel->on(kernel_device(number));
  GraphUse use(*root_, *body_);
  GraphNode& node = body_->find(number);
  replace(use, node, changed_kernel(*context(), node, node.work.get(), std::move(change), handles));
}

void Graph::set_event(NodeNumber number, Ref<const Event> event) {
  GraphUse use(*root_, *body_);
  GraphNode& node = body_->find(number);
  replace(use, node, event_work(node, std::move(event)));
}

void Graph::set_semaphore(NodeNumber number, Ref<const External> semaphore, uint64_t value) {
  GraphUse use(*root_, *body_);
  GraphNode& node = body_->find(number);
  replace(use, node, semaphore_work(node, std::move(semaphore), value));
}

void Graph::add_edge(NodeNumber from, NodeNumber to, bool is_programmatic) {
  const GraphUse use(*root_, *body_);
  GraphNode* const ends[] = {&body_->find(from), &body_->find(to)};
  body_->check_edge(*ends[0], *ends[1]);
  if (is_programmatic) {
    if (ends[0]->kind != NodeKind::KERNEL || ends[1]->kind != NodeKind::KERNEL)
      throw Error(Status::INVALID_ARGUMENT,
                  concat("programmatic is 1, but ",
                         describe_node(ends[0]->kind == NodeKind::KERNEL ? *ends[1] : *ends[0]),
                         " launches no kernel; expected an edge between kernels"));
    if (use.cu().version < driver::FIRST_WITH_EDGE_DATA)
      throw Error(Status::UNSUPPORTED,
                  concat("programmatic edges need a driver of CUDA 12.3; this one serves ",
                         driver::version_text(use.cu().version)));
  }
  body_->reserve(ends);
  check(driver::add_edge(use.cu(), body_->native(), ends[0]->native, ends[1]->native,
                         is_programmatic ? &driver::PROGRAMMATIC_EDGE : nullptr),
        [&] { return concat("let node ", to, " come after node ", from); });
  body_->connect(*ends[0], *ends[1], is_programmatic);
}

void Graph::remove_edge(NodeNumber from, NodeNumber to) {
  const GraphUse use(*root_, *body_);
  GraphNode &start = body_->find(from), &end = body_->find(to);
  const bool is_programmatic = body_->find_edge(start, end).is_programmatic;
  check_removal(driver::remove_edge(use.cu(), body_->native(), start.native, end.native,
                                    is_programmatic ? &driver::PROGRAMMATIC_EDGE : nullptr),
                *root_->body(),
                [&] { return concat("remove the edge from node ", from, " to node ", to); });
  body_->disconnect(start, end);
}

void Graph::set_label(NodeNumber node, const char* label) {
  const GraphUse use(*root_, *body_);
  body_->find(node).label = *label ? body_->keep_text(label) : nullptr;
}

}  // namespace cucore::core
