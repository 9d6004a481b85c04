// SPDX-License-Identifier: Apache-2.0
// The fake driver's captures: streams whose work becomes nodes of a graph.
#include <algorithm>
#include <set>
#include <utility>

#include "fakes/fake_api.hpp"
#include "fakes/fake_checks.hpp"
#include "fakes/fake_driver.hpp"

namespace fake {
namespace {

void add_to(std::vector<CUgraphNode>& point, const std::vector<CUgraphNode>& more) {
  for (const CUgraphNode node : more)
    if (std::ranges::find(point, node) == point.end()) point.push_back(node);
}

template <class Visit>
void each_stream_of(uint64_t id, Visit visit) {
  driver().streams.each([&](Stream& stream) {
    if (stream.capture.active && stream.capture.id == id) visit(stream.capture);
  });
}

// Whether all work comes before the point of the origin.
bool is_joined(const Capture& origin) {
  std::set<CUgraphNode> reached;
  std::vector<CUgraphNode> waiting = origin.point;
  while (!waiting.empty()) {
    const CUgraphNode node = waiting.back();
    waiting.pop_back();
    if (!reached.insert(node).second) continue;
    const auto& before = driver().graph_nodes.find(node)->before;
    waiting.insert(waiting.end(), before.begin(), before.end());
  }
  bool joined = true;
  each_stream_of(origin.id, [&](const Capture& capture) {
    for (const CUgraphNode node : capture.point) joined &= reached.contains(node);
  });
  return joined;
}

void end_capture(uint64_t id) {
  each_stream_of(id, [](Capture& capture) { capture.active = false; });
}

CUresult begin(CUstream handle, CUgraph into, std::vector<CUgraphNode> point) {
  Stream* stream = driver().streams.find_or_note(handle, "cuStreamBeginCapture");
  NEED(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  RETURN_IF_FAILED(usable(stream->context));
  NEED(!stream->capture.active, CUDA_ERROR_ILLEGAL_STATE);
  Capture capture;
  capture.active = true;
  capture.id = ++driver().captures;
  capture.is_into = into != nullptr;
  capture.graph = into ? into : driver().graphs.add({});
  capture.origin = handle;
  capture.point = std::move(point);
  stream->capture = std::move(capture);
  return CUDA_SUCCESS;
}

}  // namespace

bool capture_work(Stream* stream, GraphNode node) {
  if (!stream || !stream->capture.active) return false;
  Capture& capture = stream->capture;
  capture.point = {
      add_node(capture.graph, capture.point.data(), capture.point.size(), std::move(node))};
  return true;
}

CUresult refuse_captured_work(Stream* stream) {
  if (!stream || !stream->capture.active) return CUDA_SUCCESS;
  each_stream_of(stream->capture.id, [](Capture& capture) { capture.invalidated = true; });
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult wait_in_capture(Stream* stream, const Event& event) {
  if (!stream) return CUDA_SUCCESS;
  Capture& own = stream->capture;
  if (event.capture == 0) {
    if (own.active && event.recorded) {
      each_stream_of(own.id, [](Capture& capture) { capture.invalidated = true; });
      return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    return CUDA_SUCCESS;
  }
  const Capture* other = nullptr;
  each_stream_of(event.capture, [&](const Capture& capture) { other = &capture; });
  NEED(other, CUDA_ERROR_CAPTURED_EVENT);
  NEED(!other->invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  if (own.active && own.id != event.capture) {
    for (const uint64_t id : {own.id, event.capture})
      each_stream_of(id, [](Capture& capture) { capture.invalidated = true; });
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  if (!own.active) {
    own = *other;
    own.point.clear();
  }
  add_to(own.point, event.point);
  return CUDA_SUCCESS;
}

void abandon_capture(CUstream handle) {
  Stream* const stream = driver().streams.find(handle);
  if (!stream || !stream->capture.active) return;
  const Capture capture = stream->capture;
  if (capture.origin == handle) {
    end_capture(capture.id);
    if (!capture.is_into) api::cuGraphDestroy(capture.graph);
  } else {
    each_stream_of(capture.id, [](Capture& other) { other.invalidated = true; });
  }
}

}  // namespace fake

namespace fake::api {

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode) {
  const auto lock = locked();
  return begin(handle, nullptr, {});
}

CUresult cuStreamBeginCaptureToGraph(CUstream handle, CUgraph graph, const CUgraphNode* nodes,
                                     const CUgraphEdgeData*, size_t count, CUstreamCaptureMode) {
  const auto lock = locked();
  NEED(driver().graphs.find_or_note(graph, "cuStreamBeginCaptureToGraph"),
       CUDA_ERROR_INVALID_VALUE);
  return begin(handle, graph, std::vector<CUgraphNode>(nodes, nodes + count));
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* out) {
  const auto lock = locked();
  Stream* stream = driver().streams.find_or_note(handle, "cuStreamEndCapture");
  NEED(stream, CUDA_ERROR_INVALID_HANDLE);
  NEED(stream->capture.active, CUDA_ERROR_ILLEGAL_STATE);
  *out = nullptr;
  const Capture capture = stream->capture;
  if (capture.origin != handle) {
    each_stream_of(capture.id, [](Capture& other) { other.invalidated = true; });
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  const CUresult result = capture.invalidated   ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                          : !is_joined(capture) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                                : CUDA_SUCCESS;
  end_capture(capture.id);
  if (result == CUDA_SUCCESS)
    *out = capture.graph;
  else if (!capture.is_into)
    api::cuGraphDestroy(capture.graph);
  return result;
}

CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id,
                                CUgraph* graph, const CUgraphNode** nodes,
                                const CUgraphEdgeData** edges, size_t* count) {
  const auto lock = locked();
  RETURN_IF_FAILED(api::cuStreamIsCapturing(handle, status));
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
  Capture& capture = driver().streams.find(handle)->capture;
  capture.edges.assign(capture.point.size(), CUgraphEdgeData{});
  if (id) *id = capture.id;
  if (graph) *graph = capture.graph;
  if (nodes) *nodes = capture.point.data();
  if (edges) *edges = capture.edges.data();
  if (count) *count = capture.point.size();
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo_before_edges(CUstream handle, CUstreamCaptureStatus* status,
                                             cuuint64_t* id, CUgraph* graph,
                                             const CUgraphNode** nodes, size_t* count) {
  return api::cuStreamGetCaptureInfo(handle, status, id, graph, nodes, nullptr, count);
}

CUresult cuStreamUpdateCaptureDependencies(CUstream handle, CUgraphNode* nodes,
                                           const CUgraphEdgeData*, size_t count, unsigned flags) {
  const auto lock = locked();
  Stream* stream = driver().streams.find_or_note(handle, "cuStreamUpdateCaptureDependencies");
  NEED(stream, CUDA_ERROR_INVALID_HANDLE);
  NEED(stream->capture.active, CUDA_ERROR_ILLEGAL_STATE);
  NEED(flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES, CUDA_ERROR_INVALID_VALUE);
  stream->capture.point.assign(nodes, nodes + count);
  return CUDA_SUCCESS;
}

CUresult cuStreamUpdateCaptureDependencies_v1(CUstream handle, CUgraphNode* nodes, size_t count,
                                              unsigned flags) {
  return api::cuStreamUpdateCaptureDependencies(handle, nodes, nullptr, count, flags);
}

}  // namespace fake::api
