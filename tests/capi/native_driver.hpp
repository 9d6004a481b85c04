// SPDX-License-Identifier: Apache-2.0
// The functions of the driver under test, for tests that also call it directly.
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace capi_test {

class NativeDriver {
 public:
  // Opens the library at the path in CUCORE_DRIVER, or the CPU device in use, else NVIDIA's.
  NativeDriver() {
    const char* named = std::getenv("CUCORE_DRIVER");
    const bool is_path = named && std::string(named).find('/') != std::string::npos;
    const bool is_cpu = named && std::string(named) == "cpu";
    void* library = is_cpu ? dlopen("libcucore-cpu.so.0", RTLD_NOW | RTLD_NOLOAD)
                           : dlopen(is_path ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library) get_ = reinterpret_cast<decltype(get_)>(dlsym(library, "cuGetProcAddress_v2"));
  }

  // Stores null if the driver lacks the function, or no driver is open. The version selects the
  // signature.
  template <class Fn>
  void find(const char* name, Fn& function, int version = 12000) const {
    void* found = nullptr;
    CUdriverProcAddressQueryResult status{};
    if (get_) get_(name, &found, version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status);
    function = reinterpret_cast<Fn>(found);
  }

 private:
  decltype(&::cuGetProcAddress) get_ = nullptr;
};

}  // namespace capi_test
