// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <chrono>
#include <thread>

#include "memory_failure.hpp"

namespace sweep {
namespace {

constexpr const char* DRIVER_KINDS[] = {"context",    "context_reference", "stream",  "event",
                                        "memory",     "host_memory",       "library", "link",
                                        "graph",      "graph_exec",        "pool",    "graph_node",
                                        "user_object"};

}  // namespace

Fakes::Fakes() : handle_(dlopen(fake::path("fake_driver").c_str(), RTLD_NOW | RTLD_LOCAL)) {
  for (const fake::Client* client : {&driver, &nvrtc, &nvjitlink}) {
    client->reset();
    client->set_boundary(&enter_fake, &leave_fake);
  }
  driver.set_device_count(3);
}

template <class Fn>
Fn* Fakes::entry(const char* name) const {
  const auto get =
      reinterpret_cast<decltype(&::cuGetProcAddress_v2)>(dlsym(handle_, "cuGetProcAddress_v2"));
  void* found = nullptr;
  get(name, &found, 13000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, nullptr);
  return reinterpret_cast<Fn*>(found);
}

void* Fakes::current_context() const {
  CUcontext context = nullptr;
  entry<CUresult(CUcontext*)>("cuCtxGetCurrent")(&context);
  return context;
}

void Fakes::make_current(int device) const {
  CUcontext context = nullptr;
  entry<CUresult(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, device);
  entry<CUresult(CUcontext)>("cuCtxSetCurrent")(context);
}

void Run::arm() {
  switch (failure_.what) {
    case Failing::DRIVER_CALL:
      return fakes_.driver.fail_call(nullptr, failure_.nth, failure_.result);
    case Failing::RELEASE:
      return fakes_.driver.fail_call(failure_.name.c_str(), failure_.nth, failure_.result);
    case Failing::COMPILER_CALL:
      return fakes_.nvrtc.fail_call(nullptr, failure_.nth, failure_.result);
    case Failing::ALLOCATION:
      return arm_memory(failure_.nth, false);
    case Failing::ALL_ALLOCATIONS:
      return arm_memory(failure_.nth, true);
  }
}

void Run::disarm() {
  const bool of_memory =
      failure_.what == Failing::ALLOCATION || failure_.what == Failing::ALL_ALLOCATIONS;
  disarm_memory();
  const fake::Client& fake = failure_.what == Failing::COMPILER_CALL ? fakes_.nvrtc : fakes_.driver;
  struck_ = of_memory ? memory_failed() : fake.failures_used() != 0;
  failed_call_ = of_memory || !struck_ ? "" : fake.last_failed();
  fake.forget_failures();
}

void Run::judge(cucore_status status, cucore_error* error) {
  status_ = status;
  message_ = cucore_error_message(error);
  EXPECT_EQ(cucore_error_status(error), status);
  if (status == CUCORE_OK) {
    EXPECT_EQ(error, nullptr);
  } else
    EXPECT_NE(message_, "") << cucore_status_name(status);
  cucore_error_release(error);
}

std::string Run::where() const {
  if (!failed_call_.empty())
    return "call " + std::to_string(failure_.nth) + ", " + failed_call_ + ", gives " +
           std::to_string(failure_.result);
  return "allocation " + std::to_string(failure_.nth) + " fails" + failed_allocation();
}

Alive alive(const Fakes& fakes) {
  Alive counts;
  for (const char* kind : DRIVER_KINDS) counts[kind] = fakes.driver.live_objects(kind);
  counts["program"] = fakes.nvrtc.live_objects(nullptr);
  return counts;
}

Alive settled(const Fakes& fakes, const Alive& wanted) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (alive(fakes) != wanted && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  return alive(fakes);
}

}  // namespace sweep
