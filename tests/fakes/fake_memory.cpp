// SPDX-License-Identifier: Apache-2.0
// The fake driver's memory: host memory under device addresses, so that copies really copy.
#include <cstring>
#include <string>
#include <utility>

#include "fakes/fake_api.hpp"
#include "fakes/fake_checks.hpp"
#include "fakes/fake_driver.hpp"

namespace fake {
namespace {

// The place of a row of one side of a copy, or null for memory that is not allocated.
char* row_of(CUmemorytype type, const void* host, CUdeviceptr device, size_t offset, size_t size) {
  if (type == CU_MEMORYTYPE_HOST) return const_cast<char*>(static_cast<const char*>(host)) + offset;
  return memory_at(device + offset, size) ? reinterpret_cast<char*>(device + offset) : nullptr;
}

bool is_known(CUmemorytype type) {
  return type == CU_MEMORYTYPE_UNIFIED || type == CU_MEMORYTYPE_HOST;
}

}  // namespace

bool is_valid_box(const CUDA_MEMCPY3D& copy) {
  return copy.WidthInBytes && copy.Height && copy.Depth && is_known(copy.srcMemoryType) &&
         is_known(copy.dstMemoryType) && copy.srcPitch >= copy.WidthInBytes &&
         copy.dstPitch >= copy.WidthInBytes && copy.srcHeight >= copy.Height &&
         copy.dstHeight >= copy.Height;
}

CUresult copy_box(const CUDA_MEMCPY3D& copy) {
  for (size_t z = 0; z < copy.Depth; ++z)
    for (size_t y = 0; y < copy.Height; ++y) {
      const size_t to = (z * copy.dstHeight + y) * copy.dstPitch;
      const size_t from = (z * copy.srcHeight + y) * copy.srcPitch;
      char* const target =
          row_of(copy.dstMemoryType, copy.dstHost, copy.dstDevice, to, copy.WidthInBytes);
      const char* const source =
          row_of(copy.srcMemoryType, copy.srcHost, copy.srcDevice, from, copy.WidthInBytes);
      NEED(target && source, CUDA_ERROR_INVALID_VALUE);
      std::memmove(target, source, copy.WidthInBytes);
    }
  return CUDA_SUCCESS;
}

}  // namespace fake

namespace fake::api {
namespace {

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

CUresult allocate_here(MemoryKind kind, size_t size, CUdeviceptr* out) {
  Context* context = nullptr;
  RETURN_IF_FAILED(current(context));
  return allocate(context, kind, size, out);
}

// Memory of a graph stays its node's.
CUresult free_here(CUdeviceptr where, const char* use) {
  Memory* const memory = memory_at(where, 1);
  if (!memory || !memory->is_of_graph) return free_memory(where, false, use);
  NEED(memory->is_allocated, CUDA_ERROR_INVALID_VALUE);
  memory->is_allocated = false;
  return memory->is_orphan ? free_memory(where, false, use) : CUDA_SUCCESS;
}

// Copies require a current context and a live stream.
CUresult ready_on(CUstream handle, Stream*& stream, const char* use) {
  Context* context = nullptr;
  RETURN_IF_FAILED(current(context));
  return resolve_work(handle, context, stream, use);
}

CUresult ready_here() {
  Context* context = nullptr;
  return current(context);
}

CUresult copy(CUdeviceptr to, bool to_device, CUdeviceptr from, bool from_device, size_t size) {
  if (size == 0) return CUDA_SUCCESS;
  NEED(!to_device || memory_at(to, size), CUDA_ERROR_INVALID_VALUE);
  NEED(!from_device || memory_at(from, size), CUDA_ERROR_INVALID_VALUE);
  std::memmove(pointer(to), pointer(from), size);
  return CUDA_SUCCESS;
}

// Does the work now, or makes a node from it if the stream is captured.
template <class Work>
CUresult work_on(CUstream handle, CUgraphNodeType type, const char* use, Work work) {
  Stream* stream = nullptr;
  RETURN_IF_FAILED(ready_on(handle, stream, use));
  if (!stream || !stream->capture.active) return work();
  GraphNode node;
  node.type = type;
  node.run = [work, use] {
    if (work() != CUDA_SUCCESS)
      calls().violation(std::string(use) + " in a graph uses memory that is not allocated");
  };
  capture_work(stream, std::move(node));
  return CUDA_SUCCESS;
}

CUresult copy_on(CUstream stream, const char* use, CUdeviceptr to, bool to_device, CUdeviceptr from,
                 bool from_device, size_t size) {
  return work_on(stream, CU_GRAPH_NODE_TYPE_MEMCPY, use,
                 [=] { return copy(to, to_device, from, from_device, size); });
}

CUDA_MEMCPY3D without_contexts(const CUDA_MEMCPY3D_PEER& given) {
  CUDA_MEMCPY3D copy{};
  const auto plain = [](CUmemorytype type) {
    return type == CU_MEMORYTYPE_DEVICE ? CU_MEMORYTYPE_UNIFIED : type;
  };
  copy.srcMemoryType = plain(given.srcMemoryType);
  copy.srcHost = given.srcHost;
  copy.srcDevice = given.srcDevice;
  copy.srcPitch = given.srcPitch;
  copy.srcHeight = given.srcHeight;
  copy.dstMemoryType = plain(given.dstMemoryType);
  copy.dstHost = given.dstHost;
  copy.dstDevice = given.dstDevice;
  copy.dstPitch = given.dstPitch;
  copy.dstHeight = given.dstHeight;
  copy.WidthInBytes = given.WidthInBytes;
  copy.Height = given.Height;
  copy.Depth = given.Depth;
  return copy;
}

CUdeviceptr address(const void* host) { return reinterpret_cast<uintptr_t>(host); }

template <class T>
CUresult fill(CUdeviceptr to, T value, size_t count, CUstream stream, const char* use) {
  const auto lock = locked();
  return work_on(stream, CU_GRAPH_NODE_TYPE_MEMSET, use, [=] {
    if (count == 0) return CUDA_SUCCESS;
    NEED(to % sizeof(T) == 0 && memory_at(to, count * sizeof(T)), CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < count; ++i)
      std::memcpy(static_cast<char*>(pointer(to)) + i * sizeof(T), &value, sizeof(T));
    return CUDA_SUCCESS;
  });
}

CUmemoryPool default_pool(CUdevice device) {
  static std::map<CUdevice, CUmemoryPool> defaults;
  auto [found, added] = defaults.try_emplace(device, nullptr);
  if (added) found->second = driver().pools.add({device, true, {}});
  return found->second;
}

}  // namespace

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  const auto lock = locked();
  RETURN_IF_FAILED(ready_here());
  *total = driver().settings.total_memory;
  *free = driver().settings.total_memory - driver().memory_used;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* out, size_t size) {
  const auto lock = locked();
  return allocate_here(MemoryKind::DEVICE, size, out);
}

CUresult cuMemAllocAsync(CUdeviceptr* out, size_t size, CUstream stream) {
  const auto lock = locked();
  Stream* found = nullptr;
  RETURN_IF_FAILED(ready_on(stream, found, "cuMemAllocAsync"));
  RETURN_IF_FAILED(allocate_here(MemoryKind::DEVICE, size, out));
  Memory* const memory = memory_at(*out, size);
  memory->pool = default_pool(memory->context->device);
  if (found && found->capture.active) capture_work(found, allocation_node(*out));
  return CUDA_SUCCESS;
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* out, size_t size, CUmemoryPool pool,
                                 CUstream stream) {
  const auto lock = locked();
  NEED(driver().pools.find_or_note(pool, "cuMemAllocFromPoolAsync"), CUDA_ERROR_INVALID_VALUE);
  RETURN_IF_FAILED(api::cuMemAllocAsync(out, size, stream));
  memory_at(*out, size)->pool = pool;
  return CUDA_SUCCESS;
}

CUresult cuMemAllocManaged(CUdeviceptr* out, size_t size, unsigned flags) {
  const auto lock = locked();
  NEED(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST, CUDA_ERROR_INVALID_VALUE);
  return allocate_here(MemoryKind::MANAGED, size, out);
}

CUresult cuMemHostAlloc(void** out, size_t size, unsigned) {
  const auto lock = locked();
  CUdeviceptr where = 0;
  RETURN_IF_FAILED(allocate_here(MemoryKind::HOST, size, &where));
  *out = pointer(where);
  return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr where) {
  const auto lock = locked();
  RETURN_IF_FAILED(ready_here());
  return where ? free_here(where, "cuMemFree") : CUDA_SUCCESS;
}

CUresult cuMemFreeAsync(CUdeviceptr where, CUstream stream) {
  auto lock = locked();
  Context* context = nullptr;
  Stream* found = nullptr;
  RETURN_IF_FAILED(resolve_work(stream, context, found, "cuMemFreeAsync"));
  if (capture_work(found, free_node(where))) return CUDA_SUCCESS;
  take_place(lock, found);
  return free_here(where, "cuMemFreeAsync");
}

CUresult cuMemFreeHost(void* where) {
  const auto lock = locked();
  RETURN_IF_FAILED(ready_here());
  return free_memory(address(where), true, "cuMemFreeHost");
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* out, void* host, unsigned) {
  const auto lock = locked();
  RETURN_IF_FAILED(ready_here());
  NEED(memory_at(address(host), 1), CUDA_ERROR_INVALID_VALUE);
  *out = address(host);
  return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* size, CUdeviceptr where) {
  const auto lock = locked();
  RETURN_IF_FAILED(ready_here());
  const Memory* memory = memory_at(where, 1);
  NEED(memory, CUDA_ERROR_NOT_FOUND);
  if (base) *base = address(memory->bytes.data());
  if (size) *size = memory->bytes.size();
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void* out, CUpointer_attribute attribute, CUdeviceptr where) {
  const auto lock = locked();
  const Memory* memory = memory_at(where, 1);
  NEED(memory, CUDA_ERROR_INVALID_VALUE);
  const bool host = memory->kind == MemoryKind::HOST;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *static_cast<CUcontext*>(out) = memory->context->handle;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<CUmemorytype*>(out) = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<unsigned*>(out) = memory->kind == MemoryKind::MANAGED;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(out) = memory->context->device;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      *static_cast<CUmemoryPool*>(out) = memory->pool;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      *static_cast<CUdeviceptr*>(out) = where;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size) {
  const auto lock = locked();
  RETURN_IF_FAILED(ready_here());
  return copy(to, false, from, false, size);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  const auto lock = locked();
  return copy_on(stream, "cuMemcpyAsync", to, false, from, false, size);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t size) {
  const auto lock = locked();
  RETURN_IF_FAILED(ready_here());
  return copy(to, true, from, true, size);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  const auto lock = locked();
  return copy_on(stream, "cuMemcpyDtoDAsync", to, true, from, true, size);
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t size) {
  const auto lock = locked();
  RETURN_IF_FAILED(ready_here());
  return copy(address(to), false, from, true, size);
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t size, CUstream stream) {
  const auto lock = locked();
  return copy_on(stream, "cuMemcpyDtoHAsync", address(to), false, from, true, size);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t size) {
  const auto lock = locked();
  RETURN_IF_FAILED(ready_here());
  return copy(to, true, address(from), false, size);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t size, CUstream stream) {
  const auto lock = locked();
  return copy_on(stream, "cuMemcpyHtoDAsync", to, true, address(from), false, size);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* given, CUstream stream) {
  const auto lock = locked();
  NEED(is_valid_box(*given), CUDA_ERROR_INVALID_VALUE);
  return work_on(stream, CU_GRAPH_NODE_TYPE_MEMCPY, "cuMemcpy3DAsync",
                 [copy = *given] { return copy_box(copy); });
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* given, CUstream stream) {
  const auto lock = locked();
  Stream* found = nullptr;
  RETURN_IF_FAILED(ready_on(stream, found, "cuMemcpy3DPeerAsync"));
  NEED(!found || !found->capture.active, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  RETURN_IF_FAILED(usable(context_of(given->srcContext)));
  RETURN_IF_FAILED(usable(context_of(given->dstContext)));
  const CUDA_MEMCPY3D copy = without_contexts(*given);
  NEED(is_valid_box(copy), CUDA_ERROR_INVALID_VALUE);
  return copy_box(copy);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t size, CUstream stream) {
  const auto lock = locked();
  Stream* found = nullptr;
  RETURN_IF_FAILED(ready_on(stream, found, "cuMemcpyPeerAsync"));
  NEED(!found || !found->capture.active, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  RETURN_IF_FAILED(usable(context_of(to_context)));
  RETURN_IF_FAILED(usable(context_of(from_context)));
  return copy(to, true, from, true, size);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill(to, value, count, stream, "cuMemsetD8Async");
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fill(to, value, count, stream, "cuMemsetD16Async");
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill(to, value, count, stream, "cuMemsetD32Async");
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                            size_t height, CUstream stream) {
  const auto lock = locked();
  return work_on(stream, CU_GRAPH_NODE_TYPE_MEMSET, "cuMemsetD2D32Async", [=] {
    const size_t row = width * sizeof value;
    if (row == 0 || height == 0) return CUDA_SUCCESS;
    NEED(to % sizeof value == 0 && pitch % sizeof value == 0, CUDA_ERROR_INVALID_VALUE);
    NEED(height == 1 || pitch >= row, CUDA_ERROR_INVALID_VALUE);
    NEED(memory_at(to, (height - 1) * pitch + row), CUDA_ERROR_INVALID_VALUE);
    for (size_t y = 0; y < height; ++y)
      for (size_t x = 0; x < width; ++x)
        std::memcpy(static_cast<char*>(pointer(to)) + y * pitch + x * sizeof value, &value,
                    sizeof value);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  const auto lock = locked();
  NEED(device >= 0 && device < driver().settings.device_count, CUDA_ERROR_INVALID_DEVICE);
  *pool = default_pool(device);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  const auto lock = locked();
  *pool = driver().pools.add({properties->location.id, false, {}});
  return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  const auto lock = locked();
  return driver().pools.remove(pool, "cuMemPoolDestroy") ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  const auto lock = locked();
  Pool* found = driver().pools.find_or_note(pool, "cuMemPoolGetAttribute");
  NEED(found, CUDA_ERROR_INVALID_VALUE);
  *static_cast<cuuint64_t*>(value) = found->attributes[attribute];
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  const auto lock = locked();
  Pool* found = driver().pools.find_or_note(pool, "cuMemPoolSetAttribute");
  NEED(found, CUDA_ERROR_INVALID_VALUE);
  found->attributes[attribute] = *static_cast<cuuint64_t*>(value);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
  const auto lock = locked();
  Pool* found = driver().pools.find_or_note(pool, "cuMemPoolGetAccess");
  NEED(found, CUDA_ERROR_INVALID_VALUE);
  *flags = location->id == found->device ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                         : found->access[location->id];
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* map, size_t count) {
  const auto lock = locked();
  Pool* found = driver().pools.find_or_note(pool, "cuMemPoolSetAccess");
  NEED(found, CUDA_ERROR_INVALID_VALUE);
  for (size_t i = 0; i < count; ++i) {
    const int id = map[i].location.id;
    NEED(id >= 0 && id < driver().settings.device_count, CUDA_ERROR_INVALID_DEVICE);
    found->access[id] = map[i].flags;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  const auto lock = locked();
  return driver().pools.find_or_note(pool, "cuMemPoolTrimTo") ? CUDA_SUCCESS
                                                              : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace fake::api
