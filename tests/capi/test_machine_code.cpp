// SPDX-License-Identifier: Apache-2.0
// Machine code of the device's architecture. A search for a kernel makes no call that needs the
// context. The first launch makes these calls.
#include <cstring>

#include "capi_testing.hpp"
#include "native_capture.hpp"

namespace {

using namespace capi_test;

class MachineCode : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (!fake_ || !fake_nvrtc()) GTEST_SKIP() << "needs the scripted driver and compiler";
    before_ = fake_->live_objects("library");
  }
  static Code compile_for(const char* arch) {
    cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
    options.arch = arch;
    return compile(make_program(SAXPY_SOURCE, &options), CUCORE_CODE_TYPE_CUBIN);
  }
  // The calls that load code into a context, or need it there.
  uint64_t calls_in_context() const {
    return fake_->call_count("cuLibraryGetModule") + fake_->call_count("cuKernelGetParamInfo");
  }
  bool reports_parameters() const {
    cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
    MUST(cucore_library_query, CUCORE_LIBRARY_DRIVER, &info);
    return info.version_major * 100 + info.version_minor >= 1204;
  }
  cucore_status launch(const cucore_kernel* kernel, cucore_error** error) const {
    const cucore_launch_options options = grid(1, 1);
    const float a = 2;
    const uint64_t x = 64, y = 128;
    const uint32_t n = 5;
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(x), CUCORE_ARGUMENT(y),
                                         CUCORE_ARGUMENT(n)};
    return cucore_kernel_launch(kernel, stream_, &options, arguments, 4, error);
  }
  uint64_t before_ = 0;
};

TEST_F(MachineCode, EntersTheContextAtTheFirstLaunch) {
  const Code code = compile_for("sm_90");
  fake_->reset();
  const Kernel kernel = find_kernel(code, "saxpy");
  EXPECT_EQ(fake_->call_count("cuLibraryLoadData"), 1u);
  EXPECT_EQ(fake_->call_count("cuLibraryGetKernel"), 1u);
  EXPECT_EQ(calls_in_context(), 0u);
  EXPECT_EQ(cucore_objectcode_is_loaded(code), 1);
  EXPECT_EQ(cucore_kernel_parameter_count(kernel), 4u);
  SUCCEEDS(launch, kernel);
  EXPECT_EQ(fake_->call_count("cuLibraryGetModule"), 1u);
  const uint64_t once = calls_in_context();
  EXPECT_EQ(once, reports_parameters() ? 6u : 1u) << "four parameters, and the end";
  SUCCEEDS(launch, kernel);
  EXPECT_EQ(calls_in_context(), once);
  const Kernel again = find_kernel(code, "saxpy");
  SUCCEEDS(launch, again);
  EXPECT_EQ(calls_in_context(), once);
}

TEST_F(MachineCode, EntersTheContextAtAnExplicitLoad) {
  const Code code = compile_for("sm_90");
  SUCCEEDS(cucore_objectcode_load, code, device_);
  EXPECT_EQ(fake_->call_count("cuLibraryGetModule"), 1u);
  SUCCEEDS(cucore_objectcode_load, code, device_);
  EXPECT_EQ(fake_->call_count("cuLibraryGetModule"), 1u);
}

TEST_F(MachineCode, OfAnotherArchitectureEntersTheContextAtOnce) {
  const Code code = compile_for("sm_100");
  const Kernel kernel = find_kernel(code, "saxpy");
  EXPECT_EQ(fake_->call_count("cuLibraryGetModule"), 1u);
}

TEST_F(MachineCode, IsUnloadedAtOnceIfNothingWasLaunched) {
  Code code = compile_for("sm_90");
  Kernel kernel = find_kernel(code, "saxpy");
  code.reset();
  EXPECT_EQ(fake_->call_count("cuLibraryUnload"), 0u);
  kernel.reset();
  EXPECT_EQ(fake_->call_count("cuLibraryUnload"), 1u);
  EXPECT_EQ(fake_->live_objects("library"), before_);
}

TEST_F(MachineCode, IsUnloadedAfterItsLaunches) {
  Code code = compile_for("sm_90");
  Kernel kernel = find_kernel(code, "saxpy");
  fake_->hold_streams(1);
  SUCCEEDS(launch, kernel);
  kernel.reset();
  code.reset();
  EXPECT_EQ(fake_->live_objects("library"), before_ + 1) << "unloaded under a kernel";
  fake_->hold_streams(0);
}

TEST_F(MachineCode, EntersTheContextDuringACapture) {
  if (!reports_parameters()) GTEST_SKIP() << "an older driver does not report the end of graphs";
  const NativeGraphs graphs;
  ASSERT_TRUE(graphs);
  const Code code = compile_for("sm_90");
  const Kernel kernel = find_kernel(code, "saxpy");
  ASSERT_EQ(graphs.begin(stream_), CUDA_SUCCESS);
  SUCCEEDS(launch, kernel);
  CUgraph graph = nullptr;
  ASSERT_EQ(graphs.end(stream_, graph), CUDA_SUCCESS);
  graphs.destroy(graph, nullptr);
}

TEST_F(MachineCode, ThatCannotEnterFailsTheLaunch) {
  const Code code = compile_for("sm_90");
  const Kernel kernel = find_kernel(code, "saxpy");
  fake_->fail_call("cuLibraryGetModule", 1, 209);  // CUDA_ERROR_NO_BINARY_FOR_GPU
  FAILS_ONCE(CUCORE_ERROR_INVALID_CODE, "load |device 0|NO_BINARY", launch, kernel);
  SUCCEEDS(launch, kernel);
}

// The driver copies the bytes of its own layout, so the launch compares them. The scripted driver
// reads only the older record of a parameter.
TEST_F(MachineCode, WithOtherParametersThanTheDriversIsNotLaunched) {
  if (!reports_parameters()) GTEST_SKIP() << "a driver before 12.4 does not report parameters";
  std::string bytes = bytes_of(compile_for("sm_90"));
  const std::string older("\x04\x17\x0c\x00", 4);
  for (size_t at = bytes.find(older); at != bytes.npos; at = bytes.find(older, at + 16)) {
    bytes[at + 1] = '\x45';
    uint32_t size = 0;
    std::memcpy(&size, &bytes[at + 12], sizeof size);
    size >>= 18;
    std::memcpy(&bytes[at + 12], &size, sizeof size);
  }
  const Code code = make_code(CUCORE_CODE_TYPE_CUBIN, bytes.data(), bytes.size());
  const Kernel kernel = find_kernel(code, "saxpy");
  EXPECT_EQ(cucore_kernel_parameter_count(kernel), 4u);
  FAILS(CUCORE_ERROR_INVALID_CODE, "kernel saxpy|4 parameters|0 parameters", launch, kernel);
}

}  // namespace
