// SPDX-License-Identifier: Apache-2.0
// Measurements on the CPU device, from end to end.
#include <cmath>
#include <cstring>

#include "measured.hpp"

namespace {

using measured::fill;
using measured::Measured;

// Counts to `count` in a register.
constexpr char PTX[] = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry count(.param .u32 count) {
  .reg .b32 %r<4>;
  .reg .pred %p;
  ld.param.u32 %r1, [count];
  mov.u32 %r2, 0;
again:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p, %r2, %r1;
  @%p bra again;
  ret;
}
)";

class CpuMeasurement : public Measured {
 protected:
  void SetUp() override {
    Measured::SetUp();
    cucore_objectcode* code = nullptr;
    ASSERT_EQ(cucore_objectcode_create(CUCORE_CODE_TYPE_PTX, PTX, sizeof PTX - 1, nullptr, &code,
                                       nullptr),
              CUCORE_OK);
    ASSERT_EQ(cucore_objectcode_find_kernel(code, "count", &kernel, nullptr), CUCORE_OK);
    cucore_objectcode_release(code);
  }
  void TearDown() override {
    cucore_kernel_release(kernel);
    Measured::TearDown();
  }
  cucore_status run_count(uint32_t count) {
    cucore_launch_options launch = CUCORE_LAUNCH_OPTIONS_INIT;
    launch.grid[0] = 4;
    launch.block[0] = 32;
    const cucore_argument argument = CUCORE_ARGUMENT(count);
    cucore_measurement_release(measurement);
    cucore_error_release(error);
    error = nullptr;
    return cucore_measurement_run_kernel(kernel, &launch, &argument, 1, &options, &measurement,
                                         &error);
  }

  cucore_kernel* kernel = nullptr;
};

struct Counting {
  cucore_kernel* kernel;
  uint32_t count;
  int calls = 0;
  int setups = 0;
};

cucore_status launch_counting(const cucore_stream* stream, void* data, cucore_error** error) {
  auto* const self = static_cast<Counting*>(data);
  ++self->calls;
  cucore_launch_options launch = CUCORE_LAUNCH_OPTIONS_INIT;
  launch.grid[0] = 4;
  launch.block[0] = 32;
  const cucore_argument argument = {&self->count, sizeof self->count};
  return cucore_kernel_launch(self->kernel, stream, &launch, &argument, 1, error);
}

cucore_status count_setup(const cucore_stream*, void* data, cucore_error**) {
  ++static_cast<Counting*>(data)->setups;
  return CUCORE_OK;
}

cucore_status synchronising(const cucore_stream* stream, void* data, cucore_error** error) {
  const cucore_status status = fill(stream, data, error);
  return status == CUCORE_OK ? cucore_stream_synchronize(stream, error) : status;
}

cucore_status failing(const cucore_stream*, void*, cucore_error** error) {
  if (error) *error = cucore_error_create(CUCORE_ERROR_IO, "the tape is torn", nullptr);
  return CUCORE_ERROR_IO;
}

TEST_F(CpuMeasurement, MeasuresAKernel) {
  options.bytes = 1e6;
  options.operations = 2e6;
  options.items = 100;
  ASSERT_EQ(run_count(2000), CUCORE_OK) << message();
  const cucore_measurement_info result = info(measurement);
  EXPECT_STREQ(result.name, "count");
  EXPECT_EQ(result.samples, 30U);
  EXPECT_EQ(result.clock, CUCORE_CLOCK_EVENTS);
  EXPECT_EQ(result.stop_reason, CUCORE_STOP_REASON_CRITERION);
  EXPECT_NE(result.shape, CUCORE_SERIES_SHAPE_NONE);
  EXPECT_EQ(result.is_blocked, 1);
  EXPECT_EQ(result.is_flushed, 0) << "an emulated device has no cache";
  EXPECT_EQ(result.synchronises, 0);
  EXPECT_EQ(result.throttled, 0U);
  EXPECT_GT(result.median, 0);
  EXPECT_LE(result.min, result.low);
  EXPECT_LE(result.low, result.median);
  EXPECT_LE(result.median, result.high);
  EXPECT_LE(result.high, result.max);
  EXPECT_LE(result.p05, result.p95);
  EXPECT_DOUBLE_EQ(result.bytes_per_second, 1e6 / result.median);
  EXPECT_DOUBLE_EQ(result.operations_per_second, 2e6 / result.median);
  EXPECT_DOUBLE_EQ(result.items_per_second, 100 / result.median);
  EXPECT_TRUE(std::isnan(result.clock_mhz));
  EXPECT_TRUE(std::isnan(result.memory_percent));
  EXPECT_TRUE(std::isnan(result.compute_percent));
  size_t count = 0;
  const double* const samples = cucore_measurement_samples(measurement, &count);
  ASSERT_EQ(count, 30U);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_GE(samples[i], result.min);
    EXPECT_LE(samples[i], result.max);
  }
}

TEST_F(CpuMeasurement, TakesLongerForMoreWork) {
  ASSERT_EQ(run_count(500), CUCORE_OK);
  std::swap(measurement, other);
  ASSERT_EQ(run_count(50'000), CUCORE_OK);
  EXPECT_GT(info(measurement).median, 5 * info(other).median);
  cucore_comparison_info comparison = CUCORE_COMPARISON_INFO_INIT;
  ASSERT_EQ(cucore_measurement_compare(measurement, other, &comparison, nullptr), CUCORE_OK);
  EXPECT_EQ(comparison.verdict, CUCORE_COMPARISON_VERDICT_SLOWER);
  EXPECT_GT(comparison.ratio, 5);
  EXPECT_LE(comparison.low, comparison.ratio);
  EXPECT_GE(comparison.high, comparison.ratio);
  ASSERT_EQ(cucore_measurement_compare(measurement, measurement, &comparison, nullptr), CUCORE_OK);
  EXPECT_EQ(comparison.verdict, CUCORE_COMPARISON_VERDICT_NO_DIFFERENCE);
  EXPECT_DOUBLE_EQ(comparison.ratio, 1);
}

TEST_F(CpuMeasurement, MeasuresShortWorkInBatches) {
  ASSERT_EQ(run_count(1), CUCORE_OK);
  const cucore_measurement_info result = info(measurement);
  if (result.median < 50e-6) {
    EXPECT_GE(result.batch, 20U);
    EXPECT_LE(result.batch, 500U);
    EXPECT_GT(result.hot, 0);
  } else {
    EXPECT_EQ(result.batch, 0U);  // a machine under load
  }
  options.batch = CUCORE_TOGGLE_OFF;
  ASSERT_EQ(run_count(1), CUCORE_OK);
  EXPECT_EQ(info(measurement).batch, 0U);
  EXPECT_TRUE(std::isnan(info(measurement).hot));
}

TEST_F(CpuMeasurement, CallsTheSetupBeforeEachSample) {
  Counting counting{kernel, 100};
  options.batch = CUCORE_TOGGLE_OFF;
  options.setup = count_setup;
  options.user_data = &counting;
  ASSERT_EQ(run(launch_counting, &counting), CUCORE_OK);
  EXPECT_EQ(counting.setups, counting.calls);
  EXPECT_GE(counting.calls, 30);
  EXPECT_STREQ(info(measurement).name, "work");
}

TEST_F(CpuMeasurement, FindsOutAWorkThatSynchronises) {
  options.name = "a copy";
  ASSERT_EQ(run(synchronising, buffer), CUCORE_OK) << message();
  const cucore_measurement_info result = info(measurement);
  EXPECT_STREQ(result.name, "a copy");
  EXPECT_EQ(result.synchronises, 1);
  EXPECT_EQ(result.is_blocked, 0);
  EXPECT_EQ(result.clock, CUCORE_CLOCK_HOST);
  EXPECT_EQ(result.samples, 30U);
  EXPECT_LT(result.max, 0.9) << "no sample contains the wait for the gate";
}

TEST_F(CpuMeasurement, KeepsAChosenClock) {
  options.clock = CUCORE_CLOCK_EVENTS;
  ASSERT_EQ(run(synchronising, buffer), CUCORE_OK);
  EXPECT_EQ(info(measurement).clock, CUCORE_CLOCK_EVENTS);
  EXPECT_EQ(info(measurement).synchronises, 1);
  options.clock = CUCORE_CLOCK_HOST;
  ASSERT_EQ(run(fill, buffer), CUCORE_OK);
  EXPECT_EQ(info(measurement).clock, CUCORE_CLOCK_HOST);
  EXPECT_EQ(info(measurement).is_blocked, 0);
  EXPECT_EQ(info(measurement).event_offset, 0);
  options.clock = CUCORE_CLOCK_AUTO;
  options.block = CUCORE_TOGGLE_OFF;
  ASSERT_EQ(run(synchronising, buffer), CUCORE_OK);
  EXPECT_EQ(info(measurement).is_blocked, 0);
  EXPECT_EQ(info(measurement).synchronises, 0) << "without a block it is not found out";
}

TEST_F(CpuMeasurement, ReportsTheErrorOfTheWork) {
  EXPECT_EQ(run(failing, nullptr), CUCORE_ERROR_IO);
  EXPECT_NE(message().find("the tape is torn"), std::string::npos) << message();
  // The stream is not held any more.
  EXPECT_EQ(cucore_stream_synchronize(stream, nullptr), CUCORE_OK);
  EXPECT_EQ(run(fill, buffer), CUCORE_OK);
}

TEST_F(CpuMeasurement, ComparesAPair) {
  Counting few{kernel, 2000}, many{kernel, 20'000};
  cucore_work a = CUCORE_WORK_INIT, b = CUCORE_WORK_INIT;
  a.call = b.call = launch_counting;
  a.user_data = &few;
  b.user_data = &many;
  b.name = "many";
  cucore_comparison_info comparison = CUCORE_COMPARISON_INFO_INIT;
  ASSERT_EQ(cucore_measurement_run_pair(device, &a, &b, &options, &measurement, &other, &comparison,
                                        &error),
            CUCORE_OK)
      << message();
  EXPECT_STREQ(info(measurement).name, "a");
  EXPECT_STREQ(info(other).name, "many");
  EXPECT_EQ(info(measurement).samples, info(other).samples);
  EXPECT_EQ(comparison.verdict, CUCORE_COMPARISON_VERDICT_FASTER);
  EXPECT_LT(comparison.ratio, 0.5);
}

// The default of each limit follows the other one.
TEST_F(CpuMeasurement, TakesTheSamplesThatOneLimitAllows) {
  options.criterion = CUCORE_CRITERION_COUNT;
  options.min_samples = 0;
  options.max_samples = 3;
  ASSERT_EQ(run(fill, buffer), CUCORE_OK);
  EXPECT_EQ(info(measurement).samples, 3U);
}

TEST_F(CpuMeasurement, RefusesWrongOptions) {
  const cucore_measurement_options good = options;
  const auto refused = [&](const char* field,
                           cucore_status status = CUCORE_ERROR_INVALID_ARGUMENT) {
    EXPECT_EQ(run(fill, buffer), status) << field;
    EXPECT_NE(message().find(field), std::string::npos) << message();
    options = good;
  };
  options.criterion = static_cast<cucore_criterion>(5);
  refused("cucore_measurement_options.criterion");
  options.clock = static_cast<cucore_clock>(-1);
  refused("cucore_measurement_options.clock");
  options.clock = CUCORE_CLOCK_ACTIVITY;
  refused(
      "cucore_measurement_options.clock is ACTIVITY, and CUPTI does not record the CPU device; use "
      "EVENTS",
      CUCORE_ERROR_UNSUPPORTED);
  options.min_samples = 5;
  options.max_samples = 4;
  refused("cucore_measurement_options.min_samples is 5; expected at most max_samples, 4");
  options.min_time = -1;
  refused("cucore_measurement_options.min_time");
  options.max_time = HUGE_VAL;
  refused("cucore_measurement_options.max_time");
  options.noise = NAN;
  refused("cucore_measurement_options.noise");
  options.bytes = -1;
  refused("cucore_measurement_options.bytes");
  options.operations = -1;
  refused("cucore_measurement_options.operations");
  options.items = -1;
  refused("cucore_measurement_options.items");
  options.operation_type = static_cast<cucore_operation_type>(6);
  refused("cucore_measurement_options.operation_type");
  options.batch = static_cast<cucore_toggle>(3);
  refused("cucore_measurement_options.batch");
  options.reserved = 1;
  refused("cucore_measurement_options.reserved");
  options.struct_size = 8;
  refused("cucore_measurement_options", CUCORE_ERROR_ABI_MISMATCH);
  EXPECT_EQ(run(nullptr, buffer), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(run(fill, buffer), CUCORE_OK);
}

TEST_F(CpuMeasurement, RefusesReleasedHandles) {
  ASSERT_EQ(run(fill, buffer), CUCORE_OK);
  cucore_measurement_retain(measurement);
  cucore_measurement_release(measurement);
  EXPECT_EQ(info(measurement).samples, 30U);
  cucore_measurement_release(measurement);
  cucore_measurement_info out = CUCORE_MEASUREMENT_INFO_INIT;
  cucore_comparison_info comparison = CUCORE_COMPARISON_INFO_INIT;
  EXPECT_EQ(cucore_measurement_query(measurement, &out, nullptr), CUCORE_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cucore_measurement_compare(measurement, measurement, &comparison, nullptr),
            CUCORE_ERROR_INVALID_HANDLE);
  size_t count = 7;
  EXPECT_EQ(cucore_measurement_samples(measurement, &count), nullptr);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(cucore_measurement_samples(nullptr, nullptr), nullptr);
  measurement = nullptr;
}

TEST_F(CpuMeasurement, IsWrittenInEachFormat) {
  options.name = "a \"fill\"\n\\";
  ASSERT_EQ(run(fill, buffer), CUCORE_OK);
  const std::string text = write(CUCORE_REPORT_FORMAT_TEXT);
  EXPECT_EQ(text.find("a \"fill\"?\\ on "), 0U) << text;
  EXPECT_NE(text.find("95 % interval"), std::string::npos);
  EXPECT_NE(text.find("30 samples"), std::string::npos);
  const std::string json = write(CUCORE_REPORT_FORMAT_JSON);
  EXPECT_NE(json.find("\"schema\": \"cucore.measurement/1\""), std::string::npos);
  EXPECT_NE(json.find("\"name\": \"a \\\"fill\\\"\\u000a\\\\\""), std::string::npos) << json;
  const std::string csv = write(CUCORE_REPORT_FORMAT_CSV);
  EXPECT_EQ(csv.find("name,device,median,low,high,"), 0U);
  EXPECT_NE(csv.find("\n\"a \"\"fill\"\""), std::string::npos) << csv;
  const std::string plot = write(CUCORE_REPORT_FORMAT_GNUPLOT);
  EXPECT_NE(plot.find("$samples0 << END\n0 "), std::string::npos) << plot;
  EXPECT_NE(plot.find("title \"a ?fill???, median "), std::string::npos) << plot;
  size_t size = 0;
  char byte = 0;
  EXPECT_EQ(cucore_measurement_write(&measurement, 1, CUCORE_REPORT_FORMAT_TEXT, &byte, 1, &size,
                                     nullptr),
            CUCORE_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(size, text.size() + 1);
  EXPECT_EQ(cucore_measurement_write(&measurement, 0, CUCORE_REPORT_FORMAT_TEXT, nullptr, 0, &size,
                                     nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_measurement_write(&measurement, 1, static_cast<cucore_report_format>(5), nullptr,
                                     0, &size, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
}

}  // namespace
