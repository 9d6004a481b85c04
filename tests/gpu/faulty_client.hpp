// SPDX-License-Identifier: Apache-2.0
// The driver that fails at random, for a test, and calls that it may let fail. Each failure must be
// one that the driver reported on this thread, with the corresponding status.
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>

#include "capi/capi_testing.hpp"
#include "fakes/faulty_control.h"

namespace gpu_test {

class FaultyDriver {
 public:
  // Returns null if CUCORE_DRIVER names another driver.
  static const FaultyDriver* find() {
    static const FaultyDriver* const driver = [] {
      const char* path = std::getenv("CUCORE_DRIVER");
      const bool is_it = path && std::strstr(path, "/faulty_driver.so");
      return is_it ? new FaultyDriver(path) : nullptr;
    }();
    return driver;
  }

#define CONTROL(name) decltype(&::faulty_##name) name = nullptr;
#define CONTROLS \
  CONTROL(arm)   \
  CONTROL(spare) \
  CONTROL(struck) CONTROL(struck_here) CONTROL(live_objects) CONTROL(report)
  CONTROLS
#undef CONTROL

 private:
  explicit FaultyDriver(const char* path) {
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
#define CONTROL(name) \
  name = reinterpret_cast<decltype(&::faulty_##name)>(dlsym(library, "faulty_" #name));
    CONTROLS
#undef CONTROL
#undef CONTROLS
  }
};

// While it lives, no call of this thread fails.
class Spared {
 public:
  explicit Spared(const FaultyDriver& driver) : driver_(driver) { driver_.spare(1); }
  ~Spared() { driver_.spare(-1); }
  Spared(const Spared&) = delete;
  Spared& operator=(const Spared&) = delete;

 private:
  const FaultyDriver& driver_;
};

struct Promise {
  CUresult result;
  cucore_status status, at_launch;
};
inline constexpr Promise PROMISES[] = {
    {CUDA_ERROR_OUT_OF_MEMORY, CUCORE_ERROR_OUT_OF_DEVICE_MEMORY,
     CUCORE_ERROR_OUT_OF_DEVICE_MEMORY},
    {CUDA_ERROR_NOT_SUPPORTED, CUCORE_ERROR_UNSUPPORTED, CUCORE_ERROR_UNSUPPORTED},
    {CUDA_ERROR_INVALID_VALUE, CUCORE_ERROR_INVALID_ARGUMENT, CUCORE_ERROR_LAUNCH},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUCORE_ERROR_LAUNCH, CUCORE_ERROR_LAUNCH},
    {CUDA_ERROR_UNKNOWN, CUCORE_ERROR_CUDA, CUCORE_ERROR_CUDA},
};

// Returns the reason that this failure cannot be an injected one, or "".
inline std::string reason_against(cucore_status status, const cucore_error* error) {
  const int32_t code = cucore_error_native_code(error);
  const auto* const promise = std::find_if(std::begin(PROMISES), std::end(PROMISES),
                                           [&](const Promise& p) { return p.result == code; });
  if (std::strcmp(cucore_error_origin(error), "cuda") != 0 || promise == std::end(PROMISES))
    return "a failure of the library's own";
  if (cucore_error_status(error) != status || *cucore_error_message(error) == '\0')
    return "an error that does not describe the failure";
  if (status != promise->status && status != promise->at_launch)
    return "a status that does not stand for the driver's result";
  return {};
}

// Makes calls for one thread of a test and keeps the first failure that was not injected.
class Caller {
 public:
  explicit Caller(const FaultyDriver& driver) : driver_(driver) {}

  // Returns whether the call succeeded.
  template <class Function, class... A>
  bool tries(const char* name, Function function, const A&... arguments) {
    const uint64_t before = driver_.struck_here();
    capi_test::Error error;
    const cucore_status status = function(arguments..., error.out());
    if (status == CUCORE_OK) {
      expect(!error, std::string(name) + ": an error with CUCORE_OK");
      return true;
    }
    std::string reason = reason_against(status, error);
    if (reason.empty() && driver_.struck_here() == before)
      reason = "a failure without a fault of this thread";
    expect(reason.empty(),
           std::string(name) + ": " + reason + ": " + capi_test::describe(status, error));
    return false;
  }

  // For calls that must succeed, because they are spared or never call the driver.
  template <class Function, class... A>
  bool must(const char* name, Function function, const A&... arguments) {
    const Spared spared(driver_);
    capi_test::Error error;
    const cucore_status status = function(arguments..., error.out());
    expect(status == CUCORE_OK, std::string(name) + ": " + capi_test::describe(status, error));
    return status == CUCORE_OK;
  }

  void expect(bool right, const std::string& what) {
    if (!right && wrong_.empty()) wrong_ = what;
  }

  const std::string& wrong() const { return wrong_; }
  const FaultyDriver& driver() const { return driver_; }

 private:
  const FaultyDriver& driver_;
  std::string wrong_;
};

#define TRIES(caller, function, ...) (caller).tries(#function, function, __VA_ARGS__)
#define HAS_TO(caller, function, ...) (caller).must(#function, function, __VA_ARGS__)

}  // namespace gpu_test
