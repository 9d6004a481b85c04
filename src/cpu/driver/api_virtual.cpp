// SPDX-License-Identifier: Apache-2.0
// Virtual memory management: reserved addresses, physical memory and the maps between them.
#include <cstring>

#include "cpu/driver/allocations.hpp"
#include "cpu/driver/api.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/physical.hpp"
#include "cpu/driver/process.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu::api {
namespace {

constexpr size_t GRANULE = size_t{2} << 20;

bool aligned(uint64_t value) { return value % GRANULE == 0; }

void check_handle_type(unsigned long long types) {
  constexpr unsigned WINDOWS = CU_MEM_HANDLE_TYPE_WIN32 | CU_MEM_HANDLE_TYPE_WIN32_KMT;
  require((types & WINDOWS) == 0);
  require((types & CU_MEM_HANDLE_TYPE_FABRIC) == 0, CUDA_ERROR_NOT_SUPPORTED);
}

Device& device_of(const CUmemLocation& location) {
  require(location.type > CU_MEM_LOCATION_TYPE_INVALID &&
          location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
  require(location.type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_NOT_SUPPORTED);
  return find_device(location.id);
}

Device& device_of(const CUmemAllocationProp* prop) {
  require(prop && prop->type == CU_MEM_ALLOCATION_TYPE_PINNED);
  check_handle_type(prop->requestedHandleTypes);
  return device_of(prop->location);
}

std::vector<std::shared_ptr<Allocation>> mappings(CUdeviceptr ptr, size_t size) {
  require(size > 0 && aligned(ptr) && aligned(size));
  auto found = Allocations::instance().mappings(ptr, size);
  require(!found.empty());
  return found;
}

}  // namespace

CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp* prop,
                                       CUmemAllocationGranularity_flags option) {
  require(granularity != nullptr);
  require(option == CU_MEM_ALLOC_GRANULARITY_MINIMUM ||
          option == CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
  require(prop != nullptr);  // the size is that of all memory
  *granularity = GRANULE;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* ptr, size_t size, size_t alignment, CUdeviceptr addr,
                             unsigned long long flags) {
  require(ptr && size && aligned(size) && flags == 0);
  require((alignment & (alignment - 1)) == 0);
  const uint64_t base = AddressSpace::instance().reserve(size, std::max(alignment, GRANULE), addr);
  require(base != 0, CUDA_ERROR_OUT_OF_MEMORY);
  Allocations::instance().note_device_addresses(base, size);
  *ptr = base;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size) {
  require(AddressSpace::instance().unreserve(ptr, size));
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t size,
                     const CUmemAllocationProp* prop, unsigned long long flags) {
  require(handle && size && aligned(size) && flags == 0);
  Device& device = device_of(prop);
  *handle = Physical::create(device, size, prop->requestedHandleTypes)->retain();
  return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  Physical::release(handle);
  return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* addr) {
  require(handle != nullptr);
  auto a = Allocations::instance().find(reinterpret_cast<uint64_t>(addr));
  require(a && a->physical);
  *handle = a->physical->retain();
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  require(size && aligned(ptr) && aligned(size) && offset == 0 && flags == 0);
  auto physical = Physical::find(handle);
  require(size <= physical->size());
  require(Allocations::instance().map(std::move(physical), ptr, size));
  return CUDA_SUCCESS;
}

// As cuMemFree, it waits for the work that may use the memory.
CUresult cuMemUnmap(CUdeviceptr ptr, size_t size) {
  const auto found = mappings(ptr, size);
  wait_for_users(*found.front());
  for (const auto& a : found) require(Allocations::instance().release(a->base));
  return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc* desc, size_t count) {
  require(desc && count);
  const auto found = mappings(ptr, size);
  for (size_t i = 0; i < count; ++i) {
    require(desc[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
            (desc[i].location.id >= 0 &&
             desc[i].location.id < static_cast<int>(Process::get().devices().size())));
    device_of(desc[i].location);
    require(desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
            desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
            desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  }
  for (const auto& a : found)
    for (size_t i = 0; i < count; ++i)
      AddressSpace::instance().set_access(a->base, desc[i].location.id,
                                          desc[i].flags & CU_MEM_ACCESS_FLAGS_PROT_READ,
                                          desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  return CUDA_SUCCESS;
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr ptr) {
  require(flags && location);
  const int device = device_of(*location).ordinal();
  const auto range = AddressSpace::instance().find(ptr);
  require(range && range->kind == MemoryKind::MAPPED);
  const bool reads = range->readers >> device & 1, writes = range->writers >> device & 1;
  *flags = writes  ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
           : reads ? CU_MEM_ACCESS_FLAGS_PROT_READ
                   : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* prop,
                                                CUmemGenericAllocationHandle handle) {
  require(prop != nullptr);
  auto physical = Physical::find(handle);
  std::memset(prop, 0, sizeof *prop);
  prop->type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop->requestedHandleTypes = static_cast<CUmemAllocationHandleType>(physical->handle_types());
  prop->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  prop->location.id = physical->device().ordinal();
  return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void* shareableHandle, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType,
                                      unsigned long long flags) {
  require(shareableHandle && flags == 0);
  auto physical = Physical::find(handle);
  require(handleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR &&
          (physical->handle_types() & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  const int file = physical->memory()->duplicate();
  require(file >= 0, CUDA_ERROR_OUT_OF_MEMORY);
  std::memcpy(shareableHandle, &file, sizeof file);
  return CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* osHandle,
                                        CUmemAllocationHandleType shHandleType) {
  require(handle && shHandleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  const auto file = static_cast<int>(reinterpret_cast<intptr_t>(osHandle));
  auto memory = SharedMemory::open(file, SharedKind::MEMORY);
  require(memory && aligned(memory->size()));
  Device& device = find_device(memory->header().device);
  *handle = std::make_shared<Physical>(device, std::move(memory), 0)->retain();
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
