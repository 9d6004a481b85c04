#include "core/captured_work.hpp"

#include "core/deferred_release.hpp"
#include "driver/cuda.hpp"
#include "support/log.hpp"

namespace cucore::core {
namespace {

// Called by the driver on its own thread, which must not call the driver.
void drop_reference(void* held) { drop_later(std::unique_ptr<Held>(static_cast<Held*>(held))); }

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

// Makes the graph the owner of `held`. Returns false if the driver has no such call.
bool transfer_to(const driver::CudaTable& cu, CUgraph graph, Held* held) {
  if (!graph || !cu.cuUserObjectCreate || !cu.cuGraphRetainUserObject) return false;
  CUuserObject object = nullptr;
  if (cu.cuUserObjectCreate(&object, held, &drop_reference, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) !=
      CUDA_SUCCESS)
    return false;
  if (cu.cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE) == CUDA_SUCCESS)
    return true;
  driver::check_release(cu.cuUserObjectRelease(object, 1), "release an object of a graph");
  return true;  // the object has dropped the reference
}

}  // namespace

void detail::hold_if_captured(const Stream& stream, const Object& object) {
  const auto& cu = driver::cuda();
  if (!goes_into_a_graph(cu, stream.native())) return;
  const driver::ContextGuard guard(stream.context()->native());
  start_deferred_releases();
  auto held = std::make_unique<Held>(Ref<const Object>(&object));
  if (!transfer_to(cu, graph_of(cu, stream.native()), held.get()))
    log(LogLevel::DEBUG,
        "this driver does not report when a graph is destroyed, so what the graph uses is never "
        "released");
  (void)held.release();
}

}  // namespace cucore::core
