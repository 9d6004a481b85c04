// SPDX-License-Identifier: Apache-2.0
// Captures: streams whose work becomes nodes of a graph.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "cpu/driver/calls.hpp"
#include "cpu/driver/graph/graph.hpp"
#include "cpu/driver/stream.hpp"

namespace cucore::cpu {

// The nodes that the next work of a stream comes after.
struct CapturePoint {
  std::vector<uint64_t> nodes;  // handles
  std::vector<CUgraphEdgeData> data;

  void add(uint64_t node, const CUgraphEdgeData& edge);
};

// From cuStreamBeginCapture to cuStreamEndCapture. The lock of graphs guards all members.
struct CaptureSession {
  uint64_t id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::shared_ptr<Graph> graph;
  bool into_existing = false;
  std::thread::id thread;
  const Stream* origin = nullptr;
  std::vector<std::shared_ptr<Stream>> streams;  // the origin and its forks
  std::vector<CapturePoint> left;                // of forks that were destroyed
  bool valid = true;
  bool ended = false;
};

struct StreamCapture {
  std::shared_ptr<CaptureSession> session;
  CapturePoint point;
  std::vector<CUgraphNode> shown;  // arrays that cuStreamGetCaptureInfo returns
  std::vector<CUgraphEdgeData> shown_data;
};

// The state of an event that a capturing stream has recorded.
struct EventCapture {
  std::shared_ptr<CaptureSession> session;
  CapturePoint point;
};

// Returns true if the work of the stream becomes a node. Each operation of a stream calls it first.
// Throws if the capture is invalid, or if the default stream would wait for a capture, which
// invalidates the capture.
bool captures(Stream& stream);
// Returns the capture of a stream, or nullptr, for queries: they invalidate nothing. The caller
// holds the lock of graphs.
StreamCapture* find_capture(Stream& stream);
// For operations that no capture permits: throws and invalidates the capture of the stream.
void refuse_capture(Stream& stream);
// For operations on an event that a capture has recorded: throws and invalidates the capture.
void refuse_captured(const Event& event);

// Adds a node at the point of the stream.
void capture_node(Stream& stream, NodeParams params);
void capture_kernel(Stream& stream, const CUDA_KERNEL_NODE_PARAMS_v2& given,
                    const CUlaunchAttribute* attributes, unsigned count);
void capture_record(Stream& stream, Event& event);
// Returns false if the wait is work of a stream that does not capture.
bool capture_wait(Stream& stream, const Event& event);
// Adds an allocation node and returns its address.
uint64_t capture_allocation(Stream& stream, Device& device, uint64_t size);
void capture_free(Stream& stream, uint64_t address);

void begin_capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode,
                   std::shared_ptr<Graph> into, CapturePoint point);
std::shared_ptr<Graph> end_capture(Stream& stream);
void leave_capture(Stream& stream);  // at the end of the stream

// Throws STREAM_CAPTURE_UNSUPPORTED if a capture forbids the call on this thread, and invalidates
// the capture. Does nothing for calls that are safe.
CUresult admit_during_capture(CallId call);
// The same for work that is not captured, in a call that is also part of captures.
CUresult admit_unsafe_work();

// Allocation and free nodes, also of the typed functions.
NodeParams make_alloc(Graph& graph, const Context& context, CUDA_MEM_ALLOC_NODE_PARAMS& given);
NodeParams make_free(Graph& graph, uint64_t address);

}  // namespace cucore::cpu
