// SPDX-License-Identifier: Apache-2.0
// The nodes and edges of one graph of the driver, by their numbers. The caller has the lock of the
// root graph.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/graph/kernel_work.hpp"
#include "core/graph/node_work.hpp"
#include "core/graph/plain_nodes.hpp"
#include "driver/graph_edges.hpp"
#include "support/inline_list.hpp"
#include "support/pointer_list.hpp"
#include "support/short_list.hpp"
#include "support/slab.hpp"

namespace cucore::core {

class GraphBody;

struct NodeEdge {
  NodeNumber node;  // the other end
  bool is_programmatic;
  friend bool operator==(const NodeEdge&, const NodeEdge&) = default;
};

using NodeEdges = InlineList<NodeEdge, 1>;

// The graphs of a node, which most nodes do not have.
class NodeBodies {
 public:
  NodeBodies() = default;
  // A copy of a node has none.
  NodeBodies(const NodeBodies&) noexcept {}
  NodeBodies(NodeBodies&&) noexcept = default;
  NodeBodies& operator=(NodeBodies&&) noexcept = default;

  const Ref<GraphBody>* begin() const { return list_ ? list_->data() : nullptr; }
  const Ref<GraphBody>* end() const { return begin() + size(); }
  const Ref<GraphBody>& operator[](size_t index) const { return (*list_)[index]; }
  size_t size() const { return list_ ? list_->size() : 0; }
  const Ref<GraphBody>& add(Ref<GraphBody> body) {
    if (!list_) list_ = std::make_unique<std::vector<Ref<GraphBody>>>();
    return list_->emplace_back(std::move(body));
  }

 private:
  std::unique_ptr<std::vector<Ref<GraphBody>>> list_;
};

struct GraphNode {
  GraphNode() noexcept {}
  // A node without a handle that comes after at most one other node.
  GraphNode(NodeNumber number, Ref<const NodeWork> work, const GraphNode* before) noexcept
      : number(number),
        before(before ? NodeEdges({before->number, false}) : NodeEdges()),
        kind(work->kind()),
        work(std::move(work)) {}

  NodeNumber number = 0;
  CUgraphNode native = nullptr;
  NodeEdges after, before;  // in the order of adding
  NodeKind kind = NodeKind::UNKNOWN;
  Ref<const NodeWork> work;       // null for a node that a capture or other code has added
  CUuserObject keeper = nullptr;  // of a shared graph; null if the node keeps nothing
  const std::string* label = nullptr;
  NodeBodies bodies;  // once somebody has asked
};

// The objects of a node that was removed.
struct RemovedNode {
  Ref<const NodeWork> work;
  CUuserObject keeper = nullptr;
  NodeBodies bodies;
};

class GraphBody final : public Object {
 public:
  explicit GraphBody(CUgraph native, bool is_conditional = false)
      : native_(native), is_conditional_(is_conditional) {}

  // A graph whose nodes somebody else has added. It is read when somebody asks for a node, because
  // most programs only launch what they have captured.
  static Ref<GraphBody> unread(CUgraph native) {
    auto body = make<GraphBody>(native);
    body->state_.is_unread = true;
    return body;
  }

  CUgraph native() const { return native_; }

  // Whether this is the graph of a conditional node, or in one.
  bool is_conditional() const { return is_conditional_; }
  // Throws INVALID_STATE for the graph of a node that was removed or set.
  void require_alive() const;
  bool is_gone() const { return state_.is_gone; }
  // The node of this graph is gone.
  void end() noexcept;

  // Other code may use the driver's handle from now on. It may add and remove nodes. Its copies and
  // executables keep the user objects of the driver's graph, so these keep what the nodes use.
  // Throws if the driver fails.
  void share(const driver::CudaTable& cu);
  bool is_shared() const { return state_.is_shared; }
  // Captures that add nodes. At the end of one the nodes are read once more.
  void begin_capture() noexcept { ++state_.captures; }
  void end_capture() noexcept {
    --state_.captures;
    state_.is_unread = true;
  }
  bool is_captured() const { return state_.captures != 0; }
  // The capture owns the driver's graph, and destroys it if it fails.
  void lend() noexcept { is_lent_ = true; }
  void take_over() noexcept { is_lent_ = false; }
  void lose() noexcept { state_.is_lost = true; }
  void lose_whole() noexcept;  // also the graphs in it
  bool is_own() const { return !is_lent_ && !state_.is_lost; }
  // Throws INVALID_STATE if the graph ended with a capture that failed.
  void require_usable() const;
  // Throws INVALID_STATE during a capture. `action` is "make an executable of".
  void require_not_captured(const char* action) const;
  // The same for this graph and the graphs in it.
  void require_whole_not_captured(const char* action) const;
  bool may_have_changed() const {
    return state_.is_shared || state_.is_unread || state_.captures != 0;
  }
  // Whether a node needs nothing but the call of the driver: the graph is usable and alive, and
  // only this library changes it. Also, the last plain nodes were not expanded after a few.
  bool is_plain() const { return std::bit_cast<uint64_t>(state_) == 0; }
  // The newest kernel nodes, which the other functions do not find before expand(). That throws
  // std::bad_alloc, and the next call continues.
  PlainNodes& plain() { return plain_; }
  const PlainNodes& plain() const { return plain_; }
  void expand(const Context& context);
  // A kernel was added as a GraphNode.
  void note_kernel() noexcept { state_.kernels_as_nodes -= state_.kernels_as_nodes != 0; }
  // Returns the handle of a node, which may be a plain one. Throws as find() does.
  CUgraphNode find_handle(NodeNumber number) const {
    const PlainNode* const plain = plain_.find(number);
    return plain ? plain->native : find(number).native;
  }
  // Reads the nodes and edges from the driver. `dropped` receives the objects of nodes that are
  // gone. If the driver lists what it listed before, that costs two comparisons of lists.
  void read(const driver::CudaTable& cu, std::vector<RemovedNode>& dropped);
  // The same if they may have changed.
  void read_changes(const driver::CudaTable& cu, std::vector<RemovedNode>& dropped) {
    if (may_have_changed()) read(cu, dropped);
  }

  // In the order of adding.
  const PointerList<GraphNode>& nodes() const { return nodes_; }
  // Throws NOT_FOUND for numbers of removed nodes and of other graphs.
  GraphNode& find(NodeNumber number) const {
    if (!nodes_.empty() && nodes_.back()->number == number) [[likely]]
      return *nodes_.back();
    return find_older(number);
  }
  GraphNode* find_native(CUgraphNode native) const;
  // Throws INVALID_ARGUMENT if a number occurs twice.
  ShortList<GraphNode*> find_all(std::span<const NodeNumber> numbers) const;

  // Makes room, so that the next removal, edge, held object or insertion cannot fail.
  void reserve(std::span<GraphNode* const> touched);
  // The same, if the next edges are those of a node that is inserted after these.
  void reserve_insertion(std::span<GraphNode* const> before) {
    nodes_.reserve_one();
    grow(removed_);
    for (GraphNode* node : before) node->after.reserve(node->after.size() + 1);
  }
  // Returns a node for insert().
  using NewNode = Slab<GraphNode>::Owner;
  NewNode make_node() { return places_.make(); }
  // Whether next_number() needs no call.
  bool has_next_number() const { return next_number_ != end_of_numbers_; }
  // Returns a number that no other node of the process has, and that is greater than those here.
  NodeNumber next_number() noexcept {
    if (!has_next_number()) [[unlikely]]
      take_numbers();
    return next_number_++;
  }
  // For the works of new nodes.
  KernelWorkStore& store() { return store_; }
  // The graph keeps what its nodes use, and nothing else, from now on. Call when a node has ended,
  // has other work or could not be added.
  void forget_references() noexcept { store_.references.clear(); }
  // Numbers the node and adds it. `before` are the nodes at the other ends of the edges.
  NodeNumber insert(NewNode node, std::span<GraphNode* const> before) noexcept;
  // Forgets a node with its edges.
  RemovedNode remove(GraphNode& node) noexcept;

  // Throws INVALID_ARGUMENT for an edge to itself, a second one, and one that closes a circle.
  void check_edge(const GraphNode& from, const GraphNode& to) const;
  // Throws NOT_FOUND for two nodes without an edge.
  const NodeEdge& find_edge(const GraphNode& from, const GraphNode& to) const;
  void connect(GraphNode& from, GraphNode& to, bool is_programmatic) noexcept {
    from.after.push_back({to.number, is_programmatic});
    to.before.push_back({from.number, is_programmatic});
    backward_edges_ += from.number > to.number;
    has_read_edges_ = false;
  }
  void disconnect(GraphNode& from, GraphNode& to) noexcept;

  // The texts live as long as the graph, because callers borrow them.
  const std::string* keep_text(std::string text) { return &*texts_.insert(std::move(text)).first; }

  // Returns the nodes without handles: those of a copy that the driver makes now.
  Ref<GraphBody> sketch() const;
  // Takes the nodes of a sketch over if the driver's graph has just those. Returns whether it has.
  bool take(const driver::CudaTable& cu, const GraphBody& sketch);

  // Conditions of the graph. Throws INVALID_ARGUMENT unless a condition is free for a node.
  void add_condition(uint64_t condition) { conditions_.emplace(condition, 0); }
  void require_free(uint64_t condition) const;
  void decide(uint64_t condition, NodeNumber node) noexcept { conditions_.at(condition) = node; }

  // Returns the nodes of a clone of the driver, with the same numbers.
  Ref<GraphBody> clone(const driver::CudaTable& cu, CUgraph native) const;

  // Keep an object as long as the graph, after reserve().
  void hold(Ref<const KeptObject> object) noexcept { held_.push_back(std::move(object)); }
  void keep(Ref<const Object> object) noexcept { objects_.push_back(std::move(object)); }
  // Adds what the graphs in the nodes use, and what this graph keeps besides, to the list.
  void collect_inner(std::vector<Ref<const Object>>& kept) const;
  // See KeptObject.
  void forget() const noexcept;

  bool may_print() const;
  // Whether a node allocates or frees memory.
  bool has_memory() const;
  // Whether the body of a conditional node can hold all nodes.
  bool may_be_conditional() const;

 private:
  ~GraphBody() override;
  GraphNode& find_older(NodeNumber number) const;
  void expand(const Context& context, const PlainNode& plain);
  // A program that mixes kernels with other operations would pay for a PlainStore and for an
  // expansion each time. After an expansion of fewer nodes than FEW, the next kernels are
  // GraphNodes at once.
  static constexpr uint32_t FEW = 4, KERNELS_AS_NODES = 32;
  void take_numbers() noexcept;
  GraphNode& add_twin(const GraphNode& node);
  template <class List>
  static void grow(List& list) {
    if (list.size() == list.capacity()) [[unlikely]]
      list.reserve(std::max<size_t>(4, list.size() * 2));
  }
  void grow_lists() {
    nodes_.reserve_one();
    grow(removed_);
    grow(held_);
    grow(objects_);
  }
  void require_distinct(std::span<const NodeNumber> numbers) const;
  bool reaches(const GraphNode& from, const GraphNode& to) const;
  void drop_absent(std::span<const CUgraphNode> natives, std::vector<RemovedNode>& dropped);
  NewNode read_node(const driver::CudaTable& cu, CUgraphNode native);
  using NativeNodes = std::unordered_map<CUgraphNode, GraphNode*>;
  bool has_nodes(std::span<const CUgraphNode> natives) const;
  void take_edges(const NativeNodes& known);

  // The addition of a plain node uses the first of these, which are in few cache lines.
  const CUgraph native_;
  struct {
    bool is_shared, is_gone, is_unread, is_lost;
    uint32_t captures : 24, kernels_as_nodes : 8;
  } state_{};
  NodeNumber next_number_ = 0, end_of_numbers_ = 0;  // for the next nodes
  PlainNodes plain_;                                 // newer than all others
  PointerList<GraphNode> nodes_;                     // their numbers ascend
  const bool is_conditional_;
  bool is_lent_ = false;
  // Whether read_edges_ are valid.
  bool has_read_edges_ = false;
  Slab<GraphNode> places_;
  KernelWorkStore store_;
  std::unordered_map<uint64_t, NodeNumber> conditions_;  // with the node that each decides, or 0
  std::vector<NodeNumber> removed_;
  std::vector<Ref<const KeptObject>> held_;  // of the program
  std::vector<Ref<const Object>> objects_;   // of captures
  std::unordered_set<std::string> texts_;
  size_t backward_edges_ = 0;  // from a later node to an earlier one
  // As the driver has listed them last. Valid until this library changes the edges.
  std::vector<driver::NativeEdge> read_edges_;
};

}  // namespace cucore::core
