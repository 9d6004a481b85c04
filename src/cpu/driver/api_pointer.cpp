// SPDX-License-Identifier: Apache-2.0
// Pointer queries: cuPointerGetAttribute and related functions.
#include <cstring>

#include "cpu/driver/allocations.hpp"
#include "cpu/driver/api.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/physical.hpp"
#include "cpu/driver/pool.hpp"
#include "cpu/driver/process.hpp"

namespace cucore::cpu::api {
namespace {

template <class T>
void give(void* data, T value) {
  std::memcpy(data, &value, sizeof value);
}

// Memory of pools and managed variables belong to none.
bool belongs_to_context(const Allocation& a) {
  return !a.pool && !(a.kind == MemoryKind::MANAGED && a.context == 0);
}

bool host_memory(const Allocation& a) {
  return a.kind == MemoryKind::PINNED || a.kind == MemoryKind::REGISTERED;
}

unsigned long long handle_types(const Allocation& a) {
  if (a.physical) return a.physical->handle_types();
  return a.pool && a.pool->identity() ? a.pool->identity()->header().handle_types : 0;
}

// The access of the current context's device.
unsigned access_flags(const Allocation& a) {
  const auto context = current_context_unchecked();
  const auto range = AddressSpace::instance().find(a.base);
  if (!a.physical || !context || !range) return CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
  const int device = context->device().ordinal();
  if (range->reachable(device, 0, Access::WRITE)) return CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
  return range->reachable(device, 0, Access::READ) ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ
                                                   : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE;
}

// Returns false if this kind of memory has no such attribute.
bool get(const Allocation& a, CUpointer_attribute which, CUdeviceptr address, void* data) {
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      give(data, belongs_to_context(a) ? a.context_handle : 0);
      return true;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      give<unsigned>(data, host_memory(a) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
      return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      give(data, address);
      return true;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      give(data, address);
      return host_memory(a) || a.kind == MemoryKind::MANAGED;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      give<unsigned>(data, a.sync_memops || a.kind == MemoryKind::MANAGED);
      return true;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      give<unsigned long long>(data, a.id);
      return true;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      give<unsigned>(data, a.kind == MemoryKind::MANAGED && !a.pool);  // as on a GPU
      return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      give<int>(data, a.device->ordinal());
      return true;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      give<CUdeviceptr>(data, a.base);
      return true;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      give<size_t>(data, a.size);
      return true;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      give<unsigned>(data, 1);
      return true;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      give<unsigned>(data, a.legacy_ipc());
      return true;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      give<unsigned>(data, 0);
      return true;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      give<unsigned long long>(data, handle_types(a));
      return true;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      give<unsigned>(data, access_flags(a));
      return true;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      give(data, a.pool ? handle_of<CUmemoryPool>(*a.pool) : nullptr);
      return true;
    default:
      return false;
  }
}

// Writes the value that cuPointerGetAttributes reports for an attribute that does not apply. Memory
// that the driver has not made is the host's, and has no range.
void give_nothing(CUpointer_attribute which, bool is_known, CUdeviceptr address, void* data) {
  switch (which) {
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      give<uint64_t>(data, is_known ? 0 : address);
      return;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      if (is_known) give<uint64_t>(data, 0);
      return;
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      give<uint64_t>(data, 0);
      return;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
      return;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      give<int>(data, -2);
      return;
    default:
      give<unsigned>(data, 0);
      return;
  }
}

void check(CUpointer_attribute which) {
  require(which >= CU_POINTER_ATTRIBUTE_CONTEXT &&
          which <= CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE);
}

}  // namespace

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  require(data != nullptr);
  check(attribute);
  auto a = Allocations::instance().find(ptr);
  require(a && get(*a, attribute, ptr, data));
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute* attributes,
                                void** data, CUdeviceptr ptr) {
  require(numAttributes && attributes && data);
  auto a = Allocations::instance().find(ptr);
  for (unsigned i = 0; i < numAttributes; ++i) {
    check(attributes[i]);
    require(data[i] != nullptr);
    if (!a || !get(*a, attributes[i], ptr, data[i]))
      give_nothing(attributes[i], a != nullptr, ptr, data[i]);
  }
  return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr ptr) {
  require(value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS);
  auto a = Allocations::instance().find(ptr);
  require(a != nullptr);
  unsigned on = 0;
  std::memcpy(&on, value, sizeof on);
  a->sync_memops = on != 0;
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
