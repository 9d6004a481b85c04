// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph.hpp"

#include <utility>

#include "core/graph/graph_text.hpp"
#include "core/graph/graph_use.hpp"
#include "core/graph/held_objects.hpp"
#include "core/graph/memory_work.hpp"
#include "core/objects/context_scope.hpp"
#include "core/objects/user_object.hpp"
#include "driver/graph_edges.hpp"
#include "support/concat.hpp"
#include "support/log.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;

GraphWork::GraphWork(const GraphBody& body) : may_print_(body.may_print()) {
  auto numbers = std::make_shared<std::vector<NodeNumber>>();
  numbers->reserve(body.nodes().size() + body.plain().list().size());
  works_.reserve(body.nodes().size());
  for (const auto& node : body.nodes()) {
    numbers->push_back(node->number);
    works_.push_back(node->work);
  }
  const PlainNodes& plain = body.plain();
  plain_.assign(plain.list().begin(), plain.list().end());
  plain_store_ = plain.store();
  for (const PlainNode* const node : plain_) numbers->push_back(node->number);
  numbers_ = std::move(numbers);
  body.collect_inner(kept_);
}

Ref<const NodeWork> GraphWork::work(size_t index, const Context& context) const {
  if (index < works_.size()) return works_[index];
  index -= works_.size();
  if (index >= plain_.size()) return nullptr;
  KernelWorkStore store;
  return KernelWork::make_in(store, context, *plain_[index]);
}

void GraphWork::forget() const noexcept {
  for (const auto& work : works_)
    if (work) work->forget();
}

void GraphRoot::expand_plain() const {
  (plain_ ? plain_ : shared_plain_)->expand(*context_);
  plain_ = shared_plain_ = nullptr;
}

// Other code may change a shared graph at any time.
Ref<const GraphWork> GraphRoot::work() const {
  if (body_->may_have_changed()) return make<GraphWork>(*body_);
  if (!work_) work_ = make<GraphWork>(*body_);
  if (plain_) shared_plain_ = std::exchange(plain_, nullptr);
  return work_;
}

GraphRoot::~GraphRoot() {
  const auto* cu = driver::cuda_if_available();
  if (!cu || driver::is_gone()) return;
  {
    const ContextScope scope(*context_, std::nothrow);
    if (scope.is_alive() && body_->is_own()) {
      driver::check_release(cu->cuGraphDestroy(body_->native()), "destroy a graph");
      return;
    }
  }
  body_->forget();  // may run functions of the program
}

namespace {

// A new native graph, until a root takes it over.
class NewGraph {
 public:
  explicit NewGraph(const driver::CudaTable& cu, CUgraph native = nullptr)
      : cu_(cu), native_(native) {}
  ~NewGraph() {
    if (native_) driver::check_release(cu_.cuGraphDestroy(native_), "destroy a graph");
  }
  NewGraph(const NewGraph&) = delete;
  NewGraph& operator=(const NewGraph&) = delete;

  CUgraph* out() { return &native_; }
  CUgraph native() const { return native_; }
  Ref<GraphRoot> root(Ref<Context> context, Ref<GraphBody> body) {
    auto root = make<GraphRoot>(std::move(context), std::move(body));
    native_ = nullptr;
    return root;
  }

 private:
  const driver::CudaTable& cu_;
  CUgraph native_;
};

}  // namespace

Ref<Graph> Graph::adopt(Ref<Context> context, CUgraph native, std::vector<Ref<const Object>> held) {
  NewGraph graph(cuda(), native);
  auto body = GraphBody::unread(native);
  body->reserve({});
  if (!held.empty()) body->keep(make<HeldObjects>(std::move(held)));
  return make<Graph>(graph.root(std::move(context), std::move(body)));
}

Ref<Graph> Graph::of_capture(Ref<Context> context, CUgraph native) {
  auto body = make<GraphBody>(native);
  body->lend();
  const auto root = make<GraphRoot>(std::move(context), std::move(body));
  root->begin_capture(*root->body());
  return make<Graph>(root);
}

CUgraph Graph::begin_capture() const {
  const std::lock_guard lock(root_->mutex());
  body_->require_usable();
  body_->require_alive();
  root_->begin_capture(*body_);
  return body_->native();
}

void Graph::end_capture() const {
  const std::lock_guard lock(root_->mutex());
  root_->end_capture(*body_);
}

void Graph::take_over() const {
  const std::lock_guard lock(root_->mutex());
  body_->take_over();
  root_->end_capture(*body_);
}

void Graph::lose() const {
  const std::lock_guard lock(root_->mutex());
  body_->lose();
  root_->end_capture(*body_);
}

void Graph::lose_whole() const {
  const std::lock_guard lock(root_->mutex());
  root_->body()->lose_whole();
}

void Graph::keep(const Ref<const Object>& object) const {
  const std::lock_guard lock(root_->mutex());
  body_->reserve({});
  if (body_->is_shared()) {
    const ContextScope scope(*context(), "graph");
    UserObject(cuda(), object).move_to(body_->native());
  }
  body_->keep(object);
  root_->change();
}

std::vector<CUgraphNode> Graph::find_nodes(std::span<const NodeNumber> numbers) const {
  const GraphUse use(*root_, *body_);
  std::vector<CUgraphNode> nodes;
  nodes.reserve(numbers.size());
  for (const NodeNumber number : numbers) nodes.push_back(body_->find(number).native);
  return nodes;
}

std::vector<NodeNumber> Graph::find_numbers(std::span<const CUgraphNode> nodes) const {
  const GraphUse use(*root_, *body_);
  std::vector<NodeNumber> numbers;
  numbers.reserve(nodes.size());
  for (const CUgraphNode node : nodes)
    if (const GraphNode* const found = body_->find_native(node)) numbers.push_back(found->number);
  return numbers;
}

Ref<Graph> Graph::create(const Device& device) {
  const PrimaryScope primary(device);
  NewGraph graph(cuda());
  check(cuda().cuGraphCreate(graph.out(), 0),
        [&] { return "create a graph for " + device.label(); });
  return make<Graph>(graph.root(primary.context(), make<GraphBody>(graph.native())));
}

Ref<Graph> Graph::clone() const {
  GraphUse use(*root_, *body_);
  if (root_->has_conditions())
    throw Error(Status::UNSUPPORTED,
                "cannot clone a graph with conditions: the driver has no copy "
                "of a condition; build the graph again");
  if (body_->has_memory())
    throw Error(
        Status::UNSUPPORTED,
        "cannot clone a graph that allocates or frees memory: the driver has no copy of its "
        "nodes; build the graph again");
  root_->require_not_captured(*body_, "clone");
  use.read_inner(*body_);
  NewGraph graph(use.cu());
  check(use.cu().cuGraphClone(graph.out(), body_->native()), "clone a graph");
  return make<Graph>(graph.root(context(), body_->clone(use.cu(), graph.native())));
}

CUgraph Graph::hand_out() const noexcept try {
  std::vector<RemovedNode> dropped;  // ends after the lock
  (void)cuda();                      // throws in a forked process, where the lock may stay taken
  const std::lock_guard lock(root_->mutex());
  if (body_->is_gone()) return nullptr;
  root_->expand();
  const ContextScope scope(*context(), std::nothrow);
  if (scope.is_alive()) {
    body_->read_changes(cuda(), dropped);
    body_->share(cuda());
  }
  root_->change();
  return body_->native();
} catch (const std::exception& error) {
  log(LogLevel::ERROR, error.what());
  return nullptr;
}

namespace {

// Adds the edges to the node. Drivers without data of edges get plain ones. Returns the nodes with
// plain edges.
ShortList<CUgraphNode> add_edges(const driver::CudaTable& cu, std::span<GraphNode* const> before,
                                 GraphNode& to) {
  const bool may_overlap = to.work->is_programmatic() && cu.version >= driver::FIRST_WITH_EDGE_DATA;
  ShortList<CUgraphNode> plain(before.size());
  to.before.reserve(before.size());
  for (const GraphNode* node : before) {
    const bool is_programmatic = may_overlap && node->kind == NodeKind::KERNEL;
    if (!is_programmatic) plain.push_back(node->native);
    to.before.push_back({node->number, is_programmatic});
  }
  return plain;
}

// Adds the node; a shared graph keeps its objects. If it throws, the graph is unchanged. The
// objects are first, because the driver cannot remove a node of a graph with memory.
void add_native(const driver::CudaTable& cu, const GraphBody& body,
                std::span<GraphNode* const> before, GraphNode& node) {
  const CUgraph graph = body.native();
  if (body.is_shared() && node.work->keeps())
    node.keeper = UserObject(cu, node.work).move_to(graph);
  try {
    const ShortList<CUgraphNode> plain = add_edges(cu, before, node);
    node.native = node.work->add_to(cu, graph, plain.all());
    if (plain.all().size() == before.size()) [[likely]]
      return;
    for (size_t i = 0; i < before.size(); ++i)
      if (node.before.begin()[i].is_programmatic)
        check(
            driver::add_edge(cu, graph, before[i]->native, node.native, &driver::PROGRAMMATIC_EDGE),
            "add a programmatic edge to a graph");
  } catch (...) {
    if (node.native)
      driver::check_release(cu.cuGraphDestroyNode(node.native), "destroy a node of a graph");
    release_from(cu, graph, node.keeper);
    throw;
  }
}

}  // namespace

NodeNumber Graph::insert(const driver::CudaTable& cu, std::span<const NodeNumber> after,
                         Ref<const NodeWork>& work) {
  if (body_->is_conditional() && !work->may_be_conditional()) throw_not_for_body(work->kind());
  const ShortList<GraphNode*> before = body_->find_all(after);
  body_->reserve_insertion(before.all());
  GraphBody::NewNode node = body_->make_node();
  node->kind = work->kind();
  node->work = std::move(work);
  try {
    add_native(cu, *body_, before.all(), *node);
  } catch (...) {
    work = std::move(node->work);
    throw;
  }
  const NodeNumber number = body_->insert(std::move(node), before.all());
  root_->change();
  return number;
}

NodeNumber Graph::add(std::span<const NodeNumber> after, Ref<const NodeWork> work) {
  const GraphUse use(*root_, *body_, *work);
  work->require_usable();
  return insert(use.cu(), after, work);
}

NodeNumber Graph::add_memory(std::span<const NodeNumber> after, Ref<const NodeWork> work) {
  const GraphUse use(*root_, *body_);
  work->require_usable();
  if (body_ != root_->body() && !body_->is_conditional())
    throw Error(Status::INVALID_ARGUMENT,
                concat("the graph of a node cannot hold a node of kind ", name_of(work->kind()),
                       "; add it to the whole graph"));
  const auto& memory = static_cast<const MemoryWork&>(*work).memory();
  for (const auto& node : body_->nodes()) {
    const MemoryWork* const other = memory_work_of(node->work.get());
    if (node->kind == NodeKind::FREE && other && other->memory() == memory)
      throw Error(Status::INVALID_ARGUMENT,
                  concat(describe_node(*node), " frees the buffer already"));
  }
  return insert(use.cu(), after, work);
}

void Graph::require_whole() const {
  if (body_ == root_->body()) return;
  throw Error(Status::INVALID_ARGUMENT,
              body_->is_conditional()
                  ? "the graph belongs to a conditional node of another graph; use that graph"
                  : "the graph belongs to a node of another graph; clone it, or use that graph");
}

void Graph::hold(Ref<const KeptObject> object) {
  const GraphUse use(*root_, *body_);
  body_->reserve({});
  if (body_->is_shared()) UserObject(use.cu(), object).move_to(body_->native());
  body_->hold(std::move(object));
  root_->change();
}

}  // namespace cucore::core
