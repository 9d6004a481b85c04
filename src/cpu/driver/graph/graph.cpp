// SPDX-License-Identifier: Apache-2.0
// Nodes, edges and clones of graphs.
#include "cpu/driver/graph/graph.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "cpu/driver/context.hpp"

namespace cucore::cpu {
namespace {

void erase_edge(std::vector<GraphEdge>& edges, const GraphNode& node, const CUgraphEdgeData& data) {
  auto found = std::find_if(edges.begin(), edges.end(), [&](const GraphEdge& e) {
    return e.node == &node && equal(e.data, data);
  });
  if (found != edges.end()) edges.erase(found);
}

bool has_edge(const std::vector<GraphEdge>& edges, const GraphNode& node,
              const CUgraphEdgeData& data) {
  return std::any_of(edges.begin(), edges.end(),
                     [&](const GraphEdge& e) { return e.node == &node && equal(e.data, data); });
}

void check_data(const GraphNode& from, const NodeParams& to, const CUgraphEdgeData& d) {
  const CUgraphEdgeData none{};
  require(d.to_port == 0 && std::memcmp(d.reserved, none.reserved, sizeof d.reserved) == 0);
  require(d.type <= CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  require(d.from_port <= CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER);
  const bool programmatic = d.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  require(!programmatic || d.from_port != CU_GRAPH_KERNEL_NODE_PORT_DEFAULT);
  require(d.from_port == 0 || from.type() == CU_GRAPH_NODE_TYPE_KERNEL);
  require(!programmatic || type_of(to) == CU_GRAPH_NODE_TYPE_KERNEL);
}

// A capture that fills a part of a node has pointers into it.
void require_uncaptured_parts(const GraphNode& node) {
  for (const auto& part : parts_of(node.params))
    each_graph(*part, [](const Graph& graph) { require(graph.captures == 0); });
}

bool is_moved(const NodeParams& params) {
  auto* child = std::get_if<std::shared_ptr<const ChildParams>>(&params);
  return child && (*child)->ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
}

// The clones and bodies that were made for a node. They end if the graph refuses the node.
class NewParts {
 public:
  explicit NewParts(const NodeParams& params) {
    if (!is_moved(params)) parts_ = parts_of(params);
  }
  ~NewParts() {
    for (const auto& part : parts_) part->destroy();
  }
  NewParts(const NewParts&) = delete;
  NewParts& operator=(const NewParts&) = delete;
  void keep() { parts_.clear(); }

 private:
  std::vector<std::shared_ptr<Graph>> parts_;
};

}  // namespace

std::mutex& GraphLock::mutex() {
  static std::mutex& m = *new std::mutex;  // never destroyed
  return m;
}

bool equal(const CUgraphEdgeData& a, const CUgraphEdgeData& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
bool plain(const CUgraphEdgeData& data) { return equal(data, {}); }

std::vector<std::shared_ptr<Graph>> parts_of(const NodeParams& params) {
  if (auto* child = std::get_if<std::shared_ptr<const ChildParams>>(&params))
    return {(*child)->graph};
  if (auto* conditional = std::get_if<std::shared_ptr<const ConditionalParams>>(&params))
    return (*conditional)->bodies;
  return {};
}

void each_graph(const Graph& graph, const std::function<void(const Graph&)>& visit) {
  visit(graph);
  for (const auto& [number, node] : graph.nodes())
    for (const auto& part : parts_of(node->params)) each_graph(*part, visit);
}

std::shared_ptr<Graph> Graph::make(GraphNode* owner) {
  auto graph = std::make_shared<Graph>();
  graph->owner_ = owner;
  graph->context = id_of_current_context();
  new_handle<CUgraph>(graph);
  return graph;
}

Graph& Graph::root() {
  Graph* graph = this;
  while (graph->owner_) graph = &graph->owner_->graph();
  return *graph;
}

bool Graph::has_memory() const {
  return has_any({CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEM_FREE});
}
bool Graph::has_conditions() const {
  return !conditions_.empty() || has_any({CU_GRAPH_NODE_TYPE_CONDITIONAL});
}

bool Graph::in_body() const {
  for (const Graph* g = this; g->owner_; g = &g->owner_->graph())
    if (g->owner_->type() == CU_GRAPH_NODE_TYPE_CONDITIONAL) return true;
  return false;
}

bool Graph::has_any(std::initializer_list<CUgraphNodeType> types) const {
  bool found = false;
  each_graph(*this, [&](const Graph& graph) {
    for (const auto& [number, node] : graph.nodes())
      found |= std::find(types.begin(), types.end(), node->type()) != types.end();
  });
  return found;
}

GraphNode& Graph::add(NodeParams params, const std::vector<GraphEdge>& before) {
  NewParts parts(params);
  for (size_t i = 0; i < before.size(); ++i) {
    check_data(*before[i].node, params, before[i].data);
    for (size_t j = 0; j < i; ++j)
      require(before[j].node != before[i].node || !equal(before[j].data, before[i].data));
  }
  auto node = std::make_shared<GraphNode>(*this, ++last_number_, std::move(params));
  new_handle<CUgraphNode>(node);
  nodes_.emplace(node->number(), node);
  parts.keep();
  for (const GraphEdge& edge : before) {
    node->before.push_back(edge);
    edge.node->after.push_back({node.get(), edge.data});
  }
  own_parts(*node);
  return *node;
}

void Graph::own_parts(GraphNode& node) {
  for (const auto& part : parts_of(node.params)) part->set_owner(node);
}

void Graph::drop_parts(GraphNode& node) {
  for (const auto& part : parts_of(node.params)) part->destroy();
}

void Graph::set(GraphNode& node, NodeParams params) {
  NewParts parts(params);
  require_uncaptured_parts(node);
  drop_parts(node);
  node.params = std::move(params);
  parts.keep();
  own_parts(node);
}

void Graph::remove(GraphNode& node) {
  require(captures == 0 && !root().has_memory());
  require_uncaptured_parts(node);
  for (const GraphEdge& edge : node.before) {
    erase_edge(edge.node->after, node, edge.data);
    backward_edges_ -= edge.node->number() > node.number();
  }
  for (const GraphEdge& edge : node.after) {
    erase_edge(edge.node->before, node, edge.data);
    backward_edges_ -= node.number() > edge.node->number();
  }
  for (auto& [handle, condition] : conditions())
    if (condition.node == &node) condition.node = nullptr;
  drop_parts(node);
  Registry::instance().remove(ObjectKind::GRAPH_NODE, node.handle_bits());
  nodes_.erase(node.number());
}

bool Graph::reaches(const GraphNode& from, const GraphNode& to) const {
  std::vector<const GraphNode*> pending = {&from};
  std::set<const GraphNode*> seen;
  while (!pending.empty()) {
    const GraphNode* node = pending.back();
    pending.pop_back();
    if (node == &to) return true;
    if (!seen.insert(node).second) continue;
    for (const GraphEdge& edge : node->after) pending.push_back(edge.node);
  }
  return false;
}

void Graph::connect(GraphNode& from, GraphNode& to, const CUgraphEdgeData& data) {
  require(&from.graph() == this && &to.graph() == this && &from != &to);
  check_data(from, to.params, data);
  require(!has_edge(to.before, from, data));
  const bool backward = from.number() > to.number();
  // Without edges to earlier nodes, a forward edge closes no cycle.
  if (backward || backward_edges_ > 0) require(!reaches(to, from));
  backward_edges_ += backward;
  to.before.push_back({&from, data});
  from.after.push_back({&to, data});
}

void Graph::disconnect(GraphNode& from, GraphNode& to, const CUgraphEdgeData& data) {
  require(&from.graph() == this && &to.graph() == this && !root().has_memory());
  require(has_edge(to.before, from, data));
  backward_edges_ -= from.number() > to.number();
  erase_edge(to.before, from, data);
  erase_edge(from.after, to, data);
}

void Graph::destroy() {
  for (const auto& [number, node] : nodes_) {
    drop_parts(*node);
    Registry::instance().remove(ObjectKind::GRAPH_NODE, node->handle_bits());
  }
  Registry::instance().remove(ObjectKind::GRAPH, handle_bits());
}

std::shared_ptr<Graph> Graph::clone(GraphNode* owner) const {
  require(!has_memory() && !has_conditions(), CUDA_ERROR_NOT_SUPPORTED);
  auto copy = make(owner);
  copy->objects_ = objects_;
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  for (const auto& [number, node] : nodes_) {
    NodeParams params = node->params;
    if (auto* child = std::get_if<std::shared_ptr<const ChildParams>>(&params)) {
      auto own = std::make_shared<ChildParams>(**child);
      own->graph = own->graph->clone();
      *child = std::move(own);
    }
    GraphNode& added = copy->add(std::move(params), {});
    copies[node.get()] = &added;
    copy->clones_[node->handle_bits()] = added.number();
  }
  for (const auto& [number, node] : nodes_)
    for (const GraphEdge& edge : node->before)
      copy->connect(*copies[edge.node], *copies[node.get()], edge.data);
  return copy;
}

GraphNode* Graph::find_in_clone(const GraphNode& original) const {
  auto known = clones_.find(original.handle_bits());
  if (known == clones_.end()) return nullptr;
  auto found = nodes_.find(known->second);
  return found == nodes_.end() ? nullptr : found->second.get();
}

std::shared_ptr<Graph> find_graph(CUgraph handle) {
  return lookup<Graph>(handle, CUDA_ERROR_INVALID_VALUE);
}
std::shared_ptr<GraphNode> find_node(CUgraphNode handle) {
  return lookup<GraphNode>(handle, CUDA_ERROR_INVALID_VALUE);
}

std::vector<GraphEdge> edges_from(const Graph& graph, const CUgraphNode* nodes,
                                  const CUgraphEdgeData* data, size_t count) {
  require(count == 0 || nodes);
  require(count <= graph.nodes().size() * 8);  // before memory is reserved for them
  std::vector<GraphEdge> edges;
  for (size_t i = 0; i < count; ++i) {
    auto node = find_node(nodes[i]);
    require(&node->graph() == &graph);
    edges.push_back({node.get(), data ? data[i] : CUgraphEdgeData{}});
  }
  return edges;
}

}  // namespace cucore::cpu
