// SPDX-License-Identifier: Apache-2.0
// Graphs as their callers build them: nodes, edges, children and clones. One lock guards all graphs
// of the process, because children, clones and captures connect them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "cpu/driver/graph/node_params.hpp"
#include "cpu/driver/graph/user_object.hpp"
#include "cpu/driver/registry.hpp"

namespace cucore::cpu {

class LiveCondition;
class GraphNode;

// Held during each use of graphs. A thread that holds it does not wait for work.
class GraphLock {
 public:
  GraphLock() : lock_(mutex()) {}

 private:
  static std::mutex& mutex();
  std::lock_guard<std::mutex> lock_;
};

struct GraphEdge {
  GraphNode* node = nullptr;  // the other end
  CUgraphEdgeData data{};
};

class GraphNode : public Object {
 public:
  static constexpr ObjectKind KIND = ObjectKind::GRAPH_NODE;
  GraphNode(Graph& graph, uint64_t number, NodeParams params)
      : params(std::move(params)), graph_(graph), number_(number) {}

  Graph& graph() const { return graph_; }
  uint64_t number() const { return number_; }  // ascending in the order of insertion
  CUgraphNodeType type() const { return type_of(params); }

  NodeParams params;
  std::vector<GraphEdge> before;  // in the order in which they were added
  std::vector<GraphEdge> after;

 private:
  Graph& graph_;  // outlives the handle of the node
  const uint64_t number_;
};

// A condition that cuGraphConditionalHandleCreate made.
struct GraphCondition {
  std::shared_ptr<const LiveCondition> condition;
  uint32_t value = 0;
  bool reset = false;  // to `value` at each launch
  GraphNode* node = nullptr;
};

class Graph : public Object, public std::enable_shared_from_this<Graph> {
 public:
  static constexpr ObjectKind KIND = ObjectKind::GRAPH;
  static std::shared_ptr<Graph> make(GraphNode* owner = nullptr);  // with a handle
  Graph() = default;

  GraphNode& add(NodeParams params, const std::vector<GraphEdge>& before);
  void remove(GraphNode& node);
  void connect(GraphNode& from, GraphNode& to, const CUgraphEdgeData& data);
  void disconnect(GraphNode& from, GraphNode& to, const CUgraphEdgeData& data);
  void set(GraphNode& node, NodeParams params);
  void destroy();  // ends all handles

  const std::map<uint64_t, std::shared_ptr<GraphNode>>& nodes() const { return nodes_; }
  std::shared_ptr<Graph> clone(GraphNode* owner = nullptr) const;
  GraphNode* find_in_clone(const GraphNode& original) const;

  GraphNode* owner() const { return owner_; }  // of a child or a body
  void set_owner(GraphNode& owner) { owner_ = &owner; }
  Graph& root();
  bool in_body() const;  // a conditional node is above
  bool has_memory() const;
  bool has_conditions() const;

  // Of the root: the conditions by handle.
  std::map<uint64_t, GraphCondition>& conditions() { return root().conditions_; }

  UserObjectList& objects() { return objects_; }
  const UserObjectList& objects() const { return objects_; }

  unsigned captures = 0;           // that add nodes now
  uint64_t context = 0;            // see report_leaks_of(); guarded by the lock of graphs
  std::weak_ptr<void> executable;  // the only one of a graph with memory or conditions

 private:
  bool has_any(std::initializer_list<CUgraphNodeType> types) const;
  void check_edge(const GraphNode& from, const GraphNode& to, const CUgraphEdgeData& data) const;
  bool reaches(const GraphNode& from, const GraphNode& to) const;
  void own_parts(GraphNode& node);
  void drop_parts(GraphNode& node);

  std::map<uint64_t, std::shared_ptr<GraphNode>> nodes_;
  uint64_t last_number_ = 0;
  uint64_t backward_edges_ = 0;  // from a later node to an earlier one
  GraphNode* owner_ = nullptr;
  std::map<uint64_t, GraphCondition> conditions_;
  UserObjectList objects_;
  std::unordered_map<uint64_t, uint64_t> clones_;  // handle of the original: number of the copy
};

// Return the object of a handle; throw INVALID_VALUE. The caller holds the lock.
std::shared_ptr<Graph> find_graph(CUgraph handle);
std::shared_ptr<GraphNode> find_node(CUgraphNode handle);

// Returns the edges from existing nodes of the graph to a new one.
std::vector<GraphEdge> edges_from(const Graph& graph, const CUgraphNode* nodes,
                                  const CUgraphEdgeData* data, size_t count);
bool plain(const CUgraphEdgeData& data);  // all zero
bool equal(const CUgraphEdgeData& a, const CUgraphEdgeData& b);

// Visits the graph and its children and bodies, each before its parts.
void each_graph(const Graph& graph, const std::function<void(const Graph&)>& visit);
std::vector<std::shared_ptr<Graph>> parts_of(const NodeParams& params);

}  // namespace cucore::cpu
