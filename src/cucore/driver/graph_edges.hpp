// SPDX-License-Identifier: Apache-2.0
// The calls about edges of graphs, whose signatures changed with CUDA 12.3.
#pragma once

#include <utility>
#include <vector>

#include "driver/cuda.hpp"

namespace cucore::driver {

// The first driver with data of edges.
inline constexpr int FIRST_WITH_EDGE_DATA = 12030;

// The edge after which a kernel may start before the end of the kernel before it.
inline constexpr CUgraphEdgeData PROGRAMMATIC_EDGE = [] {
  CUgraphEdgeData data{};
  data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  return data;
}();

inline CUresult add_edge(const CudaTable& cu, CUgraph graph, CUgraphNode from, CUgraphNode to,
                         const CUgraphEdgeData* data = nullptr) {
  if (cu.cuGraphAddDependencies) return cu.cuGraphAddDependencies(graph, &from, &to, data, 1);
  return cu.cuGraphAddDependencies_v1(graph, &from, &to, 1);
}

inline CUresult remove_edge(const CudaTable& cu, CUgraph graph, CUgraphNode from, CUgraphNode to,
                            const CUgraphEdgeData* data = nullptr) {
  if (cu.cuGraphRemoveDependencies) return cu.cuGraphRemoveDependencies(graph, &from, &to, data, 1);
  return cu.cuGraphRemoveDependencies_v1(graph, &from, &to, 1);
}

struct NativeEdge {
  CUgraphNode from, to;
  CUgraphEdgeData data;
  friend bool operator==(const NativeEdge& a, const NativeEdge& b) {
    return a.from == b.from && a.to == b.to && a.data.from_port == b.data.from_port &&
           a.data.to_port == b.data.to_port && a.data.type == b.data.type;
  }
};

// Returns all edges of a graph. Throws if the driver fails.
std::vector<NativeEdge> edges_of(const CudaTable& cu, CUgraph graph);

// Returns all nodes of a graph. Throws if the driver fails.
std::vector<CUgraphNode> nodes_of(const CudaTable& cu, CUgraph graph);

}  // namespace cucore::driver
