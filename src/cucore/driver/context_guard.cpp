// SPDX-License-Identifier: Apache-2.0
#include "driver/context_guard.hpp"

namespace cucore::driver {

ContextGuard::ContextGuard(CUcontext context) {
  check(enter(cuda(), context), "make the device's context current");
}

ContextGuard::ContextGuard(CUcontext context, std::nothrow_t) noexcept {
  const CudaTable* table = is_gone() ? nullptr : cuda_if_available();
  if (table) check_release(enter(*table, context), "make the device's context current");
}

CUresult ContextGuard::enter(const CudaTable& table, CUcontext context) noexcept {
  table_ = &table;
  CUcontext current = nullptr;
  const CUresult result = table.cuCtxGetCurrent(&current);
  // A caller's lost context is not a reason to fail: the library's is pushed over it.
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_CONTEXT_IS_DESTROYED) return result;
  if (result == CUDA_SUCCESS && current == context) {
    entered_ = true;
    return CUDA_SUCCESS;
  }
  const CUresult pushed = table.cuCtxPushCurrent(context);
  entered_ = pushed_ = pushed == CUDA_SUCCESS;
  return pushed;
}

ContextGuard::~ContextGuard() {
  if (!pushed_) return;
  CUcontext popped = nullptr;
  check_release(table_->cuCtxPopCurrent(&popped), "restore the caller's context");
}

}  // namespace cucore::driver
