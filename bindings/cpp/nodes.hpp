// SPDX-License-Identifier: Apache-2.0
// Lists of nodes that calls return, and the text of a graph.
#pragma once

#include <cucore.h>

#include <cstddef>
#include <string>
#include <vector>

#include "failure.hpp"

namespace cucore::bind {

using Nodes = std::vector<cucore_node>;

// Calls a function that fills an array, whose size it returns. Another thread may add nodes between
// the two calls.
template <class List, class Function, class... Arguments>
List filled(Function* function, const Arguments&... arguments) {
  for (List list;;) {
    size_t count = 0;
    cucore_error* error = nullptr;
    const cucore_status status =
        function(arguments..., list.empty() ? nullptr : list.data(), list.size(), &count, &error);
    if (status != CUCORE_OK && status != CUCORE_ERROR_BUFFER_TOO_SMALL)
      throw Failure(status, error);
    cucore_error_release(error);
    const bool is_whole = count <= list.size();
    list.resize(count);
    if (is_whole) return list;
  }
}

template <class Function, class... Arguments>
Nodes nodes_of(Function* function, const Arguments&... arguments) {
  return filled<Nodes>(function, arguments...);
}

inline std::string dot_of(const cucore_graph* graph, uint32_t details) {
  return filled<std::string>(cucore_graph_dot, graph, details);
}

}  // namespace cucore::bind
