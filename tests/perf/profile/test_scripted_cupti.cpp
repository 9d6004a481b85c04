// SPDX-License-Identifier: Apache-2.0
// Profiles with a scripted CUPTI on the scripted driver: counters and activity that work, and all
// that keeps them from the report.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "fakes/fake_client.hpp"
#include "profiled.hpp"

namespace {

using profiled::BLOCKS;
using profiled::Profiled;
using profiled::THREADS;

fake::Client& driver() {
  static fake::Client client(fake::path("fake_driver"));
  return client;
}

template <class Function, class... Arguments>
auto cupti(const char* name, Arguments... arguments) {
  static void* const library = dlopen(std::getenv("CUCORE_CUPTI"), RTLD_NOW);
  return reinterpret_cast<Function*>(dlsym(library, name))(arguments...);
}
void record_kernel(const char* name, uint32_t blocks, uint64_t start, uint64_t duration,
                   uint64_t node = 0) {
  cupti<void(const char*, uint32_t, uint32_t, uint64_t, uint64_t, uint64_t)>(
      "fake_cupti_kernel", name, blocks, THREADS, start, duration, node);
}
bool is_recording() { return cupti<int()>("fake_cupti_is_recording") != 0; }
bool is_recording_ranges() { return cupti<int()>("fake_cupti_is_recording_ranges") != 0; }
bool is_subscribed() { return cupti<int()>("fake_cupti_is_subscribed") != 0; }
bool is_counting() { return cupti<int()>("fake_cupti_is_enabled") != 0; }

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* const name_;
};

class WithCupti : public Profiled {
 protected:
  void SetUp() override {
    driver().reset();
    Profiled::SetUp();
    replace_stream(CUCORE_TOGGLE_OFF);  // whose times are those of the script
    const size_t sizes[] = {8, 8};
    driver().define_kernel("twice", 2, sizes);
    const std::vector<float> all(4000, 1);
    driver().script_elapsed(all.data(), all.size());
  }
  void TearDown() override {
    Profiled::TearDown();
    driver().reset();
  }
  void profile(int launches = 1) {
    begin();
    for (int i = 0; i < launches; ++i) EXPECT_EQ(launch(), CUCORE_OK);
    end();
  }
  // The report has the times of events, and this reason.
  void expect_missing(const std::string& what, const std::string& why, const std::string& remedy) {
    EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_EVENTS);
    EXPECT_EQ(row().calls, 1u);
    EXPECT_EQ(row().timed, 1u);
    expect_reason(what, why, remedy);
  }
  void expect_reason(const std::string& what, const std::string& why, const std::string& remedy) {
    EXPECT_TRUE(contains(write(), "\"what\": \"" + what + "\"")) << write();
    EXPECT_TRUE(contains(write(), "\"why\": \"" + why + "\"")) << write();
    EXPECT_TRUE(contains(write(), "\"remedy\": \"" + remedy + "\"")) << write();
  }
};

class ScriptedCounters : public WithCupti {
 protected:
  void SetUp() override {
    WithCupti::SetUp();
    options.source = CUCORE_PROFILER_SOURCE_COUNTERS;
    launches_per_range(1);
  }
  static void launches_per_range(size_t launches) {
    cupti<void(size_t)>("fake_cupti_launches_per_range", launches);
  }
};

// The metrics of "quick" have the values 0, 1 and 2.
TEST_F(ScriptedCounters, AreThoseOfTheFirstLaunchesAndScaledToAll) {
  profile(20);
  EXPECT_FALSE(is_counting());
  EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_COUNTERS);
  EXPECT_EQ(row().calls, 20u);
  EXPECT_EQ(row().timed, 5u);
  EXPECT_EQ(row().bytes_source, CUCORE_AMOUNT_SOURCE_COUNTER);
  EXPECT_EQ(row().bytes_read, 0);
  EXPECT_EQ(row().bytes_written, 20);
  EXPECT_NEAR(row().mean, 2e-9, 1e-15);
  EXPECT_NEAR(row().total, 40e-9, 1e-15);
  EXPECT_EQ(counter("dram__bytes_write.sum"), 20);
  EXPECT_EQ(counter("gpu__time_duration.sum"), 40);
  EXPECT_TRUE(contains(json(), "\"missing\":[]") || contains(json(), "\"what\":\"roof\""));
  EXPECT_FALSE(contains(json(), "\"what\":\"counters\""));
}

TEST_F(ScriptedCounters, CountAsManyLaunchesAsRequestedOfEachGeometry) {
  options.counted_launches = 2;
  begin();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(launch(), CUCORE_OK);
    EXPECT_EQ(launch(BLOCKS + 1), CUCORE_OK);
  }
  end();
  ASSERT_EQ(cucore_report_kernel_count(report), 2u);
  EXPECT_EQ(row(0).timed, 2u);
  EXPECT_EQ(row(1).timed, 2u);
}

TEST_F(ScriptedCounters, HaveTheMetricsOfTheOptionsAndTheTime) {
  options.source = CUCORE_PROFILER_SOURCE_AUTO;
  const char* const names[] = {"a.sum", "b.avg.pct_of_peak_sustained_active", "lts__none.sum"};
  options.metrics = names;
  options.metric_count = 3;
  options.model = CUCORE_TOGGLE_OFF;
  profile(10);
  EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_COUNTERS);
  EXPECT_EQ(counter("a.sum"), 0);
  EXPECT_EQ(counter("b.avg.pct_of_peak_sustained_active"), 1);  // a mean
  EXPECT_EQ(counter("gpu__time_duration.sum"), 20);
  EXPECT_EQ(row().bytes_source, CUCORE_AMOUNT_SOURCE_NONE);
  expect_reason("counters", "The GPU Fake H200 0 has no counter lts__none.sum.",
                "Use a name that Nsight Compute lists for this GPU.");
}

TEST_F(ScriptedCounters, SetOperationsAndSectors) {
  options.preset = "all";
  profile(1);
  const double f32 = counter("sm__sass_thread_inst_executed_ops_fadd_fmul_ffma_pred_on.sum");
  const double f64 = counter("sm__sass_thread_inst_executed_ops_dadd_dmul_dfma_pred_on.sum");
  const double f16 = counter("sm__sass_thread_inst_executed_ops_hadd_hmul_hfma_pred_on.sum");
  EXPECT_EQ(row().operations, f32 + f64 + f16);
  EXPECT_GT(row().operations, 0);
  EXPECT_EQ(row().sectors_per_request,
            (counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") +
             counter("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")) /
                (counter("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") +
                 counter("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum")));
}

TEST_F(ScriptedCounters, RefuseAnUnknownPreset) {
  options.preset = "fast";
  EXPECT_EQ(cucore_profiler_create(&options, &profiler, &error), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(message(), "preset is \"fast\"; expected one of quick")) << message();
}

TEST_F(ScriptedCounters, ThatOtherLaunchesDisturbAreNotTaken) {
  for (const size_t launches : {0, 2}) {
    launches_per_range(launches);
    if (!profiler) create();
    ASSERT_EQ(cucore_profiler_begin(profiler, &error), CUCORE_OK);
    EXPECT_EQ(launch(), CUCORE_OK);
    cucore_report_release(report);
    end();
    double value = 0;
    EXPECT_EQ(cucore_report_counter(report, 0, "dram__bytes_write.sum", &value, nullptr),
              CUCORE_ERROR_NOT_FOUND);
    expect_reason("counters",
                  "1 launch had no counters of its own, because CUPTI counted none or those of "
                  "another thread with it.",
                  "Launch from one thread at a time while counters are read.");
  }
}

TEST_F(ScriptedCounters, OfTwoThreadsAreReadOneAfterTheOther) {
  begin();
  std::thread other([&] {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(launch(BLOCKS + 1), CUCORE_OK);
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  other.join();
  end();
  EXPECT_EQ(row(0).timed, 5u);
  EXPECT_EQ(row(1).timed, 5u);
}

TEST_F(ScriptedCounters, WithoutPermissionAreAbsent) {
  const Variable failing("FAKE_CUPTI_FAILURE", "cuptiRangeProfilerEnable:35");
  profile();
  expect_missing("counters",
                 "Cannot count launches: CUPTI returned CUPTI_ERROR_INSUFFICIENT_PRIVILEGES.",
                 "Run as root, or load the driver's module with "
                 "NVreg_RestrictProfilingToAdminUsers=0.");
}

TEST_F(ScriptedCounters, OfAnotherProfilerAreAbsent) {
  const Variable failing("FAKE_CUPTI_FAILURE", "cuptiRangeProfilerEnable:39");
  profile();
  expect_missing("counters",
                 "Cannot count launches: CUPTI returned "
                 "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED.",
                 "End the other profiler.");
}

TEST_F(ScriptedCounters, OfAnOldCuptiAreAbsent) {
  const Variable version("FAKE_CUPTI_VERSION", "28");
  profile();
  expect_missing("counters", "Cannot count launches: the interface of CUPTI has version 28.",
                 "Install CUPTI of CUDA 13, or use a device that it supports.");
}

TEST_F(ScriptedCounters, UnderAProfilerAreAbsent) {
  const Variable around("NV_COMPUTE_PROFILER_PERFWORKS_DIR", "/opt/ncu");
  profile();
  expect_missing("counters",
                 "Cannot count launches: another profiler runs the program, because "
                 "NV_COMPUTE_PROFILER_PERFWORKS_DIR is set.",
                 "End the other profiler.");
}

// A failure at a launch ends the counting, and no launch fails.
TEST_F(ScriptedCounters, EndWithAFailure) {
  begin();
  {
    const Variable failing("FAKE_CUPTI_FAILURE", "cuptiRangeProfilerStart:999");
    EXPECT_EQ(launch(), CUCORE_OK);
  }
  EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_EVENTS);
  EXPECT_EQ(row().timed, 2u);
  expect_reason("counters", "Cannot count launches: CUPTI returned CUPTI_ERROR_UNKNOWN.",
                "Use the times of events, which this report has.");
}

TEST_F(ScriptedCounters, OfEarlierLaunchesStayAfterAFailure) {
  begin();
  EXPECT_EQ(launch(), CUCORE_OK);
  const Variable failing("FAKE_CUPTI_FAILURE", "cuptiRangeProfilerStop:999");
  EXPECT_EQ(launch(), CUCORE_OK);
  EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_COUNTERS);
  EXPECT_EQ(counter("dram__bytes_write.sum"), 3);
  EXPECT_TRUE(contains(json(), "\"what\":\"counters\""));
}

TEST_F(ScriptedCounters, AreNotThoseOfEvents) {
  options.source = CUCORE_PROFILER_SOURCE_EVENTS;
  options.preset = "quick";
  profile();
  expect_missing("counters",
                 "The source that the profiler was created with reads no hardware counters.",
                 "Use the source COUNTERS, or AUTO.");
}

struct Work {
  ScriptedCounters* test;
  int runs = 0;
  cucore_status status = CUCORE_OK;
};

cucore_status run_work(const cucore_stream*, void* user_data, cucore_error** error) {
  auto& work = *static_cast<Work*>(user_data);
  ++work.runs;
  EXPECT_EQ(work.test->launch(), CUCORE_OK);
  EXPECT_EQ(work.test->launch(BLOCKS + 1), CUCORE_OK);
  if (work.status == CUCORE_OK || work.runs == 1) return CUCORE_OK;
  *error = cucore_error_create(work.status, "the work fails", nullptr);
  return work.status;
}

// The four metrics need two passes.
TEST_F(ScriptedCounters, OfARangeTakeAWorkForEachPass) {
  const char* const names[] = {"a.sum"};
  options.preset = "quick";
  options.metrics = names;
  options.metric_count = 1;
  begin();
  Work work{this};
  ASSERT_EQ(cucore_profiler_run(profiler, "step", run_work, &work, &error), CUCORE_OK) << message();
  EXPECT_EQ(work.runs, 3);
  EXPECT_EQ(launch(), CUCORE_OK);  // is counted again
  end();
  EXPECT_EQ(row(0).calls + row(1).calls, 3u);
  EXPECT_EQ(row(0).timed + row(1).timed, 3u);
  EXPECT_TRUE(contains(json(),
                       "\"counters\":{\"a.sum\":3,\"dram__bytes_op_read.sum\":0,"
                       "\"dram__bytes_write.sum\":1,\"gpu__time_duration.sum\":2},"
                       "\"kernel_seconds\""))
      << json();
  EXPECT_FALSE(contains(json(), "\"what\":\"counters\""));
}

TEST_F(ScriptedCounters, OfARangePassTheErrorOfTheWorkOn) {
  begin();
  Work work{this, 0, CUCORE_ERROR_IO};
  EXPECT_EQ(cucore_profiler_run(profiler, "step", run_work, &work, &error), CUCORE_ERROR_IO);
  EXPECT_EQ(work.runs, 2);
  EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(row(0).calls + row(1).calls, 3u);
  EXPECT_FALSE(contains(json(), "\"what\":\"counters\""));
}

TEST_F(ScriptedCounters, OfARangeMayFail) {
  for (const char* const rule :
       {"cuptiRangeProfilerPushRange:999", "cuptiRangeProfilerPopRange:999"}) {
    begin();
    const Variable failing("FAKE_CUPTI_FAILURE", rule);
    Work work{this};
    EXPECT_EQ(cucore_profiler_run(profiler, "step", run_work, &work, &error), CUCORE_OK);
    EXPECT_EQ(cucore_profiler_run(profiler, "step", run_work, &work, &error), CUCORE_OK);
    EXPECT_EQ(work.runs, std::string(rule).find("Push") != std::string::npos ? 2 : 3);
    end();
    EXPECT_EQ(row(0).timed + row(1).timed, 4u);  // launches are counted as before
    expect_reason("counters of ranges",
                  "Cannot count launches: CUPTI returned CUPTI_ERROR_UNKNOWN.",
                  "Use the times of events, which this report has.");
    EXPECT_FALSE(is_counting());
    cucore_report_release(report);
    report = nullptr;
    cucore_profiler_release(profiler);
    profiler = nullptr;
  }
}

TEST_F(ScriptedCounters, RunAWorkOnceWithoutCounters) {
  options.source = CUCORE_PROFILER_SOURCE_EVENTS;
  begin();
  Work work{this};
  EXPECT_EQ(cucore_profiler_run(profiler, "step", run_work, &work, &error), CUCORE_OK);
  EXPECT_EQ(work.runs, 1);
}

class ScriptedActivity : public WithCupti {
 protected:
  void SetUp() override {
    WithCupti::SetUp();
    options.source = CUCORE_PROFILER_SOURCE_ACTIVITY;
    options.timeline = CUCORE_TOGGLE_ON;
    cupti<void(size_t, size_t)>("fake_cupti_shorten", size_t{0}, size_t{0});
  }
  // Launches until the window has ended and events have timed some launches. Returns the launches.
  int launch_into_a_gap() {
    int launches = 0;
    const auto before = driver().call_count("cuEventRecord");
    while (driver().call_count("cuEventRecord") < before + 12) {
      EXPECT_EQ(launch(), CUCORE_OK);
      ++launches;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return launches;
  }
  // Launches until a window is open, at most ten seconds. Returns whether one is.
  bool launch_into_a_window() {
    for (int i = 0; i < 10'000 && !is_recording(); ++i) {
      EXPECT_EQ(launch(), CUCORE_OK);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return is_recording();
  }
};

TEST_F(ScriptedActivity, HasTheTimesOfLaunchesGraphsAndOtherLibraries) {
  begin();
  EXPECT_TRUE(is_recording());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  record_kernel("twice", BLOCKS, 1000, 3'000'000);
  record_kernel("twice", BLOCKS, 5'000'000, 5'000'000);
  record_kernel("twice", BLOCKS, 11'000'000, 4'000'000, 77);  // of a graph
  record_kernel("foreign", 9, 20'000'000, 1'000'000);
  end();
  EXPECT_FALSE(is_recording());
  EXPECT_FALSE(is_subscribed());
  EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_ACTIVITY);
  ASSERT_EQ(cucore_report_kernel_count(report), 2u);
  EXPECT_STREQ(row(0).name, "twice");
  EXPECT_EQ(row(0).calls, 3u);
  EXPECT_EQ(row(0).timed, 3u);
  EXPECT_NEAR(row(0).total, 12e-3, 1e-9);
  EXPECT_NEAR(row(0).min, 3e-3, 1e-9);
  EXPECT_NEAR(row(0).max, 5e-3, 1e-9);
  EXPECT_STREQ(row(1).name, "foreign");
  EXPECT_EQ(row(1).grid[0], 9u);
  EXPECT_EQ(row(1).registers, 40);
  EXPECT_NEAR(row(1).total, 1e-3, 1e-9);
  const std::string trace = write(CUCORE_REPORT_FORMAT_TRACE);
  EXPECT_TRUE(contains(trace, "\"name\": \"foreign\"")) << trace;
  EXPECT_TRUE(contains(trace, "\"dur\": 5000.000")) << trace;
  EXPECT_TRUE(contains(trace, "\"tid\": 7")) << trace;
}

TEST_F(ScriptedActivity, HasTheTimesOfCopiesAndFills) {
  begin();
  ASSERT_EQ(cucore_buffer_copy(y, 0, x, 0, 100, stream, nullptr), CUCORE_OK);
  cupti<void(uint8_t, uint64_t, uint64_t, uint64_t)>("fake_cupti_copy", uint8_t{8}, uint64_t{100},
                                                     uint64_t{1000}, uint64_t{2'000'000});
  cupti<void(uint64_t, uint64_t, uint64_t)>("fake_cupti_fill", uint64_t{64}, uint64_t{4'000'000},
                                            uint64_t{1'000'000});
  end();
  EXPECT_TRUE(contains(json(), "\"kind\":\"copy\",\"seconds\":0.002,\"timed\":1")) << json();
  EXPECT_TRUE(contains(json(), "\"bytes\":64,\"calls\":1")) << json();  // of another library
  const std::string trace = write(CUCORE_REPORT_FORMAT_TRACE);
  EXPECT_TRUE(contains(trace, "\"dur\": 2000.000")) << trace;
}

// Events measure 2.5 ms, and their offset is 0.
class ScriptedActivityAndEvents : public ScriptedActivity {
 protected:
  void profile_with_activity_of(uint64_t nanoseconds) {
    begin();
    for (int i = 0; i < 8; ++i) record_kernel("twice", BLOCKS, 1000, nanoseconds);
    driver().reset();
    const size_t sizes[] = {8, 8};
    driver().define_kernel("twice", 2, sizes);
    std::vector<float> times(4000, 0);
    std::fill_n(times.begin(), 12, 2.5F);  // six launches, each with its start
    driver().script_elapsed(times.data(), times.size());
    launch_into_a_gap();
    end();
  }
};
TEST_F(ScriptedActivityAndEvents, HaveTheTimeOfEventsIfTheTwoDiffer) {
  profile_with_activity_of(2'540'000);
  EXPECT_NEAR(row().mean, 2.5e-3, 1e-9);
  EXPECT_TRUE(contains(
      write(), "the times of activity and events differ by 1.6 %; this is the time of events"))
      << write();
  EXPECT_TRUE(contains(write(), "% of the time; in the gaps events timed the launches."))
      << write();
}

TEST_F(ScriptedActivityAndEvents, HaveTheTimeOfActivityIfTheTwoAgree) {
  profile_with_activity_of(2'510'000);
  EXPECT_NEAR(row().mean, 2.51e-3, 1e-9);
  EXPECT_FALSE(contains(write(), "differ by"));
}

TEST_F(ScriptedActivity, RecordsInWindowsWithGaps) {
  begin();
  launch_into_a_gap();
  EXPECT_FALSE(is_recording());
  EXPECT_TRUE(launch_into_a_window());
  end();
}

TEST_F(ScriptedActivity, KeepsToTheLimitOfRecords) {
  options.max_records = 3;
  begin();
  for (int i = 0; i < 1000; ++i) record_kernel("twice", BLOCKS, 1000 + 10u * i, 5);
  EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(row().timed, 1u);
  EXPECT_TRUE(contains(json(), "\"dropped_records\":997")) << json();
}

TEST_F(ScriptedActivity, LeavesShortRecordsOut) {
  begin();
  EXPECT_EQ(launch(), CUCORE_OK);
  record_kernel("twice", BLOCKS, 1000, 1000);
  record_kernel("foreign", 9, 3000, 1000);
  cupti<void(size_t, size_t)>("fake_cupti_shorten", size_t{8}, size_t{5});
  end();
  EXPECT_EQ(cucore_report_kernel_count(report), 1u);
  expect_reason("activity", "CUPTI lost 5 records.", "Profile a shorter part of the program.");
}

TEST_F(ScriptedActivity, IsBesideEventsForATimeline) {
  options.source = CUCORE_PROFILER_SOURCE_AUTO;
  begin();
  EXPECT_TRUE(is_recording());
  end();
  EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_ACTIVITY);
  cucore_profiler_release(profiler);
  options.timeline = CUCORE_TOGGLE_OFF;
  begin();
  EXPECT_FALSE(is_recording());
}

TEST_F(ScriptedActivity, EndsWithADroppedSession) {
  begin();
  EXPECT_TRUE(is_subscribed());
  cucore_profiler_release(profiler);
  profiler = nullptr;
  EXPECT_FALSE(is_recording());
  EXPECT_FALSE(is_subscribed());
}

TEST_F(ScriptedActivity, OfAnotherProfilerIsAbsentAndNamesIt) {
  const Variable failing("FAKE_CUPTI_FAILURE", "cuptiSubscribe_v2:39");
  profile();
  expect_missing("activity", "Cannot record activity: CUPTI for a test has the records of CUPTI.",
                 "End the other profiler.");
}

TEST_F(ScriptedActivity, OfASecondProfilerIsAbsent) {
  begin();
  cucore_profiler* second = nullptr;
  ASSERT_EQ(cucore_profiler_create(&options, &second, nullptr), CUCORE_OK);
  ASSERT_EQ(cucore_profiler_begin(second, nullptr), CUCORE_OK);
  EXPECT_EQ(launch(), CUCORE_OK);
  ASSERT_EQ(cucore_profiler_end(second, &report, nullptr), CUCORE_OK);
  cucore_profiler_release(second);
  expect_missing("activity",
                 "Cannot record activity: CUPTI returned "
                 "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED.",
                 "End the other profiler.");
  // On a busy machine, the first window of the other may have ended.
  EXPECT_TRUE(launch_into_a_window());
}

TEST_F(ScriptedActivity, OfAnOldCuptiIsAbsent) {
  const Variable version("FAKE_CUPTI_VERSION", "28");
  profile();
  expect_missing("activity", "Cannot record activity: the interface of CUPTI has version 28.",
                 "Install CUPTI of CUDA 13, or use a device that it supports.");
}

TEST_F(ScriptedActivity, UnderAProfilerIsAbsent) {
  const Variable around("CUDA_INJECTION64_PATH", "/opt/nsys/injection.so");
  profile();
  expect_missing("activity",
                 "Cannot record activity: another profiler runs the program, because "
                 "CUDA_INJECTION64_PATH is set.",
                 "End the other profiler.");
}

TEST_F(ScriptedActivity, ReportsEachCallThatFails) {
  for (const char* const function :
       {"cuptiActivityRegisterCallbacks", "cuptiGetTimestamp", "cuptiActivityEnable"}) {
    const Variable failing("FAKE_CUPTI_FAILURE", (std::string(function) + ":999").c_str());
    if (!profiler) create();
    ASSERT_EQ(cucore_profiler_begin(profiler, &error), CUCORE_OK);
    EXPECT_EQ(launch(), CUCORE_OK);
    cucore_report_release(report);
    end();
    expect_missing("activity", "Cannot record activity: CUPTI returned CUPTI_ERROR_UNKNOWN.",
                   "Use the times of events, which this report has.");
    EXPECT_FALSE(is_subscribed()) << function;
  }
  const Variable failing("FAKE_CUPTI_FAILURE", "cuptiActivityFlushAll:999");
  cucore_report_release(report);
  ASSERT_EQ(cucore_profiler_begin(profiler, &error), CUCORE_OK);
  EXPECT_EQ(launch(), CUCORE_OK);
  end();
  expect_reason("activity", "Cannot record activity: CUPTI returned CUPTI_ERROR_UNKNOWN.",
                "Use the times of events, which this report has.");
}

// The ranges have the names of NVTX, and thread numbers of the system.
class ScriptedNvtx : public ScriptedActivity {
 protected:
  static constexpr uint32_t MARK = 1, BEGIN = 2, END = 4, THREAD = 1011;
  static constexpr uint64_t MS = 1'000'000;
  static void mark(uint32_t flags, uint32_t id, const char* name, uint64_t time,
                   const char* domain = nullptr, uint32_t thread = THREAD) {
    cupti<void(uint32_t, uint32_t, uint32_t, const char*, const char*, uint64_t)>(
        "fake_cupti_marker", flags, id, thread, name, domain, time);
  }
  static void add_range(uint32_t id, const char* name, uint64_t begin, uint64_t end,
                        const char* domain = nullptr, uint32_t thread = THREAD) {
    mark(BEGIN, id, name, begin, domain, thread);
    mark(END, id, nullptr, end, domain, thread);
  }
  // The seconds of all calls of a range; -1: the report has no such range.
  double seconds_of(const std::string& name, size_t parent, int calls) {
    const std::string text = json();
    const std::string head = "{\"calls\":" + std::to_string(calls) + ",";
    const std::string tail =
        "\"name\":\"" + name + "\",\"parent\":" + std::to_string(parent) + ",\"seconds\":";
    const size_t end = text.find(tail);
    if (end == std::string::npos) return -1;
    if (text.compare(text.rfind('{', text.rfind("\"compute_efficiency\"", end)), head.size(), head))
      return -1;
    return std::stod(text.substr(end + tail.size()));
  }
};

TEST_F(ScriptedNvtx, RangesNestByThread) {
  begin();
  EXPECT_EQ(launch(), CUCORE_OK);
  add_range(1, "step", 1 * MS, 4 * MS);
  add_range(2, "load", 1 * MS, 2 * MS);
  add_range(3, "solve", 2 * MS, 3 * MS, "library");
  add_range(4, "begun in a step", 3 * MS, 6 * MS);
  add_range(5, "step", 10 * MS, 12 * MS);
  add_range(6, "load", 10 * MS, 11 * MS, nullptr, THREAD + 1);
  add_range(7, "of the process", 10 * MS, 15 * MS, nullptr, 0);
  mark(MARK, 8, "a point in time", 11 * MS);
  mark(END, 9, nullptr, 11 * MS);
  end();
  EXPECT_FALSE(is_recording_ranges());
  EXPECT_NEAR(seconds_of("step", 0, 2), 5e-3, 1e-9) << json();
  EXPECT_NEAR(seconds_of("library:solve", 2, 1), 1e-3, 1e-9) << json();
  EXPECT_NEAR(seconds_of("load", 2, 1), 1e-3, 1e-9);
  EXPECT_NEAR(seconds_of("beguninastep", 0, 1), 3e-3, 1e-9);
  EXPECT_NEAR(seconds_of("load", 0, 1), 1e-3, 1e-9);
  EXPECT_NEAR(seconds_of("oftheprocess", 0, 1), 5e-3, 1e-9);
  EXPECT_FALSE(contains(json(), "apointintime"));
  double memory = 0, compute = 0;
  EXPECT_EQ(cucore_report_efficiency(report, "library: solve", &memory, &compute, nullptr),
            CUCORE_OK);
  EXPECT_TRUE(std::isnan(memory)) << "the kernels of a range of NVTX are unknown";
  const std::string trace = write(CUCORE_REPORT_FORMAT_TRACE);
  EXPECT_TRUE(contains(trace, "\"name\": \"library: solve\", \"cat\": \"range\"")) << trace;
  EXPECT_TRUE(contains(write(CUCORE_REPORT_FORMAT_TEXT), "\n  library: solve "));
}

TEST_F(ScriptedNvtx, ARangeWithoutAnEndEndsWithTheSession) {
  begin();
  mark(BEGIN, 1, "open", 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  end();
  EXPECT_GE(seconds_of("open", 0, 1), 2e-3) << json();
}

TEST_F(ScriptedNvtx, RangesAreRecordedInTheGapsToo) {
  begin();
  launch_into_a_gap();
  EXPECT_FALSE(is_recording());
  add_range(1, "in a gap", 1 * MS, 2 * MS);
  end();
  EXPECT_NEAR(seconds_of("inagap", 0, 1), 1e-3, 1e-9);
}

TEST_F(ScriptedNvtx, RangesHaveALimit) {
  options.max_records = 3;
  begin();
  for (uint32_t i = 0; i < 5; ++i) add_range(i, "many", i * MS, (i + 1) * MS);
  end();
  EXPECT_NEAR(seconds_of("many", 0, 3), 3e-3, 1e-9);
  expect_reason("ranges of NVTX", "2 ranges beyond the limit of the session are not in the report.",
                "Raise max_records of the profiler.");
}

TEST_F(ScriptedNvtx, KernelsAreRecordedWithoutThem) {
  const Variable failing("FAKE_CUPTI_FAILURE", "ranges:999");
  begin();
  record_kernel("foreign", 9, 1000, 2000);
  end();
  EXPECT_EQ(cucore_report_kernel_count(report), 1u);
  expect_reason("ranges of NVTX",
                "Cannot record ranges of NVTX: CUPTI returned CUPTI_ERROR_UNKNOWN.",
                "Name the parts with cucore_profiler_begin_range().");
}

// A graph of one kernel, instantiated before the session.
class ScriptedGraphs : public WithCupti {
 protected:
  void SetUp() override {
    WithCupti::SetUp();
    cupti<void(size_t, size_t)>("fake_cupti_shorten", size_t{0}, size_t{0});
    cucore_graph* graph = nullptr;
    ASSERT_EQ(cucore_stream_begin_capture(stream, nullptr, nullptr), CUCORE_OK);
    EXPECT_EQ(launch(), CUCORE_OK);
    ASSERT_EQ(cucore_stream_end_capture(stream, &graph, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_executable_create(graph, nullptr, &executable, nullptr), CUCORE_OK);
    cucore_graph_release(graph);
  }
  void TearDown() override {
    cucore_executable_release(executable);
    WithCupti::TearDown();
  }
  void launch_graph(int launches) {
    for (int i = 0; i < launches; ++i)
      EXPECT_EQ(cucore_executable_launch(executable, stream, nullptr), CUCORE_OK);
  }
  void expect_no_rows(cucore_profiler_source source) {
    EXPECT_EQ(cucore_report_source(report), source);
    EXPECT_EQ(cucore_report_kernel_count(report), 0u);
    const char* const sentence = "No kernel was launched one by one; 20 launches of graphs.";
    EXPECT_TRUE(contains(write(CUCORE_REPORT_FORMAT_TEXT), sentence));
    EXPECT_TRUE(contains(write(CUCORE_REPORT_FORMAT_HTML), sentence));
  }
  cucore_executable* executable = nullptr;
};

TEST_F(ScriptedGraphs, HaveRowsOfTheirKernels) {
  begin();
  EXPECT_EQ(launch(), CUCORE_OK);
  EXPECT_FALSE(is_subscribed()) << "events are enough";
  launch_graph(1);
  EXPECT_TRUE(is_recording());
  launch_graph(19);
  for (uint64_t i = 0; i < 20; ++i)
    record_kernel("twice", BLOCKS + 1, 1000 + 3'000'000 * i, 2'000'000, 77);
  end();
  EXPECT_FALSE(is_subscribed());
  EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_ACTIVITY);
  ASSERT_EQ(cucore_report_kernel_count(report), 2u);
  EXPECT_EQ(row(0).grid[0], BLOCKS + 1);
  EXPECT_EQ(row(0).calls, 20u);
  EXPECT_NEAR(row(0).total, 40e-3, 1e-9);
  EXPECT_EQ(row(1).calls, 1u);
  EXPECT_EQ(row(1).timed, 1u) << "by events, before the first launch of a graph";
  EXPECT_FALSE(contains(json(), "\"kind\":\"graph_launch\",\"seconds\":null")) << "by events";
  EXPECT_FALSE(contains(json(), "kernelsofgraphs"));
  EXPECT_TRUE(contains(json(), "\"dropped_records\":0")) << "without a timeline";
}

TEST_F(ScriptedGraphs, AreNamedIfActivityCannotBegin) {
  const Variable failing("FAKE_CUPTI_FAILURE", "cuptiSubscribe_v2:39");
  begin();
  launch_graph(20);
  end();
  expect_no_rows(CUCORE_PROFILER_SOURCE_EVENTS);
  expect_reason("kernels of graphs",
                "The kernels of 20 launches of graphs have no rows. Cannot record activity: CUPTI "
                "for a test has the records of CUPTI.",
                "End the other profiler.");
  EXPECT_FALSE(contains(json(), "\"what\":\"activity\""));
}

TEST_F(ScriptedGraphs, AreNamedIfCuptiHasNoneOfTheirKernels) {
  begin();
  launch_graph(20);
  end();
  expect_no_rows(CUCORE_PROFILER_SOURCE_ACTIVITY);
  expect_reason("kernels of graphs",
                "The kernels of 20 launches of graphs have no rows. CUPTI has recorded none of "
                "them.",
                "Begin the session before the graphs are instantiated, or profile a longer time.");
}

TEST_F(ScriptedGraphs, AreNamedIfTheSourceDoesNotSeeThem) {
  options.source = CUCORE_PROFILER_SOURCE_EVENTS;
  begin();
  launch_graph(20);
  EXPECT_FALSE(is_subscribed());
  end();
  expect_no_rows(CUCORE_PROFILER_SOURCE_EVENTS);
  expect_reason("kernels of graphs",
                "The kernels of 20 launches of graphs have no rows. The source EVENTS does not "
                "see them.",
                "Use the source ACTIVITY.");
  cucore_report_release(report);
  cucore_profiler_release(profiler);
  options.source = CUCORE_PROFILER_SOURCE_COUNTERS;
  begin();
  launch_graph(1);
  end();
  expect_reason("kernels of graphs",
                "The kernels of 1 launch of a graph have no rows. The source COUNTERS does not "
                "see them.",
                "Use the source ACTIVITY.");
}

// These two run with another library.
class MissingCupti : public WithCupti {};
TEST_F(MissingCupti, IsReportedWithThePaths) {
  for (const cucore_profiler_source source :
       {CUCORE_PROFILER_SOURCE_COUNTERS, CUCORE_PROFILER_SOURCE_ACTIVITY}) {
    options.source = source;
    cucore_profiler_release(profiler);
    cucore_report_release(report);
    profile();
    EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_EVENTS);
    EXPECT_EQ(row().timed, 1u);
    EXPECT_TRUE(contains(write(), "/nowhere/libcupti.so")) << write();
    EXPECT_TRUE(contains(write(),
                         "\"Install CUPTI of CUDA 13, or set CUCORE_CUPTI to the path of its "
                         "library.\""));
  }
}

class OldCupti : public WithCupti {};
TEST_F(OldCupti, IsReportedWithTheFunctionThatItLacks) {
  options.source = CUCORE_PROFILER_SOURCE_COUNTERS;
  profile();
  EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_EVENTS);
  EXPECT_TRUE(contains(write(), "cuptiProfilerHost")) << write();
  EXPECT_TRUE(contains(write(), "Install CUPTI of CUDA 13"));
}

}  // namespace
