// SPDX-License-Identifier: Apache-2.0
// The launch functions before CUDA 4, which keep the block and the parameters in the function.
#include "driver.hpp"

namespace cutest {
namespace {

class FunctionSetup : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    OK(cu.cuMemAlloc_v2(&memory, 4096));
    OK(cu.cuMemsetD32_v2(memory, 0, 1024));
  }
  // Sets the parameters of `fill`.
  void set(CUfunction f, unsigned value, unsigned n) {
    OK(cu.cuParamSetv(f, 0, &memory, sizeof memory));
    OK(cu.cuParamSeti(f, 8, value));
    OK(cu.cuParamSeti(f, 12, n));
    OK(cu.cuParamSetSize(f, 16));
  }
  unsigned word(size_t index) {
    unsigned value = ~0u;
    EXPECT_CU(0, cu.cuMemcpyDtoH_v2(&value, memory + 4 * index, 4));
    return value;
  }
  CUdeviceptr memory = 0;
};

TEST_F(FunctionSetup, OneBlockAndAGrid) {
  CUfunction f = function("fill");
  set(f, 5, 1000);
  OK(cu.cuFuncSetBlockShape(f, 32, 1, 1));
  OK(cu.cuLaunch(f));
  EXPECT_EQ(5u, word(31));
  EXPECT_EQ(0u, word(32));
  OK(cu.cuLaunchGrid(f, 4, 1));
  EXPECT_EQ(5u, word(127));
  EXPECT_EQ(0u, word(128));
  CUstream stream = nullptr;
  OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cu.cuParamSeti(f, 8, 6));
  OK(cu.cuLaunchGridAsync(f, 8, 1, stream));
  OK(cu.cuParamSeti(f, 8, 7));  // the launch has its own copy
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(6u, word(255));
}

TEST_F(FunctionSetup, SharedMemoryAndFloats) {
  CUfunction f = function("dynamic_shared");
  OK(cu.cuParamSetv(f, 0, &memory, 8));
  OK(cu.cuParamSeti(f, 8, 4096));
  OK(cu.cuParamSetSize(f, 12));
  OK(cu.cuFuncSetBlockShape(f, 1, 1, 1));
  OK(cu.cuFuncSetSharedSize(f, 4096));
  OK(cu.cuLaunch(f));
  EXPECT_EQ(4096u, word(0));
  CUfunction fill = function("fill");
  set(fill, 0, 1);
  OK(cu.cuParamSetf(fill, 8, 1.0f));
  OK(cu.cuFuncSetBlockShape(fill, 1, 1, 1));
  OK(cu.cuLaunch(fill));
  EXPECT_EQ(0x3f800000u, word(0));
}

TEST_F(FunctionSetup, BadArguments) {
  CUfunction f = function("fill");
  set(f, 5, 16);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuLaunch(f)) << "no block shape";
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuFuncSetBlockShape(f, 0, 1, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuFuncSetBlockShape(f, 1, -1, 1));
  OK(cu.cuFuncSetBlockShape(f, 16, 1, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuLaunchGrid(f, 0, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuParamSeti(f, -4, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuParamSeti(f, 4093, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuParamSetv(f, 0, &memory, 5000));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuParamSetv(f, 0, nullptr, 8));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuParamSetSize(f, 4097));
  OK(cu.cuParamSetSize(f, 4096));
  EXPECT_CU(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, cu.cuLaunch(f)) << "too many parameters";
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuLaunch(nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuFuncSetSharedSize(nullptr, 0));
}

}  // namespace
}  // namespace cutest
