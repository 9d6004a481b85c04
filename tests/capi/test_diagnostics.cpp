// SPDX-License-Identifier: Apache-2.0
// Compilers' messages, parsed from their logs.
#include "capi_testing.hpp"

namespace {

using namespace capi_test;

cucore_diagnostic_info diagnostic(const cucore_error* failure, size_t index) {
  cucore_diagnostic_info info = CUCORE_DIAGNOSTIC_INFO_INIT;
  MUST(cucore_error_diagnostic_at, failure, index, &info);
  return info;
}

TEST(Diagnostics, OfNvrtcHaveFileLineAndColumn) {
  NEEDS_REAL_COMPILER();
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.name = "wrong.cu";
  const Program program =
      make_program("__global__ void k() {\n  int unused;\n  undeclared = 1;\n}\n", &options);
  Code out;
  Error error;
  ASSERT_EQ(
      cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, nullptr, 0, out.out(), error.out()),
      CUCORE_ERROR_COMPILATION);
  ASSERT_GE(cucore_error_diagnostic_count(error), 1u) << cucore_error_log(error);
  bool found = false;
  for (size_t i = 0; i < cucore_error_diagnostic_count(error); ++i) {
    const cucore_diagnostic_info info = diagnostic(error, i);
    if (info.severity != CUCORE_SEVERITY_ERROR) continue;
    found = true;
    EXPECT_STREQ(info.file, "wrong.cu");
    EXPECT_EQ(info.line, 3);
    EXPECT_EQ(info.column, 3) << cucore_error_log(error);
    EXPECT_TRUE(contains(info.text, "undeclared")) << info.text;
  }
  EXPECT_TRUE(found) << cucore_error_log(error);
}

TEST(Diagnostics, OfWarningsStayWithTheCode) {
  NEEDS_REAL_COMPILER();
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.name = "warned.cu";
  const Code code =
      compile(make_program("extern \"C\" __global__ void k() {\n  int unused;\n}\n", &options));
  ASSERT_EQ(cucore_objectcode_diagnostic_count(code), 1u) << cucore_objectcode_log(code);
  cucore_diagnostic_info info = CUCORE_DIAGNOSTIC_INFO_INIT;
  SUCCEEDS(cucore_objectcode_diagnostic_at, code, 0, &info);
  EXPECT_EQ(info.severity, CUCORE_SEVERITY_WARNING);
  EXPECT_STREQ(info.file, "warned.cu");
  EXPECT_EQ(info.line, 2);
  EXPECT_TRUE(contains(info.text, "unused")) << info.text;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "index is 1|1 diagnostic", cucore_objectcode_diagnostic_at,
        code, 1, &info);
}

TEST(Diagnostics, OfNothingAreNone) {
  EXPECT_EQ(cucore_error_diagnostic_count(nullptr), 0u);
  EXPECT_EQ(cucore_objectcode_diagnostic_count(nullptr), 0u);
  Error failure;
  Device device;
  cucore_device_open(-1, device.out(), failure.out());
  EXPECT_EQ(cucore_error_diagnostic_count(failure), 0u);
  cucore_diagnostic_info info = CUCORE_DIAGNOSTIC_INFO_INIT;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "index is 0|0 diagnostics", cucore_error_diagnostic_at,
        failure, 0, &info);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "failure", cucore_error_diagnostic_at, nullptr, 0, &info);
}

TEST(Metadata, TellsHowCodeWasMade) {
  NEEDS_COMPILER();
  const Code code = compile(make_program(SAXPY_SOURCE));
  ASSERT_GT(cucore_objectcode_metadata_count(code), 0u);
  bool found = false;
  for (size_t i = 0; i < cucore_objectcode_metadata_count(code); ++i) {
    if (std::string(cucore_objectcode_metadata_key(code, i)) != "producer") continue;
    found = true;
    EXPECT_STREQ(cucore_objectcode_metadata_value(code, i), "NVRTC");
  }
  EXPECT_TRUE(found);
  EXPECT_STREQ(cucore_objectcode_metadata_key(code, 1000), "");
  EXPECT_STREQ(cucore_objectcode_metadata_value(code, 1000), "");
  EXPECT_EQ(cucore_objectcode_metadata_count(nullptr), 0u);
}

}  // namespace
