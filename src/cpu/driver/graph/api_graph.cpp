// SPDX-License-Identifier: Apache-2.0
// Graphs, their edges, and the queries of nodes and edges.
#include "cpu/driver/api.hpp"
#include "cpu/driver/graph/dot.hpp"
#include "cpu/driver/graph/graph.hpp"
#include "cpu/exec/conditions.hpp"

namespace cucore::cpu::api {
namespace {

// Writes a list as CUDA's queries do: without an array only its length, else at most `*count`
// entries, and null handles behind the last one.
void give_nodes(const std::vector<const GraphNode*>& list, CUgraphNode* out, size_t* count) {
  require(count != nullptr);
  const size_t capacity = out ? *count : 0;
  for (size_t i = 0; i < capacity; ++i)
    out[i] = i < list.size() ? handle_of<CUgraphNode>(*list[i]) : nullptr;
  *count = out ? std::min(capacity, list.size()) : list.size();
}

struct FoundEdge {
  const GraphNode* from;
  const GraphNode* to;
  CUgraphEdgeData data;
};

// A query without room for data must not lose any.
void give_data(const std::vector<FoundEdge>& edges, CUgraphEdgeData* out, size_t capacity,
               bool asked) {
  if (!asked) return;
  for (size_t i = 0; i < edges.size(); ++i) {
    require(out || plain(edges[i].data), CUDA_ERROR_LOSSY_QUERY);
    if (out && i < capacity) out[i] = edges[i].data;
  }
  for (size_t i = edges.size(); out && i < capacity; ++i) out[i] = {};
}

CUresult give_edges(const std::vector<FoundEdge>& edges, CUgraphNode* from, CUgraphNode* to,
                    CUgraphEdgeData* data, size_t* count) {
  require(count && (from != nullptr) == (to != nullptr) && (from || !data));
  const size_t capacity = *count;
  std::vector<const GraphNode*> starts, ends;
  for (const FoundEdge& edge : edges) {
    starts.push_back(edge.from);
    ends.push_back(edge.to);
  }
  give_data(edges, data, capacity, from != nullptr);
  size_t same = capacity;
  give_nodes(starts, from, &same);
  give_nodes(ends, to, count);
  return CUDA_SUCCESS;
}

CUresult give_neighbours(const std::vector<GraphEdge>& edges, CUgraphNode* nodes,
                         CUgraphEdgeData* data, size_t* count) {
  require(count && (nodes || !data));
  std::vector<FoundEdge> found;
  std::vector<const GraphNode*> list;
  for (const GraphEdge& edge : edges) {
    found.push_back({edge.node, edge.node, edge.data});
    list.push_back(edge.node);
  }
  give_data(found, data, *count, nodes != nullptr);
  give_nodes(list, nodes, count);
  return CUDA_SUCCESS;
}

using Change = void (Graph::*)(GraphNode&, GraphNode&, const CUgraphEdgeData&);

// All edges are checked by the changes themselves; the ones before a failure stay changed.
CUresult change_edges(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                      const CUgraphEdgeData* data, size_t count, Change change) {
  GraphLock lock;
  auto graph = find_graph(hGraph);
  require(count == 0 || (from && to));
  for (size_t i = 0; i < count; ++i) {
    auto start = find_node(from[i]), end = find_node(to[i]);
    ((*graph).*change)(*start, *end, data ? data[i] : CUgraphEdgeData{});
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuGraphCreate(CUgraph* phGraph, unsigned int flags) {
  require(phGraph && flags == 0);
  GraphLock lock;
  *phGraph = handle_of<CUgraph>(*Graph::make());
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph hGraph) {
  GraphLock lock;
  auto graph = find_graph(hGraph);
  require(graph->owner() == nullptr);
  each_graph(*graph, [](const Graph& g) { require(g.captures == 0); });
  graph->destroy();
  return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph* phGraphClone, CUgraph originalGraph) {
  require(phGraphClone != nullptr);
  GraphLock lock;
  *phGraphClone = handle_of<CUgraph>(*find_graph(originalGraph)->clone());
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeFindInClone(CUgraphNode* phNode, CUgraphNode hOriginalNode,
                                CUgraph hClonedGraph) {
  require(phNode != nullptr);
  GraphLock lock;
  auto graph = find_graph(hClonedGraph);
  GraphNode* found = graph->find_in_clone(*find_node(hOriginalNode));
  require(found != nullptr);
  *phNode = handle_of<CUgraphNode>(*found);
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode* nodes, size_t* numNodes) {
  GraphLock lock;
  std::vector<const GraphNode*> list;
  for (const auto& [number, node] : find_graph(hGraph)->nodes()) list.push_back(node.get());
  give_nodes(list, nodes, numNodes);
  return CUDA_SUCCESS;
}

CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode* rootNodes, size_t* numRootNodes) {
  GraphLock lock;
  std::vector<const GraphNode*> list;
  for (const auto& [number, node] : find_graph(hGraph)->nodes())
    if (node->before.empty()) list.push_back(node.get());
  give_nodes(list, rootNodes, numRootNodes);
  return CUDA_SUCCESS;
}

CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to,
                            CUgraphEdgeData* edgeData, size_t* numEdges) {
  GraphLock lock;
  std::vector<FoundEdge> edges;
  for (const auto& [number, node] : find_graph(hGraph)->nodes())
    for (const GraphEdge& edge : node->after) edges.push_back({node.get(), edge.node, edge.data});
  return give_edges(edges, from, to, edgeData, numEdges);
}
CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, size_t* numEdges) {
  return api::cuGraphGetEdges_v2(hGraph, from, to, nullptr, numEdges);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode* dependencies,
                                       CUgraphEdgeData* edgeData, size_t* numDependencies) {
  GraphLock lock;
  return give_neighbours(find_node(hNode)->before, dependencies, edgeData, numDependencies);
}
CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode* dependencies,
                                    size_t* numDependencies) {
  return api::cuGraphNodeGetDependencies_v2(hNode, dependencies, nullptr, numDependencies);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode* dependentNodes,
                                         CUgraphEdgeData* edgeData, size_t* numDependentNodes) {
  GraphLock lock;
  return give_neighbours(find_node(hNode)->after, dependentNodes, edgeData, numDependentNodes);
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode* dependentNodes,
                                      size_t* numDependentNodes) {
  return api::cuGraphNodeGetDependentNodes_v2(hNode, dependentNodes, nullptr, numDependentNodes);
}

CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* edgeData, size_t numDependencies) {
  return change_edges(hGraph, from, to, edgeData, numDependencies, &Graph::connect);
}
CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                size_t numDependencies) {
  return change_edges(hGraph, from, to, nullptr, numDependencies, &Graph::connect);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode* from,
                                      const CUgraphNode* to, const CUgraphEdgeData* edgeData,
                                      size_t numDependencies) {
  return change_edges(hGraph, from, to, edgeData, numDependencies, &Graph::disconnect);
}
CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                   size_t numDependencies) {
  return change_edges(hGraph, from, to, nullptr, numDependencies, &Graph::disconnect);
}

CUresult cuGraphDestroyNode(CUgraphNode hNode) {
  GraphLock lock;
  auto node = find_node(hNode);
  node->graph().remove(*node);
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType* type) {
  require(type != nullptr);
  GraphLock lock;
  *type = find_node(hNode)->type();
  return CUDA_SUCCESS;
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* pHandle_out, CUgraph hGraph,
                                        CUcontext ctx, unsigned int defaultLaunchValue,
                                        unsigned int flags) {
  require(pHandle_out && (flags & ~static_cast<unsigned>(CU_GRAPH_COND_ASSIGN_DEFAULT)) == 0);
  context_of_node(ctx);
  GraphLock lock;
  auto graph = find_graph(hGraph);
  auto condition = std::make_shared<const LiveCondition>(defaultLaunchValue);
  *pHandle_out = condition->handle();
  graph->conditions()[*pHandle_out] = {std::move(condition), defaultLaunchValue, flags != 0,
                                       nullptr};
  return CUDA_SUCCESS;
}

CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char* path, unsigned int flags) {
  require(path != nullptr);
  std::string text;
  {
    GraphLock lock;
    text = dot_text(*find_graph(hGraph), flags);
  }
  write_dot(path, text);
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
