// SPDX-License-Identifier: Apache-2.0
// Graphs as text in the DOT language.
#pragma once

#include <string>

#include "cpu/driver/graph/graph.hpp"

namespace cucore::cpu {

// `flags` are those of CUgraphDebugDot_flags. The caller holds the lock of graphs.
std::string dot_text(const Graph& graph, unsigned flags);
void write_dot(const char* path, const std::string& text);  // throws OPERATING_SYSTEM

}  // namespace cucore::cpu
