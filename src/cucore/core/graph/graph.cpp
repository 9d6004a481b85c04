// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph.hpp"

#include <optional>
#include <utility>

#include "core/graph/driver_facts.hpp"
#include "core/graph/graph_text.hpp"
#include "core/graph/graph_use.hpp"
#include "core/graph/held_objects.hpp"
#include "core/graph/memory_work.hpp"
#include "core/graph/node_change.hpp"
#include "core/graph/temporary_graph.hpp"
#include "core/objects/context_scope.hpp"
#include "core/objects/external.hpp"
#include "core/objects/user_object.hpp"
#include "driver/graph_edges.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"
#include "support/log.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;

namespace {

constexpr CUgraphEdgeData PROGRAMMATIC = [] {
  CUgraphEdgeData data{};
  data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  return data;
}();

}  // namespace

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
  const ContextScope scope(*context_, std::nothrow);
  const auto* cu = driver::cuda_if_available();
  if (!cu || driver::is_gone()) return;
  if (scope.is_alive() && body_->is_own())
    driver::check_release(cu->cuGraphDestroy(body_->native()), "destroy a graph");
  else
    body_->forget();
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
  std::vector<Ref<const NodeWork>> dropped;  // ends after the lock
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
        check(driver::add_edge(cu, graph, before[i]->native, node.native, &PROGRAMMATIC),
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

Ref<Graph> Graph::child(NodeNumber number, size_t index) const {
  const GraphUse use(*root_, *body_);
  GraphNode& node = body_->find(number);
  const auto& bodies = inner_graphs(use.cu(), node, *body_);
  if (index >= bodies.size())
    throw Error(Status::INVALID_ARGUMENT, concat("index is ", index, "; ", describe_node(node),
                                                 " has ", counted(bodies.size(), "graph")));
  return make<Graph>(root_, bodies[index]);
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

namespace {

// Checks a removal, which the driver refuses for each node and edge of a graph with memory.
template <class Describe>
void check_removal(CUresult result, const GraphBody& root, Describe&& describe) {
  const bool is_refusal = result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_SUPPORTED;
  if (is_refusal && root.has_memory())
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
    check(work->set_in_graph(cu, node.native, node.work.get()),
          [&] { return concat("set ", describe_node(node)); });
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

void Graph::require_whole() const {
  if (body_ == root_->body()) return;
  throw Error(Status::INVALID_ARGUMENT,
              body_->is_conditional()
                  ? "the graph belongs to a conditional node of another graph; use that graph"
                  : "the graph belongs to a node of another graph; clone it, or use that graph");
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
                         is_programmatic ? &PROGRAMMATIC : nullptr),
        [&] { return concat("let node ", to, " come after node ", from); });
  body_->connect(*ends[0], *ends[1], is_programmatic);
}

void Graph::remove_edge(NodeNumber from, NodeNumber to) {
  const GraphUse use(*root_, *body_);
  GraphNode &start = body_->find(from), &end = body_->find(to);
  const bool is_programmatic = body_->find_edge(start, end).is_programmatic;
  check_removal(driver::remove_edge(use.cu(), body_->native(), start.native, end.native,
                                    is_programmatic ? &PROGRAMMATIC : nullptr),
                *root_->body(),
                [&] { return concat("remove the edge from node ", from, " to node ", to); });
  body_->disconnect(start, end);
}

void Graph::set_label(NodeNumber node, const char* label) {
  const GraphUse use(*root_, *body_);
  body_->find(node).label = *label ? body_->keep_text(label) : nullptr;
}

void Graph::hold(Ref<const KeptObject> object) {
  const GraphUse use(*root_, *body_);
  body_->reserve({});
  if (body_->is_shared()) UserObject(use.cu(), object).move_to(body_->native());
  body_->hold(std::move(object));
  root_->change();
}

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
