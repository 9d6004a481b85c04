// SPDX-License-Identifier: Apache-2.0
// Memory pools and stream-ordered allocation.
#include "cpu/driver/allocations.hpp"
#include "cpu/driver/api.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/double_free.hpp"
#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/graph/graph_memory.hpp"
#include "cpu/driver/pool.hpp"
#include "cpu/driver/process.hpp"
#include "cpu/driver/stream.hpp"

namespace cucore::cpu::api {
namespace {

std::shared_ptr<Pool> find_pool(CUmemoryPool handle) {
  return lookup<Pool>(handle, CUDA_ERROR_INVALID_VALUE);
}

bool is_host(const CUmemLocation& location) {
  return location.type == CU_MEM_LOCATION_TYPE_HOST ||
         location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
         location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
}

bool is_device(int ordinal) {
  return ordinal >= 0 && ordinal < static_cast<int>(Process::get().devices().size());
}

// The place of a pool. The preferred location of managed memory can be the host, or none.
Device& device_at(const CUmemLocation* location, CUmemAllocationType type) {
  const bool managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
  require(location != nullptr && (managed || type == CU_MEM_ALLOCATION_TYPE_PINNED));
  if (managed && (is_host(*location) || location->type == CU_MEM_LOCATION_TYPE_NONE))
    return Process::get().device(0);
  require(location->type > CU_MEM_LOCATION_TYPE_INVALID &&
          location->type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
  require(location->type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_NOT_SUPPORTED);
  return Process::get().device(location->id);
}

CUresult allocate(CUdeviceptr* out, size_t size, Pool& pool, Stream& stream) {
  require(out != nullptr);
  const bool captured = captures(stream);
  require(!captured || pool.memory_kind() == MemoryKind::DEVICE, CUDA_ERROR_NOT_SUPPORTED);
  *out = 0;
  if (size == 0) return CUDA_SUCCESS;
  *out = captured ? capture_allocation(stream, pool.device(), size) : pool.allocate(stream, size);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuMemAllocAsync(CUdeviceptr* dptr, size_t bytesize, CUstream hStream) {
  auto stream = find_stream(hStream);
  return allocate(dptr, bytesize, *stream->context().device().current_pool(), *stream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* dptr, size_t bytesize, CUmemoryPool pool,
                                 CUstream hStream) {
  auto stream = find_stream(hStream);
  return allocate(dptr, bytesize, *find_pool(pool), *stream);
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  auto stream = find_stream(hStream);
  const bool captured = captures(*stream);
  if (dptr == 0) return CUDA_SUCCESS;  // of an allocation without bytes
  if (captured) {
    capture_free(*stream, dptr);
    return CUDA_SUCCESS;
  }
  require(admit_unsafe_work() == CUDA_SUCCESS, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  auto a = Allocations::instance().find_start(dptr);
  if (auto memory = graph_memory_of(a)) {
    memory->free_in(*stream);
    return CUDA_SUCCESS;
  }
  report_double_free(dptr, a.get());
  require(a != nullptr);
  require(a->pool || a->kind != MemoryKind::MANAGED, CUDA_ERROR_NOT_SUPPORTED);
  require(a->pool || a->legacy_ipc());  // also memory of cuMemAlloc
  (a->pool ? a->pool : stream->context().device().default_pool())->release(*stream, dptr);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* poolProps) {
  require(pool && poolProps);
  const bool managed = poolProps->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED;
  const auto types = static_cast<unsigned>(poolProps->handleTypes);
  constexpr unsigned FILES = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  require((types & ~(FILES | CU_MEM_HANDLE_TYPE_FABRIC)) == 0);
  require((types & ~FILES) == 0 && !(types && managed), CUDA_ERROR_NOT_SUPPORTED);
  for (const unsigned char byte : poolProps->reserved) require(byte == 0);
  const CUmemLocation& place = poolProps->location;
  require(place.type != CU_MEM_LOCATION_TYPE_DEVICE || is_device(place.id));
  Device& device = device_at(&poolProps->location, poolProps->allocType);
  require(poolProps->maxSize <= device.memory_limit(), CUDA_ERROR_OUT_OF_MEMORY);
  std::shared_ptr<SharedMemory> identity;
  if (types) {
    identity = SharedMemory::create(SharedKind::POOL, 1, device.ordinal(), types);
    require(identity != nullptr, CUDA_ERROR_OUT_OF_MEMORY);
  }
  auto made = std::make_shared<Pool>(device, poolProps->maxSize, std::move(identity),
                                     managed ? MemoryKind::MANAGED : MemoryKind::DEVICE);
  made->set_access(device.ordinal(), CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  device.add_pool(made);
  *pool = new_handle<CUmemoryPool>(made);
  return CUDA_SUCCESS;
}

// Allocated memory stays usable; it keeps the pool alive.
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  auto gone = find_pool(pool);
  require(!gone->is_default());
  gone->device().forget_current_pool(*gone);
  gone->close();
  Registry::instance().remove(ObjectKind::POOL, gone->handle_bits());
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  require(value != nullptr);
  find_pool(pool)->set(attr, value);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  require(value != nullptr);
  find_pool(pool)->get(attr, value);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
  find_pool(pool)->trim(minBytesToKeep);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* map, size_t count) {
  auto p = find_pool(pool);
  require(count == 0 || map);
  for (size_t i = 0; i < count; ++i) {
    require(map[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE);
    Device& device = Process::get().device(map[i].location.id);
    bool own = &device == &p->device();
    require(map[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READ, CUDA_ERROR_NOT_SUPPORTED);
    require(map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
            map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    // A device's access to its own pool cannot be revoked.
    require(!own || map[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE, CUDA_ERROR_INVALID_DEVICE);
    p->set_access(device.ordinal(), map[i].flags);
    if (map[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE) device.add_pool_peer(p->device().ordinal());
  }
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool memPool,
                            CUmemLocation* location) {
  require(flags && location);
  auto pool = find_pool(memPool);
  if (location->type == CU_MEM_LOCATION_TYPE_HOST) {
    *flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
  }
  require(location->type == CU_MEM_LOCATION_TYPE_DEVICE && is_device(location->id));
  *flags = pool->access(Process::get().device(location->id).ordinal());
  return CUDA_SUCCESS;
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool_out, CUmemLocation* location,
                                CUmemAllocationType type) {
  require(pool_out != nullptr);
  Device& device = device_at(location, type);
  *pool_out = handle_of<CUmemoryPool>(type == CU_MEM_ALLOCATION_TYPE_MANAGED
                                          ? *device.default_managed_pool(location->type)
                                          : *device.default_pool());
  return CUDA_SUCCESS;
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  require(pool != nullptr);
  Device& device = device_at(location, type);
  *pool = handle_of<CUmemoryPool>(type == CU_MEM_ALLOCATION_TYPE_MANAGED
                                      ? *device.current_managed_pool(location->type)
                                      : *device.current_pool());
  return CUDA_SUCCESS;
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  Device& device = device_at(location, type);
  auto wanted = find_pool(pool);
  const bool managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
  require(&wanted->device() == &device &&
          managed == (wanted->memory_kind() == MemoryKind::MANAGED));
  if (managed)
    device.set_current_managed_pool(location->type, std::move(wanted));
  else
    device.set_current_pool(std::move(wanted));
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
