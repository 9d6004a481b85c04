// SPDX-License-Identifier: Apache-2.0
// CUgraphNodeParams, the tagged union of the generic functions.
#pragma once

#include "cpu/driver/graph/graph.hpp"

namespace cucore::cpu {

// Make the parameters of a new node of the graph. The caller holds the lock of graphs.
NodeParams make_child(const Graph& graph, CUgraph child, CUgraphChildGraphNodeOwnership ownership);
NodeParams make_conditional(Graph& graph, CUDA_CONDITIONAL_NODE_PARAMS& given);
NodeParams make_any(Graph& graph, CUgraphNodeParams& given);
// For a node that the graph has accepted: its condition, the memory of its child, and the memory
// that it frees belong to it. A refused node leaves them as they were.
void adopt(Graph& graph, GraphNode& node);

// Makes the parameters that replace those of a node. `now` gives what the structure lacks. Throws
// INVALID_VALUE for the kinds that cannot be replaced.
NodeParams make_replacement(const NodeParams& now, const CUgraphNodeParams& given);
void check_reserved(const CUgraphNodeParams* given);

}  // namespace cucore::cpu
