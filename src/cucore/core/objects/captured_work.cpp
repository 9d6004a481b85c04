// SPDX-License-Identifier: Apache-2.0
#include "core/objects/captured_work.hpp"

#include <utility>

#include "core/objects/user_object.hpp"
#include "driver/cuda.hpp"
#include "support/log.hpp"

namespace cucore::core {
namespace {

bool goes_into_a_graph(const driver::CudaTable& cu, CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  driver::check(cu.cuStreamIsCapturing(stream, &status), "query whether a stream is captured");
  return status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

// Returns null if the driver does not report the graph.
CUgraph graph_of(const driver::CudaTable& cu, CUstream stream) {
  if (!cu.cuStreamGetCaptureInfo) return nullptr;
  CUgraph graph = nullptr;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  driver::check(
      cu.cuStreamGetCaptureInfo(stream, &status, nullptr, &graph, nullptr, nullptr, nullptr),
      "query the graph that a stream is captured into");
  return graph;
}

}  // namespace

void detail::hold_if_captured(const Stream& stream, const Object& object) {
  const auto& cu = driver::cuda();
  if (!goes_into_a_graph(cu, stream.native())) return;
  const driver::ContextGuard guard(stream.context()->native());
  Ref<const Object> held(&object);
  if (const CUgraph graph = graph_of(cu, stream.native())) {
    UserObject(cu, std::move(held)).move_to(graph);
    return;
  }
  log(LogLevel::DEBUG,
      "this driver does not report when a graph is destroyed, so what the graph uses is never "
      "released");
  (void)held.detach();
}

}  // namespace cucore::core
