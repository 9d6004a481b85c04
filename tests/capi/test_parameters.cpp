// SPDX-License-Identifier: Apache-2.0
// All parameters of a kernel in one call: their offsets, sizes and classes.
#include <array>
#include <cstring>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

using Infos = std::array<cucore_parameter_info, 4>;

Infos blank() {
  Infos infos;
  infos.fill({sizeof infos[0], 77, 77, CUCORE_PARAMETER_CLASS_AGGREGATE, 77});
  return infos;
}

void expect_saxpy(const Infos& infos) {
  const size_t offsets[] = {0, 8, 16, 24}, sizes[] = {4, 8, 8, 4};
  const cucore_parameter_class classes[] = {
      CUCORE_PARAMETER_CLASS_FLOAT, CUCORE_PARAMETER_CLASS_POINTER, CUCORE_PARAMETER_CLASS_POINTER,
      CUCORE_PARAMETER_CLASS_INTEGER};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(infos[i].struct_size, sizeof infos[i]) << i;
    EXPECT_EQ(infos[i].offset, offsets[i]) << i;
    EXPECT_EQ(infos[i].size, sizes[i]) << i;
    EXPECT_EQ(infos[i].parameter_class, classes[i]) << i;
    EXPECT_EQ(infos[i].reserved, 0) << i;
  }
}

TEST(ParametersOfCode, ComeAllAtOnce) {
  const Code code = make_ptx_code();
  Infos infos = blank();
  size_t count = 77;
  SUCCEEDS(cucore_objectcode_symbol_parameters, code, 0, infos.data(), infos.size(), &count);
  EXPECT_EQ(count, 4u);
  expect_saxpy(infos);
  SUCCEEDS(cucore_objectcode_symbol_parameters, code, 1, infos.data(), infos.size(), &count);
  EXPECT_EQ(count, 0u);
}

TEST(ParametersOfCode, ComeWithTheirCount) {
  const Code code = make_ptx_code();
  size_t count = 77;
  SUCCEEDS(cucore_objectcode_symbol_parameters, code, 0, nullptr, 0, &count);
  EXPECT_EQ(count, 4u);
  Infos infos = blank();
  FAILS(CUCORE_ERROR_BUFFER_TOO_SMALL, "3|4", cucore_objectcode_symbol_parameters, code, 0,
        infos.data(), 3, &count);
  EXPECT_EQ(count, 4u);
  EXPECT_EQ(infos[0].size + infos[2].size, 0u);
  EXPECT_EQ(infos[3].size, 77u);
  FAILS(CUCORE_ERROR_BUFFER_TOO_SMALL, "0|4", cucore_objectcode_symbol_parameters, code, 0,
        infos.data(), 0, &count);
  EXPECT_EQ(count, 4u);
}

TEST(ParametersOfCode, AreRefusedForWhatIsNotAKernel) {
  const Code code = make_ptx_code();
  Infos infos = blank();
  size_t count = 77;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "symbol is 9|4 symbols", cucore_objectcode_symbol_parameters,
        code, 9, infos.data(), infos.size(), &count);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(infos[0].size + infos[3].size, 0u);
  EXPECT_EQ(infos[0].parameter_class, CUCORE_PARAMETER_CLASS_UNKNOWN);
  FAILS(CUCORE_ERROR_UNSUPPORTED, "counter", cucore_objectcode_symbol_parameters, code, 3,
        infos.data(), infos.size(), &count);
}

// Element 0 contains the size of an element in the caller's header.
TEST(ParametersOfCode, FillElementsOfOtherSizes) {
  struct Newer {
    cucore_parameter_info info;
    uint64_t added[2];
  };
  const Code code = make_ptx_code();
  std::array<Newer, 5> newer;
  std::memset(static_cast<void*>(newer.data()), 0x55, sizeof newer);
  newer[0].info.struct_size = sizeof(Newer);
  size_t count = 0;
  SUCCEEDS(cucore_objectcode_symbol_parameters, code, 0, &newer[0].info, 4, &count);
  Infos infos;
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(newer[i].info.struct_size, sizeof(Newer));
    EXPECT_EQ(newer[i].added[0] + newer[i].added[1], 0u);
    infos[i] = newer[i].info;
    infos[i].struct_size = sizeof infos[i];
  }
  expect_saxpy(infos);
  EXPECT_EQ(newer[4].added[0], 0x5555555555555555u);
  for (const size_t size : {size_t{0}, sizeof(cucore_parameter_info) - 1, SIZE_MAX}) {
    newer[0].info.struct_size = size;
    FAILS(CUCORE_ERROR_ABI_MISMATCH, "cucore_parameter_info.struct_size",
          cucore_objectcode_symbol_parameters, code, 0, &newer[0].info, 4, &count);
  }
}

TEST(ParametersOfCode, HaveNoClassInMachineCodeAlone) {
  if (fake_nvrtc()) GTEST_SKIP() << "the scripted compiler does not read the source";
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "sm_90";
  Program program;
  SUCCEEDS(cucore_program_create, CUCORE_SOURCE_TYPE_CUDA_CPP, SAXPY_SOURCE, strlen(SAXPY_SOURCE),
           &options, program.out());
  const Code code = compile(program, CUCORE_CODE_TYPE_CUBIN);
  Infos infos = blank();
  size_t count = 0;
  SUCCEEDS(cucore_objectcode_symbol_parameters, code, 0, infos.data(), infos.size(), &count);
  expect_saxpy(infos);

  size_t size = 0;
  const void* bytes = cucore_objectcode_data(code, &size);
  Code bare;
  SUCCEEDS(cucore_objectcode_create, CUCORE_CODE_TYPE_CUBIN, bytes, size, nullptr, bare.out());
  SUCCEEDS(cucore_objectcode_symbol_parameters, bare, 0, infos.data(), infos.size(), &count);
  EXPECT_EQ(count, 4u);
  for (const cucore_parameter_info& info : infos)
    EXPECT_EQ(info.parameter_class, CUCORE_PARAMETER_CLASS_UNKNOWN);
}

class ParametersOfKernels : public OnDevice {};

TEST_F(ParametersOfKernels, AreThoseOfTheImageOfADevice) {
  const Code code = make_ptx_code();
  const Kernel saxpy = find_kernel(code, "saxpy");
  for (const cucore_device* device : {device_.get(), static_cast<cucore_device*>(nullptr)}) {
    Infos infos = blank();
    size_t count = 77;
    SUCCEEDS(cucore_kernel_parameters, saxpy, device, infos.data(), infos.size(), &count);
    EXPECT_EQ(count, 4u);
    expect_saxpy(infos);
    SUCCEEDS(cucore_kernel_parameters, saxpy, device, nullptr, 0, &count);
    EXPECT_EQ(count, 4u);
    FAILS(CUCORE_ERROR_BUFFER_TOO_SMALL, "1|4", cucore_kernel_parameters, saxpy, device,
          infos.data(), 1, &count);
    EXPECT_EQ(count, 4u);
  }
  Infos infos = blank();
  size_t count = 77;
  FAILS(CUCORE_ERROR_INVALID_HANDLE, "device", cucore_kernel_parameters, saxpy,
        reinterpret_cast<cucore_device*>(stream_.get()), infos.data(), infos.size(), &count);
  EXPECT_EQ(count + infos[0].size, 0u);
}

// The scripted driver reads a parameter in a comment, as a driver might that parses some text
// differently. It would then read past the arguments of a launch.
class OtherParameters : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
    MUST(cucore_library_query, CUCORE_LIBRARY_DRIVER, &info);
    if (info.version_major * 100 + info.version_minor < 1204)
      GTEST_SKIP() << "a driver before 12.4 does not report parameters";
  }
  Code code_with(const std::string& parameters) {
    const std::string text = ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry k(" +
                             parameters + ")\n{\nret;\n}\n";
    return make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size());
  }
};

TEST_F(OtherParameters, ThanTheDriversAreRefused) {
  NEEDS_FAKE_DRIVER();
  const std::pair<const char*, const char*> cases[] = {
      {".param .u32 a // x, .param .u64 b\n", "kernel k|1 parameter (bytes: 4 at 0)|2 parameters"},
      {".param .u32 a /* , .param .u64 b */", "1 parameter (bytes: 4 at 0)|0 parameters;"},
      {".param .u8 a, .param .align 2 .b64 b", "1 at 0, 8 at 8|1 at 0, 8 at 2"},
  };
  for (const auto& [parameters, parts] : cases) {
    const Code code = code_with(parameters);
    Kernel kernel;
    FAILS(CUCORE_ERROR_INVALID_CODE, parts, cucore_objectcode_find_kernel, code, "k", kernel.out());
  }
}

TEST_F(OtherParameters, AreTheDriversWhereTheAlignmentIsOfAnArchitecture) {
  NEEDS_FAKE_DRIVER();
  const Code code = code_with(".param .u8 a, .param .align 64 .b8 b[4], .param .align 2 .b64 c");
  const Kernel kernel = find_kernel(code, "k");
  size_t offset = 0, size = 0;
  SUCCEEDS(cucore_kernel_parameter_at, kernel, 2, device_, &offset, &size);
  EXPECT_EQ(offset, 68u) << "the code alone says 72";
}

TEST_F(OtherParameters, AreLookedForOnceForEachDevice) {
  NEEDS_FAKE_DRIVER();
  const Code code = make_ptx_code();
  fake_->reset();
  const Kernel kernel = find_kernel(code, "saxpy");
  EXPECT_EQ(fake_->call_count("cuKernelGetParamInfo"), 5u) << "four, and the end";
  const Device second = open_device(1);
  const Stream stream = make_stream(second);
  const cucore_launch_options options = grid(1, 1);
  const float a = 2;
  const uint64_t x = 64, y = 128;
  const uint32_t n = 5;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(x), CUCORE_ARGUMENT(y),
                                       CUCORE_ARGUMENT(n)};
  for (int i = 0; i < 3; ++i)
    SUCCEEDS(cucore_kernel_launch, kernel, stream, &options, arguments, 4);
  EXPECT_EQ(fake_->call_count("cuKernelGetParamInfo"), 10u);
  SUCCEEDS(cucore_kernel_launch, kernel, stream_, &options, arguments, 4);
  EXPECT_EQ(fake_->call_count("cuKernelGetParamInfo"), 10u);
}

}  // namespace
