// SPDX-License-Identifier: Apache-2.0
// Profiles on the scripted driver, with scripted times of events.
#include <atomic>
#include <string>
#include <thread>
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
    replace_stream(CUCORE_TOGGLE_OFF);  // whose times are those of the script
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

// The driver loads code at the first launch, after the first event, which the device may reach at
// once.
TEST_F(ScriptedProfile, LeavesLoadsOutOfTimes) {
  script({40, 3, 5});
  begin();
  driver().delay_call("cuLaunchKernelEx", 30);
  EXPECT_EQ(launch(), CUCORE_OK);
  driver().delay_call("cuLaunchKernelEx", 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(row().calls, 3u);
  EXPECT_EQ(row().timed, 2u);
  EXPECT_NEAR(row().mean, 4e-3, 1e-9);
}

TEST_F(ScriptedProfile, SubtractsALoadFromTheOnlyTime) {
  script({4000});
  begin();
  driver().delay_call("cuLaunchKernelEx", 600);
  EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(row().timed, 1u);
  EXPECT_LE(row().mean, 3.4);
  EXPECT_GE(row().mean, 0);
}

// The device reaches the first event of an idle stream long before the launch is there.
TEST_F(ScriptedProfile, SubtractsTheWaitOfAnIdleStream) {
  replace_stream(CUCORE_TOGGLE_ON);
  script({20, 20, 20, 5});
  begin();
  driver().delay_call("cuLaunchKernelEx", 10);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(launch(), CUCORE_OK);
    ASSERT_EQ(cucore_stream_synchronize(stream, nullptr), CUCORE_OK);
  }
  end();
  EXPECT_EQ(row().timed, 4u);
  EXPECT_LE(row().max, 10.01e-3);
  EXPECT_EQ(row().min, 0) << "a time is not negative";
}

TEST_F(ScriptedProfile, KeepsTheTimesOfABusyStream) {
  replace_stream(CUCORE_TOGGLE_ON);
  script({3, 4, 5});
  driver().hold_streams(1);
  const unsigned char zero = 0;
  ASSERT_EQ(cucore_buffer_fill(x, 0, profiled::BYTES, &zero, 1, stream, nullptr), CUCORE_OK);
  begin();
  driver().delay_call("cuLaunchKernelEx", 2);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  driver().hold_streams(0);
  end();
  EXPECT_EQ(row().timed, 3u);
  EXPECT_NEAR(row().mean, 4e-3, 1e-9);
}

// The host is far ahead of the device when the first launches have been timed.
TEST_F(ScriptedProfile, TakesFirstTimesThatArriveLate) {
  replace_stream(CUCORE_TOGGLE_ON);
  script(std::vector<float>(1000, 1e5F));
  begin();
  driver().hold_streams(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  driver().hold_streams(0);
  ASSERT_EQ(cucore_stream_synchronize(stream, nullptr), CUCORE_OK);
  for (int i = 0; i < 400; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(row().calls, 500u);
  EXPECT_GE(row().timed, 200u);
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

// Kernels of 100 s, for which the host does not wait, pay for each timing. One of a nanosecond pays
// for hardly any.
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

// A thread has more streams than the last launches that it keeps at hand. Each launch stands for
// itself alone, so that the work of a stream is not counted many times.
TEST_F(ScriptedProfile, KeepsToTheBudgetWithManyStreams) {
  constexpr size_t STREAMS = 130, LAUNCHES = 26000;
  std::vector<cucore_stream*> streams(STREAMS);
  for (cucore_stream*& each : streams)
    ASSERT_EQ(cucore_stream_create(device, nullptr, &each, nullptr), CUCORE_OK);
  script(std::vector<float>(LAUNCHES, 0.02F));
  begin();
  cucore_stream* const own = std::exchange(stream, nullptr);
  for (size_t i = 0; i < LAUNCHES; ++i) {
    stream = streams[i % STREAMS];
    ASSERT_EQ(launch(), CUCORE_OK);
  }
  stream = own;
  end();
  for (cucore_stream* each : streams) cucore_stream_release(each);
  EXPECT_EQ(row().calls, LAUNCHES);
  EXPECT_GE(row().timed, 8u);
  EXPECT_LT(row().timed, 400u);
}

// A session only counts most of these launches.
TEST_F(ScriptedProfile, CountsManyLaunchesExactly) {
  constexpr uint64_t LAUNCHES = 1000;
  options.model = CUCORE_TOGGLE_OFF;
  hints.bytes_read = 10;
  hints.bytes_written = 5;
  hints.operations = 3;
  cucore_stream* other = nullptr;
  ASSERT_EQ(cucore_stream_create(device, nullptr, &other, nullptr), CUCORE_OK);
  begin();
  cucore_launch_options how = hints;
  how.grid[0] = profiled::BLOCKS;
  how.block[0] = profiled::THREADS;
  for (uint64_t i = 0; i < LAUNCHES; ++i) {
    if (i == LAUNCHES / 2) {
      ASSERT_EQ(cucore_profiler_begin_range(profiler, "half", &error), CUCORE_OK);
    }
    EXPECT_EQ(launch(1 + static_cast<uint32_t>(i % 3)), CUCORE_OK);
    EXPECT_NE(cucore_kernel_launch(kernel, other, &how, nullptr, 0, nullptr), CUCORE_OK);
  }
  ASSERT_EQ(cucore_profiler_end_range(profiler, &error), CUCORE_OK);
  end();
  cucore_stream_release(other);
  ASSERT_EQ(cucore_report_kernel_count(report), 4u);
  uint64_t calls = 0;
  for (size_t i = 0; i < 4; ++i) {
    calls += row(i).calls;
    if (row(i).calls == 0) continue;
    EXPECT_EQ(row(i).bytes_read, 10.0 * static_cast<double>(row(i).calls));
    EXPECT_EQ(row(i).bytes_written, 5.0 * static_cast<double>(row(i).calls));
    EXPECT_EQ(row(i).operations, 3.0 * static_cast<double>(row(i).calls));
    EXPECT_LE(row(i).calls, LAUNCHES / 3 + 1);
    EXPECT_GE(row(i).calls, LAUNCHES / 3);
  }
  EXPECT_EQ(calls, LAUNCHES);
  EXPECT_TRUE(contains(json(), "\"failed\":1000"));
}

// Each thread has its own counters, also in ranges.
TEST_F(ScriptedProfile, CountsTheLaunchesOfThreads) {
  constexpr int THREADS = 8, LAUNCHES = 500;
  begin();
  std::vector<std::thread> threads;
  for (int i = 0; i < THREADS; ++i)
    threads.emplace_back([&, i] {
      const std::string range = "range " + std::to_string(i);
      EXPECT_EQ(cucore_profiler_begin_range(profiler, range.c_str(), nullptr), CUCORE_OK);
      for (int k = 0; k < LAUNCHES; ++k) EXPECT_EQ(launch(1 + k % 2), CUCORE_OK);
      EXPECT_EQ(cucore_profiler_end_range(profiler, nullptr), CUCORE_OK);
    });
  for (std::thread& thread : threads) thread.join();
  end();
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(row(i).calls, uint64_t{THREADS * LAUNCHES / 2});
}

// A new thread can have the id of one that has ended in the middle of a range.
TEST_F(ScriptedProfile, LeavesRangesOfEndedThreads) {
  begin();
  for (const char* const name : {"first", "second"})
    std::thread([&] {
      EXPECT_EQ(cucore_profiler_begin_range(profiler, name, nullptr), CUCORE_OK);
      EXPECT_EQ(launch(), CUCORE_OK);
    }).join();
  end();
  const std::string ranges = json();
  for (const char* const name : {"first", "second"})
    EXPECT_TRUE(contains(ranges, std::string("\"name\":\"") + name + "\",\"parent\":0,")) << ranges;
}

// A float has 20 s to two microseconds alone, and longer times less precisely.
TEST_F(ScriptedProfile, TimesStartsFromLaterEventsInLongSessions) {
  constexpr float HOUR = 3.6e6F;
  options.timeline = CUCORE_TOGGLE_ON;
  options.source = CUCORE_PROFILER_SOURCE_EVENTS;
  script({0.1F, HOUR, 0.1F, 0.25F, 0.1F, 0.5F});
  begin();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(launch(), CUCORE_OK);
    ASSERT_EQ(cucore_stream_synchronize(stream, nullptr), CUCORE_OK);
  }
  end();
  const std::string trace = write(CUCORE_REPORT_FORMAT_TRACE);
  std::vector<double> starts;
  for (size_t at = 0; (at = trace.find("\"cat\": \"kernel\"", at)) != trace.npos; ++at)
    starts.push_back(std::stod(trace.substr(trace.find("\"ts\": ", at) + 6)));
  ASSERT_EQ(starts.size(), 3U) << trace;
  EXPECT_GT(starts[0], 3.6e9) << "microseconds";
  EXPECT_NEAR(starts[1] - starts[0], 250, 0.01);
  EXPECT_NEAR(starts[2] - starts[0], 500, 0.01);
}

TEST_F(ScriptedProfile, BeginsAndEndsWhileThreadsLaunch) {
  constexpr int THREADS = 4, SESSIONS = 30;
  std::atomic<bool> stops{false};
  std::atomic<uint64_t> launched{0};
  std::vector<std::thread> threads;
  create();
  for (int i = 0; i < THREADS; ++i)
    threads.emplace_back([&] {
      while (!stops) {
        // There may be no session.
        const bool has_range = cucore_profiler_begin_range(profiler, "r", nullptr) == CUCORE_OK;
        for (int k = 0; k < 20; ++k) {
          ++launched;
          EXPECT_EQ(launch(), CUCORE_OK);
        }
        if (has_range) (void)cucore_profiler_end_range(profiler, nullptr);
      }
    });
  uint64_t calls = 0;
  for (int session = 0; session < SESSIONS; ++session) {
    ASSERT_EQ(cucore_profiler_begin(profiler, &error), CUCORE_OK) << message();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(launch(), CUCORE_OK);
    launched += 10;
    end();
    EXPECT_GE(row().calls, 10u);
    calls += row().calls;
    cucore_report_release(report);
    report = nullptr;
  }
  stops = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(calls, launched);
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
