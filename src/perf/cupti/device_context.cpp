// SPDX-License-Identifier: Apache-2.0
#include "perf/cupti/device_context.hpp"

#include "support/concat.hpp"

namespace cucore::perf {
namespace {

constexpr const char* FINDS = "the profiler finds a function of the driver";

template <class Function>
Function driver_function(const char* name) {
  void* address = nullptr;
  client::call(FINDS, cucore_library_symbol, CUCORE_LIBRARY_DRIVER, name, &address);
  return reinterpret_cast<Function>(address);
}

struct ContextCalls {
  CUresult (*get)(CUcontext*) = driver_function<CUresult (*)(CUcontext*)>("cuCtxGetCurrent");
  CUresult (*set)(CUcontext) = driver_function<CUresult (*)(CUcontext)>("cuCtxSetCurrent");
  CUresult (*wait)() = driver_function<CUresult (*)()>("cuCtxSynchronize");
};

// An attempt that throws is made again by the next caller.
const ContextCalls& calls() {
  static const ContextCalls found;
  return found;
}

void select(CUcontext context) {
  const CUresult result = calls().set(context);
  if (result != CUDA_SUCCESS)
    throw Error(
        Status::CUDA,
        concat("cannot select the context of the device: the driver returned ", int{result}), {},
        {"cuda", int{result}, ""});
}

}  // namespace

DeviceContext::DeviceContext(const cucore_device* device)
    : device_(decltype(device_)::share(device)),
      context_(static_cast<CUcontext>(cucore_device_native_context(device))) {}

void DeviceContext::synchronize() const {
  const CurrentContext current(context_);
  (void)calls().wait();
}

CurrentContext::CurrentContext(CUcontext context) {
  (void)calls().get(&before_);
  select(context);
}

CurrentContext::~CurrentContext() { (void)calls().set(before_); }

}  // namespace cucore::perf
