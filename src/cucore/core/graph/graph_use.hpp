// SPDX-License-Identifier: Apache-2.0
// One operation on a graph: its lock, and its context.
#pragma once

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/objects/context_scope.hpp"

namespace cucore::core {

// The locks of two graphs, which may be one. Two threads may add two graphs to each other.
struct GraphLocks {
  GraphLocks(const GraphRoot& one, const GraphRoot& other)
      : first(one.mutex(), std::defer_lock), second(other.mutex(), std::defer_lock) {
    (void)driver::cuda();  // as lock_of()
    if (&one == &other)
      first.lock();
    else
      std::lock(first, second);
  }
  std::unique_lock<BiasedMutex> first, second;
};

class GraphUse {
 public:
  // Throws INVALID_STATE if the graph was lost in a reset.
  GraphUse(const GraphRoot& root, GraphBody& body) : GraphUse(lock_of(root), root, body) {}
  // The caller has the lock of the root already.
  GraphUse(std::unique_lock<BiasedMutex> lock, const GraphRoot& root, GraphBody& body)
      : GraphUse(std::move(lock), root) {
    guard_.emplace(root.context()->native());
    begin(body);
  }
  // For functions that find no node. Plain nodes stay as they are unless the nodes are read.
  struct WithPlainNodes {};
  GraphUse(const GraphRoot& root, GraphBody& body, WithPlainNodes)
      : GraphUse(lock_of(root), root, body, WithPlainNodes()) {}
  // For the addition of work that may need no current context. A change of the current context
  // costs two calls of the driver.
  GraphUse(const GraphRoot& root, GraphBody& body, const NodeWork& work)
      : GraphUse(lock_of(root), root) {
    begin(root, body, work);
  }
  // The same for a caller that keeps the lock.
  GraphUse(const GraphRoot& root, GraphBody& body, const NodeWork& work,
           const std::unique_lock<BiasedMutex>&)
      : GraphUse(std::unique_lock<BiasedMutex>(), root) {
    begin(root, body, work);
  }

  const driver::CudaTable& cu() const { return cu_; }
  // Reads the nodes that other code may have changed.
  void read(GraphBody& body) {
    body.require_alive();
    body.read_changes(cu_, dropped_);
  }
  // Reads a graph that the driver copies. Throws INVALID_STATE if a capture adds nodes to it, or
  // has lost it. `action` is "add".
  void read_source(const GraphRoot& root, GraphBody& body, const char* action) {
    root.expand();
    body.require_usable();
    root.require_not_captured(body, action);
    read(body);
    read_inner(body);
  }
  // Reads the graphs of child nodes, which are copied with the body.
  void read_inner(const GraphBody& body) {
    for (const GraphNode* const node : body.nodes())
      for (const Ref<GraphBody>& inner : node->bodies) {
        inner->read_changes(cu_, dropped_);
        read_inner(*inner);
      }
  }
  // Drop their argument after the lock, because that may run functions of the program.
  void drop(Ref<const NodeWork> work) noexcept { work_ = std::move(work); }
  void drop(NodeBodies bodies) noexcept { bodies_ = std::move(bodies); }

 private:
  // The driver throws in a forked process, where the mutex may stay locked.
  [[gnu::always_inline]] static std::unique_lock<BiasedMutex> lock_of(const GraphRoot& root) {
    (void)driver::cuda();
    return std::unique_lock(root.mutex());
  }
  // Only the owner of the lock may ask whether the body may have changed.
  GraphUse(std::unique_lock<BiasedMutex> lock, const GraphRoot& root, GraphBody& body,
           WithPlainNodes)
      : GraphUse(std::move(lock), root, body.may_have_changed()) {
    guard_.emplace(root.context()->native());
    begin(body);
  }
  GraphUse(std::unique_lock<BiasedMutex> lock, const GraphRoot& root)
      : GraphUse(std::move(lock), root, true) {}
  GraphUse(std::unique_lock<BiasedMutex> lock, const GraphRoot& root, bool expands)
      : lock_(std::move(lock)), access_(*root.context(), "graph"), cu_(driver::cuda()) {
    if (expands) root.expand();
  }
  void begin(const GraphRoot& root, GraphBody& body, const NodeWork& work) {
    if (work.needs_context() || body.may_have_changed()) guard_.emplace(root.context()->native());
    begin(body);
  }
  void begin(GraphBody& body) {
    body.require_usable();
    read(body);
  }

  std::vector<RemovedNode> dropped_;
  Ref<const NodeWork> work_;
  NodeBodies bodies_;
  const std::unique_lock<BiasedMutex> lock_;
  const ContextAccess access_;
  std::optional<driver::ContextGuard> guard_;
  const driver::CudaTable& cu_;
};

}  // namespace cucore::core
