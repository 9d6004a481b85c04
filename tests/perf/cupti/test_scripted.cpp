// SPDX-License-Identifier: Apache-2.0
// Counters with a scripted CUPTI: missing, too old, refused, taken, short.
#include <cucore_perf.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "perf/cupti/launch_counters.hpp"
#include "perf/cupti/presets.hpp"
#include "support/error.hpp"

namespace {

using cucore::Error;
using cucore::Status;
using namespace cucore::perf;

constexpr const char* COUNT = "count launches";

void* fake(const char* name) {
  void* const library = dlopen(std::getenv("CUCORE_CUPTI"), RTLD_NOW | RTLD_NOLOAD);
  return library ? dlsym(library, name) : nullptr;
}
void launch() { reinterpret_cast<void (*)()>(fake("fake_cupti_launch"))(); }
bool is_enabled() { return reinterpret_cast<int (*)()>(fake("fake_cupti_is_enabled"))() != 0; }

class Failing {
 public:
  explicit Failing(const std::string& rule) { setenv("FAKE_CUPTI_FAILURE", rule.c_str(), 1); }
  ~Failing() { unsetenv("FAKE_CUPTI_FAILURE"); }
};

template <class Body>
Error error_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  return Error(Status::OK, "it has not failed");
}

std::vector<const char*> quick_of(const Chip& chip) { return metrics_of(preset_of("quick"), chip); }

TEST(ScriptedPresets, take_other_names_and_leave_missing_metrics_out) {
  const Chip chip("FK100", COUNT);
  EXPECT_STREQ(quick_of(chip)[0], "dram__bytes_op_read.sum");
  EXPECT_STREQ(quick_of(chip)[1], "dram__bytes_write.sum");
  for (const char* const name : metrics_of(preset_of("all"), chip))
    EXPECT_NE(std::string(name).rfind("lts__", 0), 0u) << name;
  int32_t passes = 0;
  EXPECT_EQ(cucore_preset_passes("FK100", "quick", &passes, nullptr), CUCORE_OK);
  EXPECT_EQ(passes, 2);
}

TEST(ScriptedCounters, are_those_of_the_launches_between_begin_and_end) {
  EXPECT_EQ(chip_name(0, COUNT), "FK100");
  const Chip chip(chip_name(0, COUNT), COUNT);
  LaunchCounters counters(nullptr, chip, quick_of(chip), COUNT);
  EXPECT_EQ(counters.passes(), 2u);
  launch();  // before begin()
  for (size_t launches = 0; launches < 4; ++launches) {
    counters.begin();
    for (size_t i = 0; i < launches; ++i) launch();
    const auto values = counters.end();
    launch();
    ASSERT_EQ(values.size(), launches);
    for (size_t i = 0; i < launches; ++i)
      EXPECT_EQ(values[i], (std::vector<double>{100.0 * i, 100.0 * i + 1, 100.0 * i + 2}));
  }
}

TEST(ScriptedCounters, of_too_many_launches_are_those_of_the_first) {
  const Chip chip("FK100", COUNT);
  LaunchCounters counters(nullptr, chip, quick_of(chip), COUNT);
  counters.begin();
  for (size_t i = 0; i < LaunchCounters::MOST + 3; ++i) launch();
  EXPECT_EQ(counters.end().size(), LaunchCounters::MOST);
}

TEST(ScriptedCounters, end_with_the_object) {
  const Chip chip("FK100", COUNT);
  {
    const LaunchCounters counters(nullptr, chip, quick_of(chip), COUNT);
    EXPECT_TRUE(is_enabled());
    const Chip other("FK100", COUNT);
    const Error taken = error_of([&] { LaunchCounters(nullptr, other, quick_of(other), COUNT); });
    EXPECT_EQ(taken.status(), Status::INVALID_STATE);
    EXPECT_EQ(taken.message(),
              "cannot count launches: CUPTI returned "
              "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED; another profiler has the counters: "
              "end it first");
  }
  EXPECT_FALSE(is_enabled());
  const Failing size("cuptiRangeProfilerGetCounterDataSize:999");
  const Chip again("FK100", COUNT);
  EXPECT_EQ(error_of([&] { LaunchCounters(nullptr, again, quick_of(again), COUNT); }).status(),
            Status::INTERNAL);
  EXPECT_FALSE(is_enabled());
}

TEST(ScriptedCounters, without_permission_name_the_remedy) {
  const Failing enable("cuptiRangeProfilerEnable:35");
  const Chip chip("FK100", COUNT);
  const Error error = error_of([&] { LaunchCounters(nullptr, chip, quick_of(chip), COUNT); });
  EXPECT_EQ(error.status(), Status::NOT_PERMITTED);
  EXPECT_EQ(error.message(),
            "cannot count launches: CUPTI returned CUPTI_ERROR_INSUFFICIENT_PRIVILEGES; the driver "
            "permits counters to administrators alone: run as root, or load the driver's module "
            "with NVreg_RestrictProfilingToAdminUsers=0");
  EXPECT_STREQ(error.origin().library, "cupti");
  EXPECT_EQ(error.origin().code, 35);
}

TEST(ScriptedCounters, report_each_call_that_fails) {
  const Chip chip("FK100", COUNT);
  LaunchCounters counters(nullptr, chip, quick_of(chip), COUNT);
  for (const char* const function : {"cuptiRangeProfilerCounterDataImageInitialize",
                                     "cuptiRangeProfilerSetConfig", "cuptiRangeProfilerStart"}) {
    const Failing failing(std::string(function) + ":999");
    EXPECT_EQ(error_of([&] { counters.begin(); }).message(),
              "cannot count launches: CUPTI returned CUPTI_ERROR_UNKNOWN")
        << function;
  }
  for (const char* const function :
       {"cuptiRangeProfilerStop", "cuptiRangeProfilerDecodeData",
        "cuptiRangeProfilerGetCounterDataInfo", "cuptiProfilerHostEvaluateToGpuValues"}) {
    counters.begin();
    launch();
    const Failing failing(std::string(function) + ":999");
    EXPECT_EQ(error_of([&] { (void)counters.end(); }).status(), Status::INTERNAL) << function;
  }
  counters.begin();
  launch();
  EXPECT_EQ(counters.end().size(), 1u);
}

TEST(ScriptedPasses, report_each_call_that_fails) {
  for (const char* const function :
       {"cuptiProfilerHostGetSupportedChips", "cuptiProfilerHostInitialize",
        "cuptiProfilerHostConfigAddMetrics", "cuptiProfilerHostGetConfigImage",
        "cuptiProfilerHostGetNumOfPasses"}) {
    const Failing failing(std::string(function) + ":999");
    int32_t passes = 7;
    cucore_error* error = nullptr;
    EXPECT_EQ(cucore_preset_passes("FK100", "quick", &passes, &error), CUCORE_ERROR_INTERNAL);
    EXPECT_EQ(passes, 0);
    EXPECT_STREQ(cucore_error_message(error),
                 "cannot count the passes of a preset: CUPTI returned CUPTI_ERROR_UNKNOWN")
        << function;
    cucore_error_release(error);
  }
}

std::string cause_of(cucore_status expected) {
  int32_t passes = 0;
  cucore_error* error = nullptr;
  EXPECT_EQ(cucore_preset_passes("FK100", "quick", &passes, &error), expected);
  const std::string message = error ? cucore_error_message(error) : "";
  cucore_error_release(error);
  return message;
}

// These two run with another library.
TEST(OldCupti, is_unsupported) {
  EXPECT_NE(cause_of(CUCORE_ERROR_UNSUPPORTED).find("cuptiProfilerHost"), std::string::npos);
}
TEST(MissingCupti, is_reported_with_the_paths) {
  EXPECT_NE(cause_of(CUCORE_ERROR_LIBRARY_MISSING).find("/nowhere/libcupti.so"), std::string::npos);
}

}  // namespace
