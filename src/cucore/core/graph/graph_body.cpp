// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_body.hpp"

#include <algorithm>
#include <atomic>

#include "core/graph/inner_graphs.hpp"
#include "core/graph/memory_work.hpp"
#include "core/objects/user_object.hpp"
#include "driver/graph_edges.hpp"
#include "support/concat.hpp"

namespace cucore::core {
namespace {

[[noreturn]] void throw_edge(std::string message) {
  throw Error(Status::INVALID_ARGUMENT, std::move(message));
}

bool is_backward(const GraphNode& from, const GraphNode& to) { return from.number > to.number; }

void erase_edge(NodeEdges& edges, NodeNumber node) noexcept {
  edges.erase_if([node](const NodeEdge& edge) { return edge.node == node; });
}

}  // namespace

GraphBody::~GraphBody() {
  KernelWork::Returns works(store_.references);
  for (GraphNode* const node : nodes_) {
    works.add(node->work.detach());
    std::destroy_at(node);
  }
}

// As many at a time as the graph has nodes, because threads share the counter.
void GraphBody::take_numbers() noexcept {
  constexpr size_t MOST = 64;
  static std::atomic<NodeNumber> last{0};
  const NodeNumber count = std::clamp<size_t>(nodes_.size() + plain_.list().size(), 1, MOST);
  next_number_ = last.fetch_add(count, std::memory_order_relaxed) + 1;
  end_of_numbers_ = next_number_ + count;
}

GraphNode& GraphBody::find_older(NodeNumber number) const {
  const auto found =
      std::ranges::lower_bound(nodes_, number, {}, [](const auto& node) { return node->number; });
  if (found != nodes_.end() && (*found)->number == number) return **found;
  if (std::ranges::find(removed_, number) != removed_.end())
    throw Error(Status::NOT_FOUND, concat("node ", number, " was removed from the graph"));
  if (number == 0) throw Error(Status::NOT_FOUND, "node is 0, which is not a node");
  throw Error(Status::NOT_FOUND, concat("node ", number, " is not a node of the graph"));
}

GraphNode* GraphBody::find_native(CUgraphNode native) const {
  const auto found =
      std::ranges::find(nodes_, native, [](const auto& node) { return node->native; });
  return found == nodes_.end() ? nullptr : *found;
}

void GraphBody::require_distinct(std::span<const NodeNumber> numbers) const {
  constexpr size_t FEW = 8;
  std::unordered_set<NodeNumber> seen;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const bool is_new = numbers.size() <= FEW ? std::find(numbers.begin(), numbers.begin() + i,
                                                          numbers[i]) == numbers.begin() + i
                                              : seen.insert(numbers[i]).second;
    if (!is_new)
      throw_edge(concat("after[", i, "] is node ", numbers[i],
                        ", which is in the list already; name each node once"));
  }
}

ShortList<GraphNode*> GraphBody::find_all(std::span<const NodeNumber> numbers) const {
  ShortList<GraphNode*> nodes(numbers.size());
  for (const NodeNumber number : numbers) nodes.push_back(&find(number));
  if (numbers.size() > 1) require_distinct(numbers);
  return nodes;
}

void GraphBody::reserve(std::span<GraphNode* const> touched) {
  grow_lists();
  for (GraphNode* node : touched) {
    node->before.reserve(node->before.size() + 1);
    node->after.reserve(node->after.size() + 1);
  }
}

NodeNumber GraphBody::insert(NewNode node, std::span<GraphNode* const> before) noexcept {
  has_read_edges_ = false;
  const NodeNumber number = node->number = next_number();
  for (size_t i = 0; i < before.size(); ++i)
    before[i]->after.push_back({number, node->before.begin()[i].is_programmatic});
  nodes_.push_back_reserved(node.release());
  return number;
}

void GraphBody::expand(const Context& context, const PlainNode& plain) {
  GraphNode* const before = plain.before == 0 ? nullptr : &find(plain.before);
  nodes_.reserve_one();
  if (before) before->after.reserve(before->after.size() + 1);
  NewNode node = places_.make(plain.number, KernelWork::make_in(store_, context, plain), before);
  node->native = plain.native;
  if (before) before->after.push_back_reserved({plain.number, false});
  nodes_.push_back_reserved(node.release());
  has_read_edges_ = false;
}

void GraphBody::expand(const Context& context) {
  if (plain_.list().size() - 1 < FEW - 1) state_.kernels_as_nodes = KERNELS_AS_NODES;
  size_t count = 0;
  try {
    nodes_.reserve(nodes_.size() + plain_.list().size());
    for (const PlainNode* const plain : plain_.list()) expand(context, *plain), ++count;
  } catch (...) {
    plain_.erase_first(count);
    throw;
  }
  plain_.erase_first(count);
}

RemovedNode GraphBody::remove(GraphNode& node) noexcept {
  removed_.push_back(node.number);
  while (!node.before.empty()) disconnect(find(node.before.back().node), node);
  while (!node.after.empty()) disconnect(node, find(node.after.back().node));
  for (const auto& body : node.bodies) body->end();
  for (auto& [condition, decided] : conditions_)
    if (decided == node.number) decided = 0;
  has_read_edges_ = false;
  nodes_.erase(&node);
  RemovedNode removed{std::move(node.work), node.keeper, std::move(node.bodies)};
  places_.end(&node);
  forget_references();
  return removed;
}

// The twin has no graphs of its own yet. Its work has the changes of the graph of a child node.
GraphNode& GraphBody::add_twin(const GraphNode& node) {
  NewNode twin = places_.make(node);
  if (node.kind == NodeKind::CHILD && node.bodies.size() != 0)
    twin->work = make<ChildWork>(*node.bodies[0], nullptr);
  if (node.label) twin->label = keep_text(*node.label);
  nodes_.push_back(twin.get());
  return *twin.release();
}

// Edges that go forward only cannot close a circle.
bool GraphBody::reaches(const GraphNode& from, const GraphNode& to) const {
  if (backward_edges_ == 0 && is_backward(from, to)) return false;
  std::unordered_set<const GraphNode*> seen{&from};
  std::vector<const GraphNode*> waiting{&from};
  while (!waiting.empty()) {
    const GraphNode* const node = waiting.back();
    waiting.pop_back();
    if (node == &to) return true;
    for (const NodeEdge& edge : node->after) {
      const GraphNode* const next = &find(edge.node);
      if (seen.insert(next).second) waiting.push_back(next);
    }
  }
  return false;
}

void GraphBody::check_edge(const GraphNode& from, const GraphNode& to) const {
  if (&from == &to) throw_edge(concat("node ", to.number, " cannot come after itself"));
  if (std::ranges::find(from.after, to.number, &NodeEdge::node) != from.after.end())
    throw_edge(concat("node ", to.number, " already comes after node ", from.number));
  if (reaches(to, from))
    throw_edge(concat("node ", to.number, " cannot come after node ", from.number, ": node ",
                      from.number, " comes after node ", to.number, "; a graph has no circles"));
}

const NodeEdge& GraphBody::find_edge(const GraphNode& from, const GraphNode& to) const {
  const auto found = std::ranges::find(from.after, to.number, &NodeEdge::node);
  if (found == from.after.end())
    throw Error(Status::NOT_FOUND,
                concat("node ", to.number, " does not come directly after node ", from.number));
  return *found;
}

void GraphBody::disconnect(GraphNode& from, GraphNode& to) noexcept {
  erase_edge(from.after, to.number);
  erase_edge(to.before, from.number);
  backward_edges_ -= is_backward(from, to);
  has_read_edges_ = false;
}

Ref<GraphBody> GraphBody::clone(const driver::CudaTable& cu, CUgraph native) const {
  auto copy = make<GraphBody>(native);
  copy->nodes_.reserve(nodes_.size());
  for (const auto& node : nodes_) {
    GraphNode& twin = copy->add_twin(*node);
    driver::check(cu.cuGraphNodeFindInClone(&twin.native, node->native, native),
                  "find a node in the copy of a graph");
  }
  copy->removed_ = removed_;
  copy->held_ = held_;
  copy->objects_ = objects_;
  copy->backward_edges_ = backward_edges_;
  return copy;
}

void GraphBody::forget() const noexcept {
  for (const auto& node : nodes_)
    if (node->work) node->work->forget();
  for (const auto& node : nodes_)
    for (const auto& body : node->bodies) body->forget();
  for (const auto& object : held_) object->forget();
}

void GraphBody::collect_inner(std::vector<Ref<const Object>>& kept) const {
  for (const auto& node : nodes_)
    for (const auto& body : node->bodies) {
      for (const auto& inner : body->nodes_)
        if (inner->work && inner->work->keeps()) kept.emplace_back(inner->work);
      if (body->plain_.store()) kept.emplace_back(body->plain_.store());
      body->collect_inner(kept);
    }
  kept.insert(kept.end(), held_.begin(), held_.end());
  kept.insert(kept.end(), objects_.begin(), objects_.end());
}

void GraphBody::share(const driver::CudaTable& cu) {
  if (state_.is_shared) return;
  for (const auto& node : nodes_) {
    for (const auto& body : node->bodies) body->share(cu);
    if (!node->keeper && node->work && node->work->keeps())
      node->keeper = UserObject(cu, node->work).move_to(native_);
  }
  for (const auto& object : held_) UserObject(cu, object).move_to(native_);
  for (const auto& object : objects_) UserObject(cu, object).move_to(native_);
  state_.is_shared = true;
}

bool GraphBody::may_print() const {
  if (plain_.store() && plain_.store()->may_print) return true;
  return std::ranges::any_of(nodes_, [](const auto& node) {
    return std::ranges::any_of(node->bodies, &GraphBody::may_print) ||
           (node->work ? node->work->may_print() : node->kind == NodeKind::KERNEL);
  });
}

bool GraphBody::has_memory() const {
  return std::ranges::any_of(nodes_, [](const auto& node) { return is_memory(node->kind); });
}

bool GraphBody::may_be_conditional() const {
  return std::ranges::all_of(nodes_, [](const auto& node) {
    return node->work ? node->work->may_be_conditional() : may_be_in_body(node->kind);
  });
}

void GraphBody::require_alive() const {
  if (state_.is_gone)
    throw Error(Status::INVALID_STATE,
                "the graph belonged to a node, which was removed or set; take its graph again");
}

void GraphBody::end() noexcept {
  state_.is_gone = true;
  for (const auto& node : nodes_)
    for (const auto& body : node->bodies) body->end();
}

void GraphBody::lose_whole() noexcept {
  lose();
  for (const auto& node : nodes_)
    for (const auto& body : node->bodies) body->lose_whole();
}

void GraphBody::require_free(uint64_t condition) const {
  const auto found = conditions_.find(condition);
  if (found == conditions_.end())
    throw_edge(concat("condition ", condition, " is not a condition of this graph"));
  if (found->second != 0)
    throw_edge(concat("condition ", condition, " already decides node ", found->second,
                      "; a condition decides one node"));
}

Ref<GraphBody> GraphBody::sketch() const {
  auto copy = make<GraphBody>(nullptr, is_conditional_);
  copy->nodes_.reserve(nodes_.size());
  for (const auto& node : nodes_) {
    GraphNode& twin = copy->add_twin(*node);
    twin.native = nullptr, twin.keeper = nullptr;
  }
  copy->held_ = held_;
  copy->objects_ = objects_;
  copy->backward_edges_ = backward_edges_;
  return copy;
}

// A copy of the driver lists its nodes in the order of the original. The edges must agree.
bool GraphBody::take(const driver::CudaTable& cu, const GraphBody& sketch) {
  const std::vector<CUgraphNode> natives = driver::nodes_of(cu, native_);
  const std::vector<driver::NativeEdge> edges = driver::edges_of(cu, native_);
  size_t expected = 0;
  for (const auto& node : sketch.nodes_) expected += node->before.size();
  if (natives.size() != sketch.nodes_.size() || edges.size() != expected) return false;
  std::unordered_map<CUgraphNode, const GraphNode*> twins;
  for (size_t i = 0; i < natives.size(); ++i) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    driver::check(cu.cuGraphNodeGetType(natives[i], &type), "query the kind of a node of a graph");
    const NodeKind kind = kind_of(type), wanted = sketch.nodes_[i]->kind;
    const bool is_wide_fill = kind == NodeKind::CHILD && wanted == NodeKind::FILL;
    if (kind != wanted && !is_wide_fill) return false;
    twins.emplace(natives[i], sketch.nodes_[i]);
  }
  for (const driver::NativeEdge& edge : edges) {
    const auto from = twins.find(edge.from), to = twins.find(edge.to);
    if (from == twins.end() || to == twins.end()) return false;
    if (std::ranges::find(from->second->after, to->second->number, &NodeEdge::node) ==
        from->second->after.end())
      return false;
  }
  const Ref<GraphBody> copy = sketch.sketch();
  for (size_t i = 0; i < natives.size(); ++i) copy->nodes_[i]->native = natives[i];
  swap(nodes_, copy->nodes_);
  next_number_ = end_of_numbers_;  // the numbers left may be less than those of the nodes
  swap(places_, copy->places_);
  texts_.merge(copy->texts_);
  backward_edges_ = copy->backward_edges_;
  has_read_edges_ = false;
  forget_references();
  return true;
}

void GraphBody::require_usable() const {
  if (state_.is_lost)
    throw Error(Status::INVALID_STATE,
                "the graph ended with a capture, which was broken or not joined; make a new one");
}

void GraphBody::require_not_captured(const char* action) const {
  if (state_.captures != 0)
    throw Error(Status::INVALID_STATE,
                concat("cannot ", action,
                       " a graph into which a stream is being captured; end the capture first"));
}

void GraphBody::require_whole_not_captured(const char* action) const {
  require_not_captured(action);
  for (const auto& node : nodes_)
    for (const auto& body : node->bodies) body->require_whole_not_captured(action);
}

GraphBody::NewNode GraphBody::read_node(const driver::CudaTable& cu, CUgraphNode native) {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  driver::check(cu.cuGraphNodeGetType(native, &type), "query the kind of a node of a graph");
  NewNode node = make_node();
  node->kind = kind_of(type);
  node->native = native;
  if (is_memory(node->kind)) node->work = read_memory_work(cu, native, node->kind);
  return node;
}

void GraphBody::drop_absent(std::span<const CUgraphNode> natives,
                            std::vector<RemovedNode>& dropped) {
  if (nodes_.empty()) return;
  const std::unordered_set<CUgraphNode> present(natives.begin(), natives.end());
  dropped.reserve(dropped.size() + nodes_.size());
  for (size_t i = nodes_.size(); i-- != 0;) {
    reserve({});
    if (!present.contains(nodes_[i]->native)) dropped.push_back(remove(*nodes_[i]));
  }
}

bool GraphBody::has_nodes(std::span<const CUgraphNode> natives) const {
  return std::ranges::equal(natives, nodes_, {}, {},
                            [](const GraphNode* node) { return node->native; });
}

void GraphBody::read(const driver::CudaTable& cu, std::vector<RemovedNode>& dropped) {
  const std::vector<CUgraphNode> natives = driver::nodes_of(cu, native_);
  std::vector<driver::NativeEdge> edges = driver::edges_of(cu, native_);
  if (has_read_edges_ && edges == read_edges_ && has_nodes(natives)) {
    state_.is_unread = false;
    return;
  }
  drop_absent(natives, dropped);
  NativeNodes known;
  known.reserve(natives.size());
  nodes_.reserve(natives.size());
  for (const auto& node : nodes_) known.emplace(node->native, node);
  for (const CUgraphNode native : natives) {
    if (known.contains(native)) continue;
    auto node = read_node(cu, native);
    known.emplace(native, node.get());
    reserve({});
    insert(std::move(node), {});
  }
  read_edges_ = std::move(edges);
  take_edges(known);
  has_read_edges_ = true;
  state_.is_unread = false;
}

void GraphBody::take_edges(const NativeNodes& known) {
  for (const auto& node : nodes_) node->before.clear(), node->after.clear();
  backward_edges_ = 0;
  for (const driver::NativeEdge& edge : read_edges_) {
    const auto from = known.find(edge.from), to = known.find(edge.to);
    if (from == known.end() || to == known.end()) continue;
    GraphNode* const ends[] = {from->second, to->second};
    reserve(ends);
    connect(*ends[0], *ends[1], edge.data.type != 0);
  }
}

}  // namespace cucore::core
