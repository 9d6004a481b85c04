// SPDX-License-Identifier: Apache-2.0
// A graph made ready to launch.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/graph/memory_effects.hpp"
#include "core/objects/deferred_release.hpp"

namespace cucore::core {

struct ExecutableOptions {
  bool free_on_launch = false, device_launch = false, node_priority = false;
  const Stream* upload = nullptr;
};

class alignas(64) Executable final : public Object {
 public:
  // Throws if the driver refuses the graph; the message names the node that is at fault.
  static Ref<Executable> create(const Graph& graph, const ExecutableOptions& options);

  const Device& device() const { return context_->device(); }
  CUgraphExec native() const { return native_; }
  // For other code, whose launches the library does not see.
  CUgraphExec hand_out() const {
    is_handed_out_ = true;
    return native_;
  }

  void launch(const Stream& stream) const;
  void upload(const Stream& stream) const;

  // Takes over the work of a graph of equal shape. Throws NOT_UPDATABLE if the driver refuses it;
  // `culprit` receives the node at fault, or 0.
  void update(const Graph& graph, NodeNumber& culprit);
  // The same for one node of the graph that the executable was made from.
  void set(NodeNumber node, Ref<const NodeWork> work);
  void set_kernel(NodeNumber node, KernelChange change, const LaunchHandles& handles);
  void set_event(NodeNumber node, Ref<const Event> event);
  void set_semaphore(NodeNumber node, Ref<const External> semaphore, uint64_t value);
  void set_child(NodeNumber node, const Graph& child);
  void set_enabled(NodeNumber node, bool is_enabled);
  bool is_enabled(NodeNumber node) const;

 private:
  class Destruction;
  class LaunchMark;
  class RetiredWork;
  class Retirement;
  template <class T, class... A>
  friend Ref<T> cucore::make(A&&...);
  Executable(Ref<GraphRoot> root, std::unique_ptr<Destruction> destruction,
             Ref<const GraphWork> work, MemoryEffects memory);
  ~Executable() override;

  // Throws in a forked process, where the mutex may stay locked.
  std::mutex& usable_mutex() const {
    (void)driver::cuda();
    return mutex_;
  }
  void check_launch(CUresult result, const Stream& stream) const;
  // Returns the progress of all launches, for work that the next one does not use; null if there
  // was none. Call it before locks of graphs, because a record may wait for room in a stream.
  const std::shared_ptr<LaunchMark>& launches_until_now() {
    return has_launched_ ? mark_launches() : last_mark_;
  }
  const std::shared_ptr<LaunchMark>& mark_launches();
  // Returns the work of a node, null for one that somebody else has added. Throws NOT_FOUND for a
  // node that the executable does not have.
  Ref<const NodeWork> find(NodeNumber node) const;
  // Gives the work that make(node, work before) returns to a node.
  template <class Make>
  void change(NodeNumber number, Make&& make);
  void replace(const driver::CudaTable& cu, const GraphNode& node, const NodeWork* before,
               Ref<const NodeWork> work, Retirement& retirement);
  void exchange(const driver::CudaTable& cu, const GraphNode& node, const NodeWork* before,
                Ref<const NodeWork>& work, Retirement& retirement);

  // A launch uses the members before root_, which are in two lines of the cache.
  mutable std::mutex mutex_;  // one launch, upload or change at a time; before a graph's lock
  const CUgraphExec native_;
  const Ref<Context> context_;
  mutable const void* last_stream_ = nullptr;  // the mark_key() of that of the last launch
  const MemoryEffects memory_;
  bool may_print_;
  mutable std::atomic<bool> is_handed_out_{false};
  mutable bool has_uploads_ = false;
  mutable bool has_launched_ = false;
  mutable bool is_marked_ = false;  // no launch came after last_mark_
  const Ref<GraphRoot> root_;       // keeps the numbers and handles of the nodes
  std::unique_ptr<Destruction> destruction_;
  std::shared_ptr<LaunchMark> last_mark_;
  std::shared_ptr<const std::vector<NodeNumber>> numbers_;       // of the first graph
  Ref<const GraphWork> work_;                                    // of the last whole update
  std::unordered_map<NodeNumber, Ref<const NodeWork>> changed_;  // in place of that of work_
};

}  // namespace cucore::core
