// SPDX-License-Identifier: Apache-2.0
// Nodes and graphs as text, for messages and for the dot language.
#pragma once

#include <string>

#include "core/graph/graph_body.hpp"

namespace cucore::core {

// Returns "node 17 (kernel saxpy, "stage 2")".
std::string describe_node(const GraphNode& node);

// Returns the graph in the dot language, with names, shapes, sizes and labels.
std::string to_dot(const GraphBody& graph);

// Returns the driver's text with these details.
std::string native_dot(const driver::CudaTable& cu, CUgraph graph, uint32_t details);

}  // namespace cucore::core
