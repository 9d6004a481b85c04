// SPDX-License-Identifier: Apache-2.0
// Device, pinned and managed memory.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "cpu/driver/allocations.hpp"
#include "cpu/driver/api.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/double_free.hpp"
#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/graph/graph_memory.hpp"
#include "cpu/driver/stream.hpp"

namespace cucore::cpu::api {
namespace {

Allocations& allocations() { return Allocations::instance(); }

// Returns true if the program has memory at all of the addresses.
bool is_mapped(void* memory, size_t size) {
  constexpr uint64_t STEP = uint64_t{1} << 30;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uint64_t>(memory);
  if (size > UINT64_MAX - first - page) return false;
  const uint64_t begin = first / page * page, end = (first + size + page - 1) / page * page;
  std::vector<unsigned char> resident(std::min(STEP, end - begin) / page);
  for (uint64_t at = begin; at < end; at += STEP) {
    const uint64_t part = std::min(STEP, end - at);
    if (mincore(reinterpret_cast<void*>(at), part, resident.data()) != 0) return false;
  }
  return true;
}

void free_host(void* p, MemoryKind kind, CUresult unknown) {
  const auto address = reinterpret_cast<uint64_t>(p);
  auto a = allocations().find_start(address);
  if (kind == MemoryKind::PINNED) report_double_free(address, a.get());
  require(a && a->kind == kind, unknown);
  wait_for_users(*a);
  require(allocations().release(a->base), unknown);
}

}  // namespace

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  auto context = current_context();
  Device& device = context->device();
  uint64_t limit = device.memory_limit(), used = device.memory_used();
  if (free) *free = used < limit ? limit - used : 0;
  if (total) *total = limit;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr* dptr, size_t bytesize) {
  require(dptr != nullptr);
  *dptr = 0;  // as in the real driver, also if the call fails
  require(bytesize > 0);
  *dptr = allocations().allocate(*current_context(), MemoryKind::DEVICE, bytesize);
  return CUDA_SUCCESS;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* dptr, size_t* pPitch, size_t WidthInBytes, size_t Height,
                            unsigned int ElementSizeBytes) {
  constexpr size_t ALIGNMENT = 512;
  require(dptr && pPitch);
  *dptr = 0;
  *pPitch = 0;
  require(WidthInBytes && Height && WidthInBytes <= SIZE_MAX - ALIGNMENT);
  require(ElementSizeBytes == 4 || ElementSizeBytes == 8 || ElementSizeBytes == 16);
  const auto context = current_context();
  size_t pitch = (WidthInBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  *pPitch = pitch;
  require(pitch <= SIZE_MAX / Height, CUDA_ERROR_OUT_OF_MEMORY);
  *dptr = allocations().allocate(*context, MemoryKind::DEVICE, pitch * Height);
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr dptr) {
  if (dptr == 0) return CUDA_SUCCESS;
  auto a = allocations().find_start(dptr);
  if (auto memory = graph_memory_of(a)) {
    wait_for_users(*a);
    memory->free_in(*current_context()->legacy_stream());
    current_context()->synchronize();
    return CUDA_SUCCESS;
  }
  bool freeable = a && a->context != 0 && !a->free_pending && a->source != Source::IPC &&
                  (a->kind == MemoryKind::DEVICE || a->kind == MemoryKind::MANAGED);
  if (!freeable) report_double_free(dptr, a.get());
  require(freeable);
  wait_for_users(*a);
  require(allocations().release(dptr));
  return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* pbase, size_t* psize, CUdeviceptr dptr) {
  auto a = allocations().find(dptr);
  require(a && !a->physical, CUDA_ERROR_NOT_FOUND);  // no single allocation has mapped memory
  if (pbase) *pbase = a->base;
  if (psize) *psize = a->size;
  return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void** pp, size_t bytesize, unsigned int Flags) {
  constexpr unsigned KNOWN =
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  require(pp != nullptr);
  *pp = nullptr;
  require((Flags & ~KNOWN) == 0);
  const auto context = current_context();
  if (bytesize == 0) return CUDA_SUCCESS;
  // The real driver reports all memory as mapped.
  *pp = reinterpret_cast<void*>(allocations().allocate(*context, MemoryKind::PINNED, bytesize,
                                                       Flags | CU_MEMHOSTALLOC_DEVICEMAP));
  return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void** pp, size_t bytesize) {
  return api::cuMemHostAlloc(pp, bytesize, 0);
}

CUresult cuMemFreeHost(void* p) {
  if (p == nullptr) return CUDA_SUCCESS;
  free_host(p, MemoryKind::PINNED, CUDA_ERROR_INVALID_VALUE);
  return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void* p, size_t bytesize, unsigned int Flags) {
  constexpr unsigned KNOWN = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                             CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
  require(p && bytesize && (Flags & ~KNOWN) == 0);
  require(!(Flags & CU_MEMHOSTREGISTER_IOMEMORY), CUDA_ERROR_NOT_SUPPORTED);
  require(is_mapped(p, bytesize));
  allocations().register_host(*current_context(), p, bytesize, Flags);
  return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void* p) {
  require(p != nullptr);
  auto a = allocations().find_start(reinterpret_cast<uint64_t>(p));
  require(!a || a->kind != MemoryKind::PINNED);
  require(a || !allocations().find(reinterpret_cast<uint64_t>(p)));
  free_host(p, MemoryKind::REGISTERED, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* pdptr, void* p, unsigned int Flags) {
  require(pdptr && Flags == 0);
  auto a = allocations().find(reinterpret_cast<uint64_t>(p));
  require(a && (a->kind == MemoryKind::PINNED || a->kind == MemoryKind::REGISTERED));
  // unified addressing: host and device use the same address
  *pdptr = reinterpret_cast<CUdeviceptr>(p);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int* pFlags, void* p) {
  require(pFlags != nullptr);
  auto a = allocations().find(reinterpret_cast<uint64_t>(p));
  require(a && (a->kind == MemoryKind::PINNED || a->kind == MemoryKind::REGISTERED ||
                a->kind == MemoryKind::MANAGED));
  *pFlags = a->flags;
  return CUDA_SUCCESS;
}

CUresult cuMemAllocManaged(CUdeviceptr* dptr, size_t bytesize, unsigned int flags) {
  require(dptr != nullptr);
  *dptr = 0;
  require(bytesize > 0);
  require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST);
  *dptr = allocations().allocate(*current_context(), MemoryKind::MANAGED, bytesize, flags);
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
