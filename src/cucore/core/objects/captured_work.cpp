// SPDX-License-Identifier: Apache-2.0
#include "core/objects/captured_work.hpp"

#include "core/objects/deferred_release.hpp"
#include "driver/cuda.hpp"
#include "support/log.hpp"

namespace cucore::core {
namespace {

// Called by the driver on its own thread, which must not call the driver.
void drop_reference(void* held) { defer_release(std::unique_ptr<Held>(static_cast<Held*>(held))); }

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

bool graphs_can_own(const driver::CudaTable& cu) {
  return cu.cuUserObjectCreate && cu.cuGraphRetainUserObject && cu.cuUserObjectRelease;
}

// Makes the graph the owner of `held`.
void transfer_to(const driver::CudaTable& cu, CUgraph graph, std::unique_ptr<Held> held) {
  CUuserObject object = nullptr;
  driver::check(cu.cuUserObjectCreate(&object, held.get(), &drop_reference, 1,
                                      CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
                "create an object that a graph keeps");
  (void)held.release();  // `object` owns it
  const CUresult result = cu.cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE);
  if (result == CUDA_SUCCESS) return;
  driver::check_release(cu.cuUserObjectRelease(object, 1), "release an object of a graph");
  driver::check(result, "let a graph keep an object");
}

}  // namespace

void detail::hold_if_captured(const Stream& stream, const Object& object) {
  const auto& cu = driver::cuda();
  if (!goes_into_a_graph(cu, stream.native())) return;
  const driver::ContextGuard guard(stream.context()->native());
  start_deferred_releases();
  auto held = std::make_unique<Held>(Ref<const Object>(&object));
  const CUgraph graph = graphs_can_own(cu) ? graph_of(cu, stream.native()) : nullptr;
  if (graph) return transfer_to(cu, graph, std::move(held));
  log(LogLevel::DEBUG,
      "this driver does not report when a graph is destroyed, so what the graph uses is never "
      "released");
  (void)held.release();
}

}  // namespace cucore::core
