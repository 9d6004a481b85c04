// SPDX-License-Identifier: Apache-2.0
// A graph: work and its order, to be run many times. Nodes are numbers.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/graph/graph_body.hpp"
#include "core/graph/inner_graphs.hpp"
#include "core/graph/kernel_work.hpp"
#include "core/load/launch.hpp"
#include "core/objects/biased_mutex.hpp"
#include "core/objects/context.hpp"

namespace cucore::core {

// The work of a graph as it was at a time, for executables.
class GraphWork final : public Object {
 public:
  explicit GraphWork(const GraphBody& body);

  // The nodes in the order of adding; their numbers ascend.
  const std::shared_ptr<const std::vector<NodeNumber>>& numbers() const { return numbers_; }
  // Returns the work of a node by its index; null for one that somebody else has added, and behind
  // the last node.
  Ref<const NodeWork> work(size_t index, const Context& context) const;
  bool may_print() const { return may_print_; }
  // See KeptObject.
  void forget() const noexcept;

 private:
  ~GraphWork() override = default;
  std::shared_ptr<const std::vector<NodeNumber>> numbers_;
  std::vector<Ref<const NodeWork>> works_;
  std::vector<const PlainNode*> plain_;  // the nodes after those of the works
  Ref<const PlainStore> plain_store_;
  std::vector<Ref<const Object>> kept_;  // what the nodes and the graphs in them use
  const bool may_print_;
};

// The graph of the driver that a graph, its views and its executables keep alive, with the lock of
// all of them.
class GraphRoot final : public Object {
 public:
  // Takes the native graph of the body over.
  GraphRoot(Ref<Context> context, Ref<GraphBody> body)
      : context_(std::move(context)), body_(std::move(body)) {}

  const Ref<Context>& context() const { return context_; }
  const Ref<GraphBody>& body() const { return body_; }
  BiasedMutex& mutex() const { return mutex_; }

  // Whether the graph, or a graph of a node, has had a condition. The caller has the lock.
  bool has_conditions() const { return has_conditions_; }
  void note_condition() const { has_conditions_ = true; }

  // The present work of the body. Plain nodes stay as they are, but get no successor. The caller
  // has the lock.
  Ref<const GraphWork> work() const;
  // The graph, or a graph in it, has changed. Work that is gone ends after the lock, so the caller
  // keeps it until then.
  void change() const noexcept {
    if (work_) [[unlikely]]
      work_ = nullptr;
  }

  // Captures into the graph or a graph in it. The caller has the lock.
  void begin_capture(GraphBody& body) const noexcept {
    ++captures_;
    body.begin_capture();
  }
  void end_capture(GraphBody& body) const noexcept {
    --captures_;
    body.end_capture();
    change();
  }
  // Throw INVALID_STATE if a capture adds nodes to the body, to a graph in it, or to one of the
  // node in it.
  void require_not_captured(const GraphBody& body, const char* action) const {
    if (captures_ != 0) body.require_whole_not_captured(action);
  }
  void require_not_captured(const GraphBody& body, const GraphNode& node,
                            const char* action) const {
    if (captures_ == 0) return;
    body.require_not_captured(action);
    for (const auto& inner : node.bodies) inner->require_whole_not_captured(action);
  }

  // Whether the next plain node of the body needs neither change() nor let_add_plain().
  bool gets_plain(const GraphBody& body) const { return plain_ == &body && !work_; }
  // Of this graph and the graphs in it, at most one has plain nodes. The caller has the lock. Throw
  // std::bad_alloc.
  void let_add_plain(GraphBody& body) const {
    if (plain_ == &body) return;
    expand();
    plain_ = &body;
  }
  // Makes GraphNodes of them: before each other use of nodes, and before a graph in this one ends.
  void expand() const {
    if (plain_ || shared_plain_) [[unlikely]]
      expand_plain();
  }

 private:
  ~GraphRoot() override;
  void expand_plain() const;

  const Ref<Context> context_;
  mutable BiasedMutex mutex_;
  mutable Ref<const GraphWork> work_;          // null until somebody asks, and after a change
  mutable GraphBody* plain_ = nullptr;         // gets more plain nodes
  mutable GraphBody* shared_plain_ = nullptr;  // shares its plain nodes with a GraphWork
  const Ref<GraphBody> body_;
  mutable bool has_conditions_ = false;
  mutable uint32_t captures_ = 0;
};

// The facts of a node. The texts live as long as the graph.
struct NodeState {
  NodeNumber number = 0;
  NodeKind kind = NodeKind::UNKNOWN;
  const char* label = "";
  NodeFacts facts;
  Ref<const NodeWork> work;  // keeps the facts alive
  size_t before = 0, after = 0;
  CUgraphNode native = nullptr;
  uint64_t tools_id = 0;  // 0 if the driver does not report it
};

class GraphUse;

class Graph final : public Object {
 public:
  static Ref<Graph> create(const Device& device);
  // Takes over a graph of the driver, for example a captured one. The graph keeps `held`, the
  // objects that its work uses. If the call fails, it destroys the native graph.
  static Ref<Graph> adopt(Ref<Context> context, CUgraph native,
                          std::vector<Ref<const Object>> held = {});
  // Stands for the graph of a capture under way, which the driver owns until the end.
  static Ref<Graph> of_capture(Ref<Context> context, CUgraph native);
  Ref<Graph> clone() const;

  // A capture adds nodes until end_capture(). Returns the driver's graph.
  CUgraph begin_capture() const;
  void end_capture() const;
  // Of of_capture(): the graph is now this object's, or the driver has destroyed it.
  void take_over() const;
  void lose() const;
  // A capture into this graph of a conditional node has failed. The whole graph and all graphs in
  // it are an error from now on. It is never destroyed, because drivers crash then (seen with
  // CUDA 13.0).
  void lose_whole() const;
  bool is_conditional() const { return body_->is_conditional(); }
  // Whether it is the graph of a node.
  bool is_inner() const { return body_ != root_->body(); }
  // The graph, what was made from it and the launches of that keep the object.
  void keep(const Ref<const Object>& object) const;

  // Convert between nodes and their numbers. Throw NOT_FOUND for numbers of other graphs.
  std::vector<CUgraphNode> find_nodes(std::span<const NodeNumber> numbers) const;
  std::vector<NodeNumber> find_numbers(std::span<const CUgraphNode> nodes) const;

  const Device& device() const { return device_; }
  const Ref<Context>& context() const { return root_->context(); }
  void require_usable() const { context()->require_alive("graph"); }
  // For other code, which may change the graph. Null if its node is gone, or if the driver fails;
  // then the log has the reason.
  CUgraph hand_out() const noexcept;

  NodeNumber add(std::span<const NodeNumber> after, Ref<const NodeWork> work);
  // Returns the number; 0 if that needs add_kernel(). See plain_launch.hpp.
  NodeNumber try_add_next(std::span<const NodeNumber> after, const Kernel& kernel,
                          const cucore_launch_options& options,
                          std::span<const cucore_argument> arguments) const;
  NodeNumber add_kernel(std::span<const NodeNumber> after, const KernelLaunch& launch,
                        const LaunchHandles& handles);
  // Throws the failure of the driver, if it is one.
  static void check_added(const Kernel& kernel, CUresult result);
  // Adds an AllocationWork or a FreeWork.
  NodeNumber add_memory(std::span<const NodeNumber> after, Ref<const NodeWork> work);
  NodeNumber add_child(std::span<const NodeNumber> after, const Graph& child);
  // Adds the number that kernels set, and that decides a conditional node.
  uint64_t add_condition(uint32_t value, bool is_reset_at_launch);
  // Calls `publish` with a view of each graph of the node. If that throws, the node is not added.
  NodeNumber add_conditional(std::span<const NodeNumber> after, uint64_t condition,
                             ConditionalKind kind, size_t count,
                             const std::function<void(const Graph&)>& publish);
  // Returns a view of a graph of a child or conditional node.
  Ref<Graph> child(NodeNumber node, size_t index) const;
  void remove(NodeNumber node);
  // Gives other work of its kind to a node. After a failure, the node has the work before.
  void set(NodeNumber node, Ref<const NodeWork> work);
  void set_kernel(NodeNumber node, KernelChange change, const LaunchHandles& handles);
  void set_event(NodeNumber node, Ref<const Event> event);
  void set_semaphore(NodeNumber node, Ref<const External> semaphore, uint64_t value);
  void set_child(NodeNumber node, const Graph& child);
  void add_edge(NodeNumber from, NodeNumber to, bool is_programmatic);
  void remove_edge(NodeNumber from, NodeNumber to);
  void set_label(NodeNumber node, const char* label);
  // The graph, what was made from it and the launches of that keep the object.
  void hold(Ref<const KeptObject> object);

  size_t node_count() const;
  NodeNumber node_at(size_t index) const;
  NodeState query(NodeNumber node) const;
  std::vector<NodeNumber> dependencies(NodeNumber node) const;
  std::vector<NodeNumber> dependents(NodeNumber node) const;
  // Details that are 0 are names and labels, else the driver's bits.
  std::string dot(uint32_t details) const;

 private:
  friend class Executable;

  explicit Graph(Ref<GraphRoot> root) : Graph(root, root->body()) {}
  Graph(Ref<GraphRoot> root, Ref<GraphBody> body)
      : root_(std::move(root)),
        body_(std::move(body)),
        context_(*root_->context()),
        device_(context_.device()),
        native_context_(context_.native()) {}
  template <class T, class... A>
  friend Ref<T> cucore::make(A&&...);
  ~Graph() override = default;
  // Throws INVALID_ARGUMENT for a view of a node's graph.
  void require_whole() const;
  // The caller has the lock. Takes the work over unless the call fails.
  NodeNumber insert(const driver::CudaTable& cu, std::span<const NodeNumber> after,
                    Ref<const NodeWork>& work);
  // Returns the kernel for the device of the graph. The first use of a kernel loads its code, which
  // may call observers. So the caller has no lock.
  const KernelImage& load(const Kernel& kernel) const;
  // Returns the device of a node that launches a kernel; throws if it does not. Takes the lock.
  const Device& kernel_device(NodeNumber node) const;
  // Whether a launch is one as most are: without attributes, with known parameters, and after at
  // most one other node.
  static bool is_plain_launch(std::span<const NodeNumber> after, const KernelImage& image,
                              const cucore_launch_options& options,
                              std::span<const cucore_argument> arguments) {
    return after.size() <= 1 && image.sizes.are_for(arguments.size()) &&
           options.dynamic_shared <= ALWAYS_ALLOWED_SHARED && !LaunchAttributes::are_set(options);
  }
  // Returns the number; 0 if only all checks can decide, or if that does not suffice.
  NodeNumber try_add_plain(std::span<const NodeNumber> after, const KernelLaunch& launch,
                           const KernelImage& image, const BufferHandles& handles) const;
  CUfunction function_to_add(const driver::CudaTable& cu, const KernelImage& image) const;
  CUresult add_plain(const driver::CudaTable& cu, PlainNode& node, CUgraphNode native_before,
                     const Kernel& kernel, const KernelImage& image,
                     const cucore_launch_options& options) const;
  void replace(GraphUse& use, GraphNode& node, Ref<const NodeWork> work);
  void exchange(GraphUse& use, GraphNode& node, Ref<const NodeWork>& work);

  const Ref<GraphRoot> root_;
  const Ref<GraphBody> body_;
  // Of the root. The addition of a node reads no other object for them.
  const Context& context_;
  const Device& device_;
  const CUcontext native_context_;
};

}  // namespace cucore::core
