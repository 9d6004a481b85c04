// SPDX-License-Identifier: Apache-2.0
// Profiles on the scripted driver, with scripted times of events.
#include <vector>

#include "fakes/fake_client.hpp"
#include "profiled.hpp"

namespace {

using profiled::Profiled;

fake::Client& driver() {
  static fake::Client client(fake::path("fake_driver"));
  return client;
}

class ScriptedProfile : public Profiled {
 protected:
  void SetUp() override {
    driver().reset();
    Profiled::SetUp();
    const size_t sizes[] = {8, 8};
    driver().define_kernel("twice", 2, sizes);
  }
  void TearDown() override {
    Profiled::TearDown();
    driver().reset();
  }
  // Every timed launch and, at the end, the pairs of events around nothing.
  void script(const std::vector<float>& milliseconds, float offset = 0) {
    std::vector<float> all = milliseconds;
    all.insert(all.end(), 30, offset);
    driver().script_elapsed(all.data(), all.size());
  }
};

TEST_F(ScriptedProfile, SubtractsTheOffsetOfEvents) {
  script({3, 4, 5}, 1);
  begin();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_EVENTS);
  EXPECT_EQ(row().timed, 3u);
  EXPECT_NEAR(row().mean, 3e-3, 1e-9);
  EXPECT_NEAR(row().min, 2e-3, 1e-9);
  EXPECT_NEAR(row().max, 4e-3, 1e-9);
  EXPECT_NEAR(row().total, 9e-3, 1e-9);
}

TEST_F(ScriptedProfile, WaitsForNothingInALaunch) {
  script(std::vector<float>(50, 1));
  begin();
  driver().reset();
  script(std::vector<float>(50, 1));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  for (const char* function : {"cuEventSynchronize", "cuStreamSynchronize", "cuCtxSynchronize"})
    EXPECT_EQ(driver().call_count(function), 0u) << function;
  EXPECT_GE(driver().call_count("cuEventRecord"), 16u);
  end();
  EXPECT_EQ(row().calls, 20u);
}

// A kernel of 100 s pays for each timing, one of a nanosecond for hardly any.
TEST_F(ScriptedProfile, KeepsToTheBudget) {
  script(std::vector<float>(100, 1e5F));
  begin();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(row().timed, 100u);
  cucore_report_release(report);
  driver().reset();
  script(std::vector<float>(1000, 1e-6F));
  ASSERT_EQ(cucore_profiler_begin(profiler, &error), CUCORE_OK);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(row().calls, 1000u);
  EXPECT_GE(row().timed, 8u);
  EXPECT_LT(row().timed, 50u);
  EXPECT_NEAR(row().total, 1000 * row().mean, 1e-12);
}

TEST_F(ScriptedProfile, TimesNoCapturedLaunch) {
  begin();
  ASSERT_EQ(cucore_stream_begin_capture(stream, nullptr, nullptr), CUCORE_OK);
  const uint64_t before = driver().call_count("cuEventRecord");
  EXPECT_EQ(launch(), CUCORE_OK);
  EXPECT_EQ(driver().call_count("cuEventRecord"), before);
  cucore_graph* graph = nullptr;
  ASSERT_EQ(cucore_stream_end_capture(stream, &graph, nullptr), CUCORE_OK);
  cucore_graph_release(graph);
  end();
  EXPECT_EQ(row().calls, 0u);
  EXPECT_TRUE(contains(json(), "\"captured\":1"));
}

TEST_F(ScriptedProfile, CountsFailedLaunchesApart) {
  begin();
  EXPECT_EQ(launch(), CUCORE_OK);
  const cucore_launch_options how = [] {
    cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
    options.grid[0] = profiled::BLOCKS;
    options.block[0] = profiled::THREADS;
    return options;
  }();
  EXPECT_EQ(cucore_kernel_launch(kernel, stream, &how, nullptr, 0, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  end();
  EXPECT_EQ(row().calls, 1u);
  EXPECT_TRUE(contains(json(), "\"failed\":1"));
}

TEST_F(ScriptedProfile, NeedsTheCpuDeviceToCount) {
  options.source = CUCORE_PROFILER_SOURCE_EMULATED;
  create();
  EXPECT_EQ(cucore_profiler_begin(profiler, &error), CUCORE_ERROR_UNSUPPORTED);
  EXPECT_TRUE(contains(message(), "needs the CPU device"));
}

// The machine code has no PTX, but the session has seen the compile of its program.
TEST_F(ScriptedProfile, ModelsAKernelOfACompiledProgram) {
  constexpr char SOURCE[] = R"(template <class T> __global__ void halved(const T* x, T* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = T(0.5) * x[i];
  })";
  for (const bool is_seen : {false, true}) {
    driver().reset();
    script({1}, 0);
    create();
    if (is_seen) {
      ASSERT_EQ(cucore_profiler_begin(profiler, &error), CUCORE_OK);
    }
    cucore_program_options how = CUCORE_PROGRAM_OPTIONS_INIT;
    how.arch = cucore_device_arch(device);
    cucore_program* program = nullptr;
    cucore_objectcode* code = nullptr;
    ASSERT_EQ(cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, SOURCE, sizeof SOURCE - 1, &how,
                                    &program, nullptr),
              CUCORE_OK);
    const char* const name = "halved<float>";
    const cucore_status compiled =
        cucore_program_compile(program, CUCORE_CODE_TYPE_CUBIN, &name, 1, &code, &error);
    cucore_program_release(program);
    if (compiled == CUCORE_ERROR_LIBRARY_MISSING) GTEST_SKIP() << message();
    ASSERT_EQ(compiled, CUCORE_OK) << message();
    if (!is_seen) {
      ASSERT_EQ(cucore_profiler_begin(profiler, &error), CUCORE_OK);
    }
    cucore_kernel_release(kernel);
    kernel = nullptr;
    ASSERT_EQ(cucore_objectcode_find_kernel(code, name, &kernel, nullptr), CUCORE_OK);
    cucore_objectcode_release(code);
    const size_t sizes[] = {8, 8};
    driver().define_kernel(cucore_kernel_name(kernel), 2, sizes);
    EXPECT_EQ(launch(), CUCORE_OK);
    end();
    EXPECT_EQ(row().bytes_source, is_seen ? CUCORE_AMOUNT_SOURCE_MODEL : CUCORE_AMOUNT_SOURCE_NONE);
    if (is_seen) {
      EXPECT_EQ(row().bytes_read, profiled::BYTES);
    }
    EXPECT_EQ(contains(write(), "No model: the code does not contain the PTX"), !is_seen);
    cucore_report_release(report);
    report = nullptr;
    cucore_profiler_release(profiler);
    profiler = nullptr;
  }
}

// The library keeps a few events of the driver for later. Ten sessions leave no more than one.
TEST_F(ScriptedProfile, ReleasesItsEvents) {
  constexpr uint64_t KEPT = 64;
  const uint64_t before = driver().live_objects("event");
  create();
  for (int session = 0; session < 10; ++session) {
    ASSERT_EQ(cucore_profiler_begin(profiler, &error), CUCORE_OK);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(launch(session + 1), CUCORE_OK);
    cucore_report_release(report);
    end();
  }
  ASSERT_EQ(cucore_profiler_begin(profiler, &error), CUCORE_OK);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  cucore_profiler_release(profiler);  // drops its session
  profiler = nullptr;
  EXPECT_LE(driver().live_objects("event"), before + KEPT);
}

}  // namespace
