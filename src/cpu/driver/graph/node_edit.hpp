// SPDX-License-Identifier: Apache-2.0
// Adds nodes, and reads and replaces what they do, in graphs and in executables.
#pragma once

#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/graph/executable.hpp"
#include "cpu/driver/graph/node_struct.hpp"

namespace cucore::cpu::api::node_edit {

// `make` gets the graph and returns the parameters of the new node.
template <class Make>
CUresult add(CUgraphNode* out, CUgraph handle, const CUgraphNode* dependencies,
             const CUgraphEdgeData* data, size_t count, Make make) {
  require(out != nullptr);
  GraphLock lock;
  auto graph = find_graph(handle);
  const auto edges = edges_from(*graph, dependencies, data, count);
  GraphNode& node = graph->add(make(*graph), edges);
  adopt(*graph, node);
  *out = handle_of<CUgraphNode>(node);
  return CUDA_SUCCESS;
}

template <class Make>
CUresult add(CUgraphNode* out, CUgraph graph, const CUgraphNode* dependencies, size_t count,
             Make make) {
  return add(out, graph, dependencies, nullptr, count, make);
}

// Replaces the parameters of a node of one kind; `make` gets the present ones.
template <class T, class Make>
CUresult set(CUgraphNode node_handle, Make make) {
  GraphLock lock;
  auto node = find_node(node_handle);
  node->graph().set(*node, make(params_as<T>(node->params)));
  return CUDA_SUCCESS;
}

// The same for one step of an executable.
template <class T, class Make>
CUresult set(CUgraphExec handle, CUgraphNode node_handle, Make make) {
  GraphLock lock;
  auto executable = lookup<GraphExecutable>(handle, CUDA_ERROR_INVALID_VALUE);
  const uint64_t node = find_node(node_handle)->handle_bits();
  const NodeParams now = executable->params(node);
  executable->set(node, make(params_as<T>(now)));
  return CUDA_SUCCESS;
}

template <class T, class Give>
CUresult get(CUgraphNode node_handle, const void* out, Give give) {
  require(out != nullptr);
  GraphLock lock;
  give(params_as<T>(find_node(node_handle)->params));
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api::node_edit
