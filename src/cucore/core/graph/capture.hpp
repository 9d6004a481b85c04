// SPDX-License-Identifier: Apache-2.0
// Captures: from their beginning on a stream to the graph of its work.
#pragma once

#include <span>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/objects/stream.hpp"

namespace cucore::core {

struct CaptureOptions {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  Ref<Graph> into;                    // null: a new graph
  std::span<const NodeNumber> after;  // of `into`
};

// Throws INVALID_STATE if the stream is captured already.
void begin_capture(const Stream& stream, const CaptureOptions& options);

// Returns the graph. Throws INVALID_STATE if the stream is not captured, if streams are not joined,
// and for a broken capture, which is over afterwards.
Ref<Graph> end_capture(const Stream& stream);

// Ends a capture that the stream has begun, and drops its graph. Logs that.
void abort_capture(const Stream& stream) noexcept;

// Returns the graph under way.
Ref<Graph> capture_graph(const Stream& stream);

// The nodes that the next work of the stream comes after.
std::vector<NodeNumber> capture_nodes(const Stream& stream);
void set_capture_nodes(const Stream& stream, std::span<const NodeNumber> nodes);

}  // namespace cucore::core
