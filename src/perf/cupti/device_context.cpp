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
  CUresult (*retain)(CUcontext*, CUdevice) =
      driver_function<CUresult (*)(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain");
  CUresult (*release)(CUdevice) =
      driver_function<CUresult (*)(CUdevice)>("cuDevicePrimaryCtxRelease");
  CUresult (*get)(CUcontext*) = driver_function<CUresult (*)(CUcontext*)>("cuCtxGetCurrent");
  CUresult (*set)(CUcontext) = driver_function<CUresult (*)(CUcontext)>("cuCtxSetCurrent");
  CUresult (*wait)() = driver_function<CUresult (*)()>("cuCtxSynchronize");
};

// An attempt that throws is made again by the next caller.
const ContextCalls& calls() {
  static const ContextCalls found;
  return found;
}

void check_driver(CUresult result, const char* attempt) {
  if (result != CUDA_SUCCESS)
    throw Error(Status::CUDA, concat("cannot ", attempt, ": the driver returned ", int{result}),
                {}, {"cuda", int{result}, ""});
}

}  // namespace

DeviceContext::DeviceContext(const cucore_device* device, const char* attempt)
    : device_(decltype(device_)::share(device)) {
  check_driver(calls().retain(&context_, cucore_device_ordinal(device)), attempt);
}

DeviceContext::~DeviceContext() { (void)calls().release(cucore_device_ordinal(device_.get())); }

void DeviceContext::synchronize() const {
  const CurrentContext current(context_);
  (void)calls().wait();
}

CurrentContext::CurrentContext(CUcontext context) {
  (void)calls().get(&before_);
  check_driver(calls().set(context), "select the context of the device");
}

CurrentContext::~CurrentContext() { (void)calls().set(before_); }

}  // namespace cucore::perf
