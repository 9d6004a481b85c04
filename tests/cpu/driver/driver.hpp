// SPDX-License-Identifier: Apache-2.0
// The CPU device as a program sees it: opened with dlopen; every function comes from
// cuGetProcAddress_v2 by base name and version.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "cpu/driver/control.hpp"
#include "cpu/driver/cuda_api.hpp"

#define EXPECT_CU(expected, call) EXPECT_EQ(static_cast<int>(expected), static_cast<int>(call))
#define ASSERT_CU(expected, call) ASSERT_EQ(static_cast<int>(expected), static_cast<int>(call))
#define OK(call) ASSERT_EQ(0, static_cast<int>(call))

namespace cutest {

struct Driver {
  Driver();  // opens $CUCORE_CPU_LIBRARY; does not call cuInit
  void* symbol(const char* name) const;
  const cucore_cpu_control& control() const;

  void* library = nullptr;
#define ENTRY(needs, name, base, version, params, args) decltype(&::name) name = nullptr;
#define PER_THREAD(needs, name, impl, base, version, params, args) decltype(&::name) name = nullptr;
#include "cpu/driver/entry_points.inc"
#undef ENTRY
#undef PER_THREAD
};

extern const char* const PTX;  // the kernels of kernels.cpp

// A separate context on device 0 with the kernels loaded.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  CUfunction function(const char* name);
  // Launches one block of `threads`.
  CUresult launch(const char* name, std::vector<void*> parameters, unsigned threads = 1,
                  CUstream stream = nullptr, unsigned grid = 1);
  // Starts `spin` on a flag in pinned memory: the stream is busy until open_gate().
  void close_gate(CUstream stream);
  void open_gate();
  std::string fault_text();

  Driver& cu = driver();
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  unsigned* gate = nullptr;

 public:
  static Driver& driver();  // after cuInit
};

// Returns true if `condition` becomes true within ten seconds.
template <class F>
bool eventually(F condition) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

}  // namespace cutest
