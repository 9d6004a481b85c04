// SPDX-License-Identifier: Apache-2.0
// Lists of nodes that calls return, and the text of a graph.
#pragma once

#include <cucore.h>

#include <cstddef>
#include <cucore/device.hpp>
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

// Adds a node that allocates memory. `peers` has a bit for the ordinal of each peer.
inline cucore_buffer* add_buffer(cucore_graph* graph, const cucore_node* after, size_t after_count,
                                 int64_t length, uint64_t peers) {
  std::vector<Device> devices;
  std::vector<const cucore_device*> handles;
  for (int32_t ordinal = 0; ordinal < 64; ++ordinal) {
    if (!(peers >> ordinal & 1)) continue;
    devices.push_back(Device::adopt(made<cucore_device*>(cucore_device_open, ordinal)));
    handles.push_back(devices.back().get());
  }
  cucore_buffer* buffer = nullptr;
  cucore_node node = 0;
  ok(cucore_graph_add_buffer, graph, after, after_count, static_cast<size_t>(length),
     handles.data(), handles.size(), &buffer, &node);
  return buffer;
}

// The last node that allocates the memory of a buffer.
inline cucore_node allocation_of(const cucore_graph* graph, const cucore_buffer* buffer) {
  for (size_t index = cucore_graph_node_count(graph); index-- != 0;) {
    const auto node = made<cucore_node>(cucore_graph_node_at, graph, index);
    const auto info = info_of<cucore_node_info>(cucore_graph_node_query, graph, node);
    if (info.kind == CUCORE_NODE_KIND_ALLOCATION &&
        info.destination == cucore_buffer_address(buffer))
      return node;
  }
  return 0;
}

inline std::string dot_of(const cucore_graph* graph, uint32_t details) {
  return filled<std::string>(cucore_graph_dot, graph, details);
}

}  // namespace cucore::bind
