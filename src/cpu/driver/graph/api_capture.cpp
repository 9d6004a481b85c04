// SPDX-License-Identifier: Apache-2.0
// Captures of streams.
#include <algorithm>
#include <cstring>

#include "cpu/driver/api.hpp"
#include "cpu/driver/graph/capture.hpp"

namespace cucore::cpu::api {
namespace {

CapturePoint point_of(const Graph& graph, const CUgraphNode* nodes, const CUgraphEdgeData* data,
                      size_t count) {
  CapturePoint point;
  for (const GraphEdge& edge : edges_from(graph, nodes, data, count))
    point.add(edge.node->handle_bits(), edge.data);
  return point;
}

CUresult update_point(CUstream hStream, const CUgraphNode* nodes, const CUgraphEdgeData* data,
                      size_t count, unsigned flags) {
  require(flags <= CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  auto stream = find_stream(hStream);
  GraphLock lock;
  StreamCapture* capture = find_capture(*stream);
  require(capture != nullptr, CUDA_ERROR_ILLEGAL_STATE);
  require(capture->session->valid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CapturePoint given = point_of(*capture->session->graph, nodes, data, count);
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) capture->point = {};
  for (size_t i = 0; i < given.nodes.size(); ++i) capture->point.add(given.nodes[i], given.data[i]);
  return CUDA_SUCCESS;
}

// The results of cuStreamGetCaptureInfo; each pointer may be null.
struct Info {
  cuuint64_t* id = nullptr;
  CUgraph* graph = nullptr;
  const CUgraphNode** nodes = nullptr;
  const CUgraphEdgeData** data = nullptr;
  size_t* count = nullptr;
};

// The caller reads the arrays after the call. So only a change of the point of the capture may
// write to them, and not the query of another thread.
void show_point(StreamCapture& capture) {
  const auto is_node = [](uint64_t node, CUgraphNode shown) {
    return reinterpret_cast<CUgraphNode>(node) == shown;
  };
  const auto is_data = [](const CUgraphEdgeData& data, const CUgraphEdgeData& shown) {
    return std::memcmp(&data, &shown, sizeof data) == 0;
  };
  if (std::ranges::equal(capture.point.nodes, capture.shown, is_node) &&
      std::ranges::equal(capture.point.data, capture.shown_data, is_data))
    return;
  capture.shown.clear();
  for (uint64_t node : capture.point.nodes)
    capture.shown.push_back(reinterpret_cast<CUgraphNode>(node));
  capture.shown_data = capture.point.data;
}

void give(StreamCapture& capture, const Info& info) {
  bool all_plain = true;
  for (const CUgraphEdgeData& data : capture.point.data) all_plain = all_plain && plain(data);
  require(!info.nodes || info.data || all_plain, CUDA_ERROR_LOSSY_QUERY);
  if (info.nodes) show_point(capture);
  if (info.id) *info.id = capture.session->id;
  if (info.graph) *info.graph = handle_of<CUgraph>(*capture.session->graph);
  if (info.nodes) *info.nodes = capture.shown.data();
  if (info.data) *info.data = capture.shown_data.data();
  if (info.count) *info.count = capture.point.nodes.size();
}

CUresult query(CUstream hStream, CUstreamCaptureStatus* status, const Info& info) {
  auto stream = find_stream(hStream);
  require(status && (info.nodes || !info.data));
  GraphLock lock;
  StreamCapture* capture = find_capture(*stream);
  *status = !capture                  ? CU_STREAM_CAPTURE_STATUS_NONE
            : capture->session->valid ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                      : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  if (*status == CU_STREAM_CAPTURE_STATUS_ACTIVE) give(*capture, info);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
  auto stream = find_stream(hStream);
  GraphLock lock;
  begin_capture(stream, mode, nullptr, {});
  return CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture(CUstream hStream) {
  return api::cuStreamBeginCapture_v2(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
                                     const CUgraphNode* dependencies,
                                     const CUgraphEdgeData* dependencyData, size_t numDependencies,
                                     CUstreamCaptureMode mode) {
  auto stream = find_stream(hStream);
  GraphLock lock;
  auto graph = find_graph(hGraph);
  auto point = point_of(*graph, dependencies, dependencyData, numDependencies);
  begin_capture(stream, mode, std::move(graph), std::move(point));
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph* phGraph) {
  require(phGraph != nullptr);
  *phGraph = nullptr;
  auto stream = find_stream(hStream);
  GraphLock lock;
  *phGraph = handle_of<CUgraph>(*end_capture(*stream));
  return CUDA_SUCCESS;
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode* dependencies,
                                              const CUgraphEdgeData* dependencyData,
                                              size_t numDependencies, unsigned int flags) {
  return update_point(hStream, dependencies, dependencyData, numDependencies, flags);
}
CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode* dependencies,
                                           size_t numDependencies, unsigned int flags) {
  return update_point(hStream, dependencies, nullptr, numDependencies, flags);
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus* captureStatus) {
  return query(hStream, captureStatus, {});
}

CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                cuuint64_t* id_out) {
  if (id_out) *id_out = 0;
  Info info;
  info.id = id_out;
  return query(hStream, captureStatus_out, info);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                   cuuint64_t* id_out, CUgraph* graph_out,
                                   const CUgraphNode** dependencies_out,
                                   size_t* numDependencies_out) {
  return query(hStream, captureStatus_out,
               {id_out, graph_out, dependencies_out, nullptr, numDependencies_out});
}

CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                   cuuint64_t* id_out, CUgraph* graph_out,
                                   const CUgraphNode** dependencies_out,
                                   const CUgraphEdgeData** edgeData_out,
                                   size_t* numDependencies_out) {
  return query(hStream, captureStatus_out,
               {id_out, graph_out, dependencies_out, edgeData_out, numDependencies_out});
}

}  // namespace cucore::cpu::api
