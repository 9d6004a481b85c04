// SPDX-License-Identifier: Apache-2.0
#include "driver/graph_edges.hpp"

namespace cucore::driver {

std::vector<NativeEdge> edges_of(const CudaTable& cu, CUgraph graph) {
  std::vector<CUgraphNode> from, to;
  std::vector<CUgraphEdgeData> data;
  const auto read = [&](size_t& count) {
    CUgraphNode* const starts = from.empty() ? nullptr : from.data();
    CUgraphNode* const ends = to.empty() ? nullptr : to.data();
    CUgraphEdgeData* const details = data.empty() ? nullptr : data.data();
    return cu.cuGraphGetEdges ? cu.cuGraphGetEdges(graph, starts, ends, details, &count)
                              : cu.cuGraphGetEdges_v1(graph, starts, ends, &count);
  };
  size_t count = 0;
  // Without room for data, edges with data are CUDA_ERROR_LOSSY_QUERY, and the count is set.
  if (const CUresult result = read(count); result != CUDA_ERROR_LOSSY_QUERY)
    check(result, "count the edges of a graph");
  if (count == 0) return {};
  from.resize(count), to.resize(count), data.resize(count);
  check(read(count), "read the edges of a graph");
  std::vector<NativeEdge> edges;
  edges.reserve(count);
  for (size_t i = 0; i < count; ++i) edges.push_back({from[i], to[i], data[i]});
  return edges;
}

std::vector<CUgraphNode> nodes_of(const CudaTable& cu, CUgraph graph) {
  size_t count = 0;
  check(cu.cuGraphGetNodes(graph, nullptr, &count), "count the nodes of a graph");
  std::vector<CUgraphNode> nodes(count);
  if (count != 0)
    check(cu.cuGraphGetNodes(graph, nodes.data(), &count), "read the nodes of a graph");
  nodes.resize(count);
  return nodes;
}

}  // namespace cucore::driver
