// SPDX-License-Identifier: Apache-2.0
// Memory, events and pools between processes.
#include <cstring>

#include "cpu/driver/allocations.hpp"
#include "cpu/driver/api.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/event.hpp"
#include "cpu/driver/ipc.hpp"
#include "cpu/driver/pool.hpp"
#include "cpu/driver/process.hpp"

namespace cucore::cpu::api {
namespace {

template <class T>
void write_handle(T* handle, const IpcBytes& bytes) {
  static_assert(sizeof(T) == sizeof bytes);
  std::memcpy(handle, &bytes, sizeof bytes);
}

// The memory of one allocation, which is moved into a file at the first call.
std::shared_ptr<SharedMemory> shared_memory(const Allocation& a) {
  auto memory = AddressSpace::instance().share(a.base);
  require(memory != nullptr, CUDA_ERROR_OUT_OF_MEMORY);
  return memory;
}

std::shared_ptr<Pool> shareable_pool(CUmemoryPool handle, CUmemAllocationHandleType type) {
  require(type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  auto pool = lookup<Pool>(handle, CUDA_ERROR_INVALID_VALUE);
  require(pool->identity() && !pool->imported());
  return pool;
}

}  // namespace

CUresult cuIpcGetMemHandle(CUipcMemHandle* pHandle, CUdeviceptr dptr) {
  require(pHandle != nullptr);
  auto a = Allocations::instance().find(dptr);
  require(a && a->legacy_ipc());
  write_handle(pHandle, ipc_bytes(*shared_memory(*a)));
  return CUDA_SUCCESS;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
  require(pdptr && Flags == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  auto context = current_context();
  const IpcBytes bytes = read_ipc_bytes(&handle, SharedKind::MEMORY);
  require(bytes.pool == SharedKey{});
  require(!of_this_process(bytes), CUDA_ERROR_INVALID_CONTEXT);
  *pdptr = Allocations::instance().open_ipc(*context, bytes);
  return CUDA_SUCCESS;
}
CUresult cuIpcOpenMemHandle(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
  return api::cuIpcOpenMemHandle_v2(pdptr, handle, Flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
  auto a = Allocations::instance().find_start(dptr);
  require(a && a->source == Source::IPC);
  wait_for_users(*a);
  require(Allocations::instance().close_ipc(dptr));
  return CUDA_SUCCESS;
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* pHandle, CUevent event) {
  require(pHandle != nullptr);
  auto e = lookup<Event>(event);
  require(e->shared() != nullptr, CUDA_ERROR_INVALID_HANDLE);
  write_handle(pHandle, ipc_bytes(e->shared()->memory()));
  return CUDA_SUCCESS;
}

CUresult cuIpcOpenEventHandle(CUevent* phEvent, CUipcEventHandle handle) {
  require(phEvent != nullptr);
  auto context = current_context();
  const IpcBytes bytes = read_ipc_bytes(&handle, SharedKind::EVENT);
  require(!of_this_process(bytes), CUDA_ERROR_INVALID_CONTEXT);
  auto shared = SharedEvent::open(open_ipc(bytes));
  require(shared != nullptr, CUDA_ERROR_MAP_FAILED);
  auto event = std::make_shared<Event>(context, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS,
                                       std::move(shared));
  *phEvent = new_handle<CUevent>(event);
  context->adopt(ObjectKind::EVENT, event->handle_bits());
  return CUDA_SUCCESS;
}

CUresult cuMemPoolExportToShareableHandle(void* handle_out, CUmemoryPool pool,
                                          CUmemAllocationHandleType handleType,
                                          unsigned long long flags) {
  require(handle_out && flags == 0);
  const int file = shareable_pool(pool, handleType)->identity()->duplicate();
  require(file >= 0, CUDA_ERROR_OUT_OF_MEMORY);
  std::memcpy(handle_out, &file, sizeof file);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* pool_out, void* handle,
                                            CUmemAllocationHandleType handleType,
                                            unsigned long long flags) {
  require(pool_out && handleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && flags == 0);
  const auto file = static_cast<int>(reinterpret_cast<intptr_t>(handle));
  auto identity = SharedMemory::open(file, SharedKind::POOL);
  require(identity != nullptr);
  Device& device = find_device(identity->header().device);
  auto pool = Pool::import(device, std::move(identity));
  *pool_out = new_handle<CUmemoryPool>(pool);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* shareData_out, CUdeviceptr ptr) {
  require(shareData_out != nullptr);
  auto a = Allocations::instance().find_start(ptr);
  require(a && a->pool && a->pool->identity() && a->source == Source::OWN && !a->free_pending);
  write_handle(shareData_out, ipc_bytes(*shared_memory(*a), a->pool->identity()->header().key));
  return CUDA_SUCCESS;
}

CUresult cuMemPoolImportPointer(CUdeviceptr* ptr_out, CUmemoryPool pool,
                                CUmemPoolPtrExportData* shareData) {
  require(ptr_out && shareData);
  auto p = lookup<Pool>(pool, CUDA_ERROR_INVALID_VALUE);
  const IpcBytes bytes = read_ipc_bytes(shareData, SharedKind::MEMORY);
  require(p->imported() && p->identity()->header().key == bytes.pool);
  auto context = current_context();
  *ptr_out = Allocations::instance().allocate_shared(*context, open_ipc(bytes), Source::POOL, p);
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
