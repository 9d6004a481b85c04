/// @file cucore/capture.hpp
/// Captures: streams whose work becomes nodes of a graph.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_CAPTURE_HPP_INCLUDED
#define CUCORE_CAPTURE_HPP_INCLUDED

#include "graph.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

inline Returned<void> Stream::begin_capture(const CaptureOptions& options) const {
  cucore_capture_options c = CUCORE_CAPTURE_OPTIONS_INIT;
  c.mode = static_cast<cucore_capture_mode>(options.mode);
  c.into = options.into;
  c.after = options.after.data();
  c.after_count = options.after.size();
  return call(cucore_stream_begin_capture, get(), &c);
}

inline Returned<Graph> Stream::end_capture() const {
  return make<Graph>(cucore_stream_end_capture, get());
}

inline Returned<Graph> Stream::capture_graph() const {
  return make<Graph>(cucore_stream_capture_graph, get());
}

inline Returned<std::vector<cucore_node>> Stream::capture_nodes() const {
  return Graph::list<Node>(
      [&](Node* out, std::size_t capacity, std::size_t* count, cucore_error** error) {
        return cucore_stream_capture_nodes(get(), out, capacity, count, error);
      });
}

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_CAPTURE_HPP_INCLUDED
