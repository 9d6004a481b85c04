// SPDX-License-Identifier: Apache-2.0
#include "core/load/context_function.hpp"

#include <mutex>
#include <new>

#include "core/objects/context_access.hpp"
#include "driver/context_guard.hpp"
#include "driver/stream_capture.hpp"

namespace cucore::core {
namespace {

// Returns whether the driver answered. A driver before CUDA 12.3 has no name of the function of a
// captured node, so there the kernel is launched.
bool ask(CUkernel kernel, const Context& context, CUfunction& function) noexcept {
  const driver::CudaTable* const cu = driver::cuda_if_available();
  if (!cu) return false;
  if (!cu->cuFuncGetName) return true;
  const driver::RelaxedCaptures relaxed;  // the first launch may be captured
  const driver::ContextGuard guard(context.native(), std::nothrow);
  if (guard && cu->cuKernelGetFunction(&function, kernel) == CUDA_SUCCESS) return true;
  function = nullptr;
  return false;
}

}  // namespace

void ContextFunction::find(CUkernel kernel, const Context& context) noexcept {
  if (is_found_in(context)) return;
  const ContextAccess access(context, std::nothrow);
  CUfunction function = nullptr;
  if (!access.is_alive() || !ask(kernel, context, function)) return;
  Ref<const Context> before;  // ends after the lock
  static std::mutex publishing;
  const std::lock_guard lock(publishing);
  if (is_found_in(context)) return;
  before = Ref<const Context>::adopt(context_.exchange(nullptr, std::memory_order_acq_rel));
  function_.store(function, std::memory_order_relaxed);
  context_.store(Ref<const Context>(&context).detach(), std::memory_order_release);
}

ContextFunction::~ContextFunction() {
  (void)Ref<const Context>::adopt(context_.load(std::memory_order_relaxed));
}

}  // namespace cucore::core
