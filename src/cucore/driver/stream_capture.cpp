// SPDX-License-Identifier: Apache-2.0
#include "driver/stream_capture.hpp"

namespace cucore::driver {

// The array of the driver is valid until the next call on the stream. With room for the data of
// edges, the driver refuses none.
std::vector<CUgraphNode> capture_point(const CudaTable& cu, CUstream stream) {
  CaptureInfo info;
  const CUgraphNode* nodes = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  size_t count = 0;
  const auto read = [&] {
    if (cu.cuStreamGetCaptureInfo)
      return cu.cuStreamGetCaptureInfo(stream, &info.status, &info.id, &info.graph, &nodes, &edges,
                                       &count);
    return require(cu.cuStreamGetCaptureInfo_before_edges, "cuStreamGetCaptureInfo", 11030)(
        stream, &info.status, &info.id, &info.graph, &nodes, &count);
  };
  check(read(), "query the nodes that the next work of a captured stream comes after");
  return nodes ? std::vector<CUgraphNode>(nodes, nodes + count) : std::vector<CUgraphNode>();
}

CUresult set_capture_point(const CudaTable& cu, CUstream stream, std::vector<CUgraphNode>& nodes) {
  CUgraphNode* const data = nodes.empty() ? nullptr : nodes.data();
  if (cu.cuStreamUpdateCaptureDependencies)
    return cu.cuStreamUpdateCaptureDependencies(stream, data, nullptr, nodes.size(),
                                                CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  return require(cu.cuStreamUpdateCaptureDependencies_v1, "cuStreamUpdateCaptureDependencies",
                 11030)(stream, data, nodes.size(), CU_STREAM_SET_CAPTURE_DEPENDENCIES);
}

}  // namespace cucore::driver
