// SPDX-License-Identifier: Apache-2.0
// Prefetches of managed memory, advice about it, and its attributes.
#include "cpu/driver/allocations.hpp"
#include "cpu/driver/api.hpp"
#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/stream.hpp"

namespace cucore::cpu::api {
namespace {

std::shared_ptr<Allocation> managed(CUdeviceptr address, size_t count) {
  auto a = Allocations::instance().find(address);
  require(count && a && a->kind == MemoryKind::MANAGED && count <= a->base + a->size - address);
  return a;
}

template <class F>
void change_advice(CUdeviceptr address, size_t count, F change) {
  auto a = managed(address, count);
  a->advice.change(address - a->base, address - a->base + count, change);
}

}  // namespace

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                               unsigned int flags, CUstream hStream) {
  refuse_capture(*find_stream(hStream));
  require(count && flags == 0);
  check_location(location);
  change_advice(devPtr, count, [&](Advice& a) { a.prefetched = location; });
  return CUDA_SUCCESS;
}

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                            CUstream hStream) {
  return api::cuMemPrefetchAsync_v2(devPtr, count, location_of(dstDevice), 0, hStream);
}

CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                        CUmemLocation location) {
  require(advice >= CU_MEM_ADVISE_SET_READ_MOSTLY && advice <= CU_MEM_ADVISE_UNSET_ACCESSED_BY);
  const bool located = advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ||
                       advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
                       advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
  managed(devPtr, count);
  if (located) check_location(location);
  change_advice(devPtr, count, [&](Advice& a) { apply_advice(a, advice, location); });
  return CUDA_SUCCESS;
}

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device) {
  return api::cuMemAdvise_v2(devPtr, count, advice, location_of(device));
}

CUresult cuMemRangeGetAttribute(void* data, size_t dataSize, CUmem_range_attribute attribute,
                                CUdeviceptr devPtr, size_t count) {
  require(data != nullptr);
  auto a = managed(devPtr, count);
  const uint64_t first = devPtr - a->base;
  read_advice(a->advice, first, first + count, attribute, data, dataSize);
  return CUDA_SUCCESS;
}

CUresult cuMemRangeGetAttributes(void** data, size_t* dataSizes, CUmem_range_attribute* attributes,
                                 size_t numAttributes, CUdeviceptr devPtr, size_t count) {
  require(data && dataSizes && attributes && numAttributes);
  for (size_t i = 0; i < numAttributes; ++i)
    api::cuMemRangeGetAttribute(data[i], dataSizes[i], attributes[i], devPtr, count);
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
