// SPDX-License-Identifier: Apache-2.0
#include "core/graph/driver_facts.hpp"

#include <cstdint>

namespace cucore::core {
namespace {

using driver::check;

// Returns "" if the driver has no name. A launch takes a CUkernel for a CUfunction, so the function
// of a captured launch may be one.
const char* name_of_kernel(const driver::CudaTable& cu, const CUDA_KERNEL_NODE_PARAMS& launch) {
  const char* name = nullptr;
  const auto of_kernel = [&](CUkernel kernel) {
    return cu.cuKernelGetName && cu.cuKernelGetName(&name, kernel) == CUDA_SUCCESS && name;
  };
  const auto of_function = [&] {
    return cu.cuFuncGetName && cu.cuFuncGetName(&name, launch.func) == CUDA_SUCCESS && name;
  };
  if (launch.kern) return of_kernel(launch.kern) ? name : "";
  if (!launch.func) return "";
  return of_function() || of_kernel(reinterpret_cast<CUkernel>(launch.func)) ? name : "";
}

NodeFacts facts_of_kernel(const driver::CudaTable& cu, CUgraphNode node) {
  NodeFacts facts;
  if (!cu.cuGraphKernelNodeGetParams) return facts;
  CUDA_KERNEL_NODE_PARAMS launch{};
  check(cu.cuGraphKernelNodeGetParams(node, &launch), "query the kernel of a node");
  facts.kernel = name_of_kernel(cu, launch);
  facts.grid = {launch.gridDimX, launch.gridDimY, launch.gridDimZ};
  facts.block = {launch.blockDimX, launch.blockDimY, launch.blockDimZ};
  facts.dynamic_shared = launch.sharedMemBytes;
  if (!cu.cuGraphKernelNodeGetAttribute) return facts;
  CUlaunchAttributeValue value{};
  check(cu.cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value),
        "query the cluster of a node");
  facts.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
  return facts;
}

// Returns the first byte of one side of a copy, or 0 for an array.
uint64_t first_byte(CUmemorytype type, CUdeviceptr device, const void* host, size_t x, size_t y,
                    size_t z, size_t row_bytes, size_t slice_rows) {
  if (type == CU_MEMORYTYPE_ARRAY) return 0;
  const uint64_t base = type == CU_MEMORYTYPE_HOST ? reinterpret_cast<uintptr_t>(host) : device;
  return base + (z * slice_rows + y) * row_bytes + x;
}

NodeFacts facts_of_copy(const driver::CudaTable& cu, CUgraphNode node) {
  NodeFacts facts;
  CUDA_MEMCPY3D copy{};
  check(cu.cuGraphMemcpyNodeGetParams(node, &copy), "query the copy of a node");
  facts.destination = first_byte(copy.dstMemoryType, copy.dstDevice, copy.dstHost, copy.dstXInBytes,
                                 copy.dstY, copy.dstZ, copy.dstPitch, copy.dstHeight);
  facts.source = first_byte(copy.srcMemoryType, copy.srcDevice, copy.srcHost, copy.srcXInBytes,
                            copy.srcY, copy.srcZ, copy.srcPitch, copy.srcHeight);
  facts.size = copy.WidthInBytes * copy.Height * copy.Depth;
  facts.box.extent = {copy.WidthInBytes, copy.Height, copy.Depth};
  if (copy.Height > 1 || copy.Depth > 1) {
    facts.box.to_row_bytes = copy.dstPitch;
    facts.box.to_slice_rows = copy.dstHeight;
    facts.box.from_row_bytes = copy.srcPitch;
    facts.box.from_slice_rows = copy.srcHeight;
  }
  return facts;
}

NodeFacts facts_of_fill(const driver::CudaTable& cu, CUgraphNode node) {
  NodeFacts facts;
  if (!cu.cuGraphMemsetNodeGetParams) return facts;
  CUDA_MEMSET_NODE_PARAMS fill{};
  check(cu.cuGraphMemsetNodeGetParams(node, &fill), "query the fill of a node");
  facts.destination = fill.dst;
  facts.size = fill.elementSize * fill.width * fill.height;
  facts.pattern = fill.value;
  facts.pattern_size = fill.elementSize;
  return facts;
}

NodeFacts facts_of_event(const driver::CudaTable& cu, NodeKind kind, CUgraphNode node) {
  NodeFacts facts;
  const auto query = kind == NodeKind::RECORD ? cu.cuGraphEventRecordNodeGetEvent
                                              : cu.cuGraphEventWaitNodeGetEvent;
  if (query) check(query(node, &facts.native_event), "query the event of a node");
  return facts;
}

}  // namespace

NodeFacts read_facts(const driver::CudaTable& cu, NodeKind kind, CUgraphNode node) {
  switch (kind) {
    case NodeKind::KERNEL:
      return facts_of_kernel(cu, node);
    case NodeKind::COPY:
      return facts_of_copy(cu, node);
    case NodeKind::FILL:
      return facts_of_fill(cu, node);
    case NodeKind::RECORD:
    case NodeKind::WAIT:
      return facts_of_event(cu, kind, node);
    default:
      return {};
  }
}

}  // namespace cucore::core
