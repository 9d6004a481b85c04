// SPDX-License-Identifier: Apache-2.0
// A device, a stream and a kernel, and a profiler of them.
#pragma once

#include <cucore_perf.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace profiled {

// y[i] = 2 x[i] in f32, without a check of the size.
constexpr char PTX[] = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry twice(.param .u64 x, .param .u64 y) {
  .reg .b32 %r<5>;
  .reg .b64 %rd<6>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  mul.f32 %f2, %f1, 0f40000000;
  st.global.f32 [%rd5], %f2;
  ret;
}
)";

constexpr uint32_t BLOCKS = 4, THREADS = 64;
constexpr size_t BYTES = sizeof(float) * BLOCKS * THREADS;

class Profiled : public testing::Test {
 public:
  void SetUp() override {
    ASSERT_EQ(cucore_device_open(0, &device, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_stream_create(device, nullptr, &stream, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_buffer_create(device, BYTES, stream, &x, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_buffer_create(device, BYTES, stream, &y, nullptr), CUCORE_OK);
    cucore_objectcode* code = nullptr;
    ASSERT_EQ(cucore_objectcode_create(CUCORE_CODE_TYPE_PTX, PTX, sizeof PTX - 1, nullptr, &code,
                                       nullptr),
              CUCORE_OK);
    ASSERT_EQ(cucore_objectcode_find_kernel(code, "twice", &kernel, nullptr), CUCORE_OK);
    cucore_objectcode_release(code);
  }
  void TearDown() override {
    cucore_error_release(error);
    cucore_report_release(report);
    cucore_profiler_release(profiler);
    cucore_kernel_release(kernel);
    cucore_buffer_release(x);
    cucore_buffer_release(y);
    cucore_stream_release(stream);
    cucore_device_release(device);
  }

  // The times of a stream that can block are those of its events alone.
  void replace_stream(cucore_toggle nonblocking) {
    cucore_stream_release(stream);
    cucore_stream_options how = CUCORE_STREAM_OPTIONS_INIT;
    how.nonblocking = nonblocking;
    ASSERT_EQ(cucore_stream_create(device, &how, &stream, nullptr), CUCORE_OK);
  }

  void create() {
    ASSERT_EQ(cucore_profiler_create(&options, &profiler, &error), CUCORE_OK) << message();
  }
  void begin() {
    create();
    ASSERT_EQ(cucore_profiler_begin(profiler, &error), CUCORE_OK) << message();
  }
  void end() { ASSERT_EQ(cucore_profiler_end(profiler, &report, &error), CUCORE_OK) << message(); }
  cucore_status launch(uint32_t blocks = BLOCKS) {
    cucore_launch_options how = hints;
    how.grid[0] = blocks;
    how.block[0] = THREADS;
    const cucore_argument arguments[] = {{x, CUCORE_ARGUMENT_OBJECT}, {y, CUCORE_ARGUMENT_OBJECT}};
    return cucore_kernel_launch(kernel, stream, &how, arguments, 2, nullptr);
  }
  cucore_kernel_row row(size_t index = 0) {
    cucore_kernel_row out = CUCORE_KERNEL_ROW_INIT;
    EXPECT_EQ(cucore_report_kernel_at(report, index, &out, nullptr), CUCORE_OK);
    return out;
  }
  double counter(const char* name) {
    double out = 0;
    EXPECT_EQ(cucore_report_counter(report, 0, name, &out, nullptr), CUCORE_OK) << name;
    return out;
  }
  std::string write(cucore_report_format format = CUCORE_REPORT_FORMAT_JSON) {
    size_t size = 0;
    EXPECT_EQ(cucore_report_write(report, format, nullptr, 0, &size, nullptr), CUCORE_OK);
    std::string text(size, 'x');
    EXPECT_EQ(cucore_report_write(report, format, text.data(), size, &size, nullptr), CUCORE_OK);
    text.pop_back();
    return text;
  }
  // Without white space, as the writer of JSON may change.
  std::string json() {
    std::string out;
    for (const char c : write())
      if (c != ' ' && c != '\n') out += c;
    return out;
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  std::string message() const { return cucore_error_message(error); }

  cucore_profiler_options options = CUCORE_PROFILER_OPTIONS_INIT;
  cucore_launch_options hints = CUCORE_LAUNCH_OPTIONS_INIT;
  cucore_device* device = nullptr;
  cucore_stream* stream = nullptr;
  cucore_buffer* x = nullptr;
  cucore_buffer* y = nullptr;
  cucore_kernel* kernel = nullptr;
  cucore_profiler* profiler = nullptr;
  cucore_report* report = nullptr;
  cucore_error* error = nullptr;
};

// A graph whose kernels are captured on the stream.
class ProfiledGraph : public Profiled {
 public:
  void TearDown() override {
    cucore_executable_release(executable);
    Profiled::TearDown();
  }
  void capture(int launches) {
    cucore_graph* graph = nullptr;
    ASSERT_EQ(cucore_stream_begin_capture(stream, nullptr, nullptr), CUCORE_OK);
    for (int i = 0; i < launches; ++i) EXPECT_EQ(launch(), CUCORE_OK);
    ASSERT_EQ(cucore_stream_end_capture(stream, &graph, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_executable_create(graph, nullptr, &executable, nullptr), CUCORE_OK);
    cucore_graph_release(graph);
  }
  void launch_graph(int launches) {
    for (int i = 0; i < launches; ++i)
      EXPECT_EQ(cucore_executable_launch(executable, stream, nullptr), CUCORE_OK);
  }

  cucore_executable* executable = nullptr;
};

}  // namespace profiled
