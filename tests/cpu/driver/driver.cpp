// SPDX-License-Identifier: Apache-2.0
// Opens the library and contains the tests' common fixture.
#include "driver.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace cutest {

Driver::Driver() {
  const char* path = std::getenv("CUCORE_CPU_LIBRARY");
  library = dlopen(path ? path : "libcucore-cpu.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::abort();
  }
  auto get = reinterpret_cast<decltype(&::cuGetProcAddress_v2)>(symbol("cuGetProcAddress_v2"));
  auto find = [get](const char* base, int version, cuuint64_t flags) {
    void* address = nullptr;
    CUdriverProcAddressQueryResult status{};
    if (get(base, &address, version, flags, &status) != CUDA_SUCCESS || !address) {
      std::fprintf(stderr, "cuGetProcAddress_v2 does not find %s %d\n", base, version);
      std::abort();
    }
    return address;
  };
#define ENTRY(needs, function, base, version, params, args) \
  function = reinterpret_cast<decltype(function)>(          \
      find(#base, version, CU_GET_PROC_ADDRESS_LEGACY_STREAM));
#define PER_THREAD(needs, function, impl, base, version, params, args) \
  function = reinterpret_cast<decltype(function)>(                     \
      find(#base, version, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
#include "cpu/driver/entry_points.inc"
#undef ENTRY
#undef PER_THREAD
}

void* Driver::symbol(const char* name) const { return dlsym(library, name); }

const cucore_cpu_control& Driver::control() const {
  static const CUuuid id = CUCORE_CPU_CONTROL_ID;
  const void* table = nullptr;
  if (cuGetExportTable(&table, &id) != CUDA_SUCCESS) std::abort();
  return *static_cast<const cucore_cpu_control*>(table);
}

Driver& DeviceTest::driver() {
  static Driver& driver = [&]() -> Driver& {
    auto* made = new Driver;
    if (made->cuInit(0) != CUDA_SUCCESS) std::abort();
    return *made;
  }();
  return driver;
}

void DeviceTest::SetUp() {
  OK(cu.cuCtxCreate_v4(&context, nullptr, 0, 0));
  OK(cu.cuModuleLoadData(&module, PTX));
  OK(cu.cuMemAllocHost_v2(reinterpret_cast<void**>(&gate), 64));
}

void DeviceTest::TearDown() {
  open_gate();
  EXPECT_CU(0, cu.cuCtxDestroy_v2(context));
  CUcontext left = nullptr;
  EXPECT_CU(0, cu.cuCtxGetCurrent(&left));
  EXPECT_EQ(nullptr, left) << "the test left a context current";
}

CUfunction DeviceTest::function(const char* name) {
  CUfunction f = nullptr;
  EXPECT_CU(0, cu.cuModuleGetFunction(&f, module, name)) << name;
  return f;
}

CUresult DeviceTest::launch(const char* name, std::vector<void*> parameters, unsigned threads,
                            CUstream stream, unsigned grid) {
  return cu.cuLaunchKernel(function(name), grid, 1, 1, threads, 1, 1, 0, stream, parameters.data(),
                           nullptr);
}

void DeviceTest::close_gate(CUstream stream) {
  std::atomic_ref<unsigned>(*gate).store(0);
  void* p = gate;
  ASSERT_CU(0, launch("spin", {&p}, 1, stream));
}

void DeviceTest::open_gate() {
  if (gate) std::atomic_ref<unsigned>(*gate).store(1);
}

std::string DeviceTest::fault_text() {
  char text[1024] = "";
  EXPECT_CU(0, cu.control().last_fault_text(context, text, sizeof text, nullptr));
  return text;
}

}  // namespace cutest
