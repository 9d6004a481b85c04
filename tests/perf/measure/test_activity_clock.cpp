// SPDX-License-Identifier: Apache-2.0
// Measurements by the records of a scripted CUPTI, on the scripted driver.
#include <dlfcn.h>

#include <cstdlib>

#include "fakes/fake_client.hpp"
#include "measured.hpp"

namespace {

constexpr uint64_t US = 1000;  // nanoseconds

template <class Function, class... Arguments>
auto scripted_cupti(const char* name, Arguments... arguments) {
  static void* const library = dlopen(std::getenv("CUCORE_CUPTI"), RTLD_NOW);
  return reinterpret_cast<Function*>(dlsym(library, name))(arguments...);
}
void record_kernel(uint64_t start, uint64_t duration) {
  scripted_cupti<void(const char*, uint32_t, uint32_t, uint64_t, uint64_t, uint64_t)>(
      "fake_cupti_kernel", "measured", 1u, 32u, start, duration, uint64_t{0});
}

// A work of two kernels with a pause between them.
struct TwoKernels {
  uint64_t now = 100 * US;
  uint64_t first = 60 * US, pause = 30 * US, second = 20 * US;
  int calls = 0;
};
cucore_status run_two(const cucore_stream*, void* user_data, cucore_error**) {
  auto& work = *static_cast<TwoKernels*>(user_data);
  ++work.calls;
  record_kernel(work.now, work.first);
  work.now += work.first + work.pause;
  record_kernel(work.now, work.second);
  work.now += work.second + work.pause;
  return CUCORE_OK;
}
cucore_status run_none(const cucore_stream*, void*, cucore_error**) { return CUCORE_OK; }

class ActivityClock : public measured::Measured {
 protected:
  void SetUp() override {
    driver().reset();
    scripted_cupti<void(size_t, size_t)>("fake_cupti_shorten", size_t{0}, size_t{0});
    Measured::SetUp();
    options.clock = CUCORE_CLOCK_ACTIVITY;
    options.batch = CUCORE_TOGGLE_OFF;
    options.check_clock = CUCORE_TOGGLE_OFF;
    options.min_samples = 10;
  }
  void TearDown() override {
    unsetenv("FAKE_CUPTI_FAILURE");
    Measured::TearDown();
    driver().reset();
  }
  static fake::Client& driver() {
    static fake::Client client(fake::path("fake_driver"));
    return client;
  }
  static bool is_subscribed() { return scripted_cupti<int()>("fake_cupti_is_subscribed") != 0; }
};

TEST_F(ActivityClock, TimesFromTheFirstStartToTheLastEnd) {
  TwoKernels work;
  ASSERT_EQ(run(run_two, &work), CUCORE_OK) << message();
  const cucore_measurement_info result = info(measurement);
  EXPECT_EQ(result.samples, 10u);
  EXPECT_EQ(result.clock, CUCORE_CLOCK_ACTIVITY);
  EXPECT_EQ(result.event_offset, 0);
  EXPECT_NEAR(result.min, 110e-6, 1e-12);
  EXPECT_NEAR(result.max, 110e-6, 1e-12);
  EXPECT_NE(write(CUCORE_REPORT_FORMAT_JSON).find("\"clock\": \"activity\""), std::string::npos);
  EXPECT_EQ(driver().call_count("cuEventElapsedTime"), 0u);
  EXPECT_FALSE(is_subscribed());
}

TEST_F(ActivityClock, LeavesOutTheSetup) {
  TwoKernels work;
  options.user_data = &work;
  options.setup = [](const cucore_stream*, void* user_data, cucore_error**) {
    auto& work = *static_cast<TwoKernels*>(user_data);
    record_kernel(work.now, 500 * US);
    work.now += 500 * US;
    return CUCORE_OK;
  };
  ASSERT_EQ(run(run_two, &work), CUCORE_OK) << message();
  EXPECT_NEAR(info(measurement).max, 110e-6, 1e-12);
}

TEST_F(ActivityClock, TimesBatchesAsAWhole) {
  TwoKernels work{100 * US, 3 * US, 1 * US, 2 * US};
  options.batch = CUCORE_TOGGLE_ON;
  ASSERT_EQ(run(run_two, &work), CUCORE_OK) << message();
  const cucore_measurement_info result = info(measurement);
  EXPECT_NEAR(result.median, 6e-6, 1e-12);
  ASSERT_GT(result.batch, 1u);
  EXPECT_NEAR(result.hot * result.batch, 7e-6 * result.batch - 1e-6, 1e-11);
}

TEST_F(ActivityClock, ComparesTwoWorks) {
  TwoKernels first, second{100 * US, 120 * US, 60 * US, 40 * US};
  const cucore_work a{sizeof a, "a", run_two, &first}, b{sizeof b, "b", run_two, &second};
  cucore_comparison_info comparison = CUCORE_COMPARISON_INFO_INIT;
  ASSERT_EQ(cucore_measurement_run_pair(device, &a, &b, &options, &measurement, &other, &comparison,
                                        &error),
            CUCORE_OK)
      << message();
  EXPECT_NEAR(info(measurement).median, 110e-6, 1e-12);
  EXPECT_NEAR(info(other).median, 220e-6, 1e-12);
}

TEST_F(ActivityClock, RefusesAWorkWithoutRecords) {
  EXPECT_EQ(run(run_none, nullptr), CUCORE_ERROR_UNSUPPORTED);
  EXPECT_NE(message().find("cucore_measurement_options.clock is ACTIVITY, and CUPTI recorded no "
                           "kernel, copy or fill of a sample; use EVENTS or HOST"),
            std::string::npos)
      << message();
  EXPECT_FALSE(is_subscribed());
}

TEST_F(ActivityClock, NamesAnotherProfiler) {
  setenv("FAKE_CUPTI_FAILURE", "cuptiSubscribe_v2:39", 1);
  TwoKernels work;
  EXPECT_EQ(run(run_two, &work), CUCORE_ERROR_INVALID_STATE);
  EXPECT_NE(message().find("CUPTI for a test has the records of CUPTI"), std::string::npos);
  EXPECT_EQ(work.calls, 0);
}

TEST_F(ActivityClock, ReportsEachCallThatFails) {
  for (const char* const function :
       {"cuptiActivityRegisterCallbacks", "cuptiActivityEnable", "cuptiActivityFlushAll"}) {
    setenv("FAKE_CUPTI_FAILURE", (std::string(function) + ":999").c_str(), 1);
    TwoKernels work;
    EXPECT_EQ(run(run_two, &work), CUCORE_ERROR_INTERNAL) << function;
    EXPECT_NE(message().find("CUPTI_ERROR_UNKNOWN"), std::string::npos) << message();
    EXPECT_FALSE(is_subscribed()) << function;
  }
}

// This one runs with another library.
class ActivityClockWithoutCupti : public measured::Measured {};
TEST_F(ActivityClockWithoutCupti, NamesThePaths) {
  options.clock = CUCORE_CLOCK_ACTIVITY;
  EXPECT_EQ(run(run_none, nullptr), CUCORE_ERROR_LIBRARY_MISSING);
  const std::string paths = message() + log();
  EXPECT_NE(paths.find("/nowhere/libcupti.so"), std::string::npos) << paths;
}

}  // namespace
