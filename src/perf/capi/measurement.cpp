// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "perf/capi/guard.hpp"
#include "perf/capi/handles.hpp"
#include "perf/machine/roof_folder.hpp"
#include "perf/measure/kept_roof.hpp"
#include "perf/report/measurement_report.hpp"
#include "support/concat.hpp"
#include "support/options.hpp"
#include "support/require.hpp"

using namespace cucore;
using namespace cucore::perf;

namespace {

using MeasurementOwner =
    client::Native<cucore_measurement, cucore_measurement_retain, cucore_measurement_release>;

constexpr size_t FIRST_MEASUREMENT_INFO = sizeof(cucore_measurement_info);
constexpr size_t FIRST_COMPARISON_INFO = sizeof(cucore_comparison_info);

static_assert(CUCORE_SERIES_SHAPE_THROTTLED == static_cast<int>(Shape::THROTTLED));
static_assert(CUCORE_STOP_REASON_MAX_TIME == static_cast<int>(StopReason::MAX_TIME));
static_assert(CUCORE_CRITERION_COUNT == static_cast<int>(CriterionKind::COUNT));
static_assert(CUCORE_CLOCK_HOST == static_cast<int>(ClockKind::HOST));
static_assert(CUCORE_OPERATION_TYPE_MATRIX == static_cast<int>(OperationType::MATRIX));
static_assert(CUCORE_COMPARISON_VERDICT_SLOWER == static_cast<int>(Verdict::SLOWER));

int require_range(int value, int most, const char* field) {
  if (value < 0 || value > most)
    throw Error(Status::INVALID_ARGUMENT, concat(field, " is ", value, "; expected 0 to ", most));
  return value;
}

// Returns a number that is not negative, or the default in place of 0.
double require_amount(double value, double by_default, const char* field) {
  if (!(value >= 0) || std::isinf(value))
    throw Error(Status::INVALID_ARGUMENT,
                concat(field, " is ", value, "; expected a number of at least 0"));
  return value == 0 ? by_default : value;
}

// A call of the user's function. Its error becomes the cause of the measurement's.
Work work_of_caller(cucore_work_fn function, void* user_data, const char* attempt) {
  return [=](const cucore_stream* stream) { client::call(attempt, function, stream, user_data); };
}

SeriesLimits limits_of_caller(const cucore_measurement_options& given) {
  SeriesLimits limits;
  const int criterion = require_range(given.criterion, CUCORE_CRITERION_COUNT,
                                      "cucore_measurement_options.criterion");
  if (criterion != CUCORE_CRITERION_DEFAULT)
    limits.criterion = static_cast<CriterionKind>(criterion);
  if (given.min_samples != 0 && given.max_samples != 0 && given.min_samples > given.max_samples)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_measurement_options.min_samples is ", given.min_samples,
                       "; expected at most max_samples, ", given.max_samples));
  if (given.min_samples != 0) limits.min_samples = given.min_samples;
  if (given.max_samples != 0) limits.max_samples = given.max_samples;
  if (given.min_samples == 0) limits.min_samples = std::min(limits.min_samples, limits.max_samples);
  if (given.max_samples == 0) limits.max_samples = std::max(limits.min_samples, limits.max_samples);
  limits.min_time =
      require_amount(given.min_time, limits.min_time, "cucore_measurement_options.min_time");
  limits.max_time =
      require_amount(given.max_time, limits.max_time, "cucore_measurement_options.max_time");
  limits.noise = require_amount(given.noise, limits.noise, "cucore_measurement_options.noise");
  return limits;
}

TimerSettings timer_of_caller(const cucore_measurement_options& given) {
  TimerSettings timer;
  timer.clock = static_cast<ClockKind>(
      require_range(given.clock, CUCORE_CLOCK_HOST, "cucore_measurement_options.clock"));
  timer.block = require_toggle(given.block, true, "cucore_measurement_options.block");
  return timer;
}

MeasurementOptions options_of(const cucore_measurement_options& given, const char* name) {
  require_zero(given.reserved, "cucore_measurement_options.reserved");
  MeasurementOptions options;
  options.name = given.name ? given.name : name;
  options.limits = limits_of_caller(given);
  options.timer = timer_of_caller(given);
  const bool flush = require_toggle(given.flush, true, "cucore_measurement_options.flush");
  if (given.flush != CUCORE_TOGGLE_DEFAULT) options.flush = flush;
  options.batch = require_toggle(given.batch, true, "cucore_measurement_options.batch");
  options.check_clock =
      require_toggle(given.check_clock, true, "cucore_measurement_options.check_clock");
  options.bytes = require_amount(given.bytes, 0, "cucore_measurement_options.bytes");
  options.operations = require_amount(given.operations, 0, "cucore_measurement_options.operations");
  options.items = require_amount(given.items, 0, "cucore_measurement_options.items");
  options.operation_type =
      static_cast<OperationType>(require_range(given.operation_type, CUCORE_OPERATION_TYPE_MATRIX,
                                               "cucore_measurement_options.operation_type"));
  if (given.setup)
    options.setup =
        work_of_caller(given.setup, given.user_data, "the measurement calls the setup of a sample");
  return options;
}

cucore_measurement_options read_measurement_options(const cucore_measurement_options* options) {
  return read_options(options, sizeof(cucore_measurement_options), "cucore_measurement_options");
}

StreamOwner stream_for(const cucore_measurement_options& given, const DeviceOwner& device) {
  if (given.stream) return StreamOwner::share(given.stream);
  return client::created<StreamOwner>("the measurement creates a stream", cucore_stream_create,
                                      device.get(), nullptr);
}

DeviceOwner device_for(const cucore_measurement_options& given) {
  constexpr const char* ATTEMPT = "the measurement opens the device";
  if (given.stream)
    return client::created<DeviceOwner>(ATTEMPT, cucore_stream_device, given.stream);
  return client::created<DeviceOwner>(ATTEMPT, cucore_device_open, 0);
}

// The roof that is kept for the device, if one is needed.
void add_roof(MeasurementOptions& options, const DeviceOwner& device) {
  if (options.bytes > 0 || options.operations > 0)
    options.roof = find_roof(device, default_roof_folder());
}

// A work of a pair. A struct without a size was not initialised.
NamedWork pair_work(const cucore_work* work, const char* argument, const char* name) {
  const auto given = read_options(require(work, argument), sizeof(cucore_work), "cucore_work");
  require(given.call, concat(argument, "->call").c_str());
  return {given.name ? given.name : name,
          work_of_caller(given.call, given.user_data, "the measurement calls the work")};
}

void write_comparison(cucore_comparison_info* out, const Comparison& comparison) {
  cucore_comparison_info info{};
  info.ratio = comparison.ratio;
  info.low = comparison.interval.low;
  info.high = comparison.interval.high;
  info.verdict = static_cast<cucore_comparison_verdict>(comparison.verdict);
  write_info(out, info, FIRST_COMPARISON_INFO, "cucore_comparison_info");
}

cucore_measurement_info info_of(const Measurement& self) {
  const Summary& summary = self.summary;
  cucore_measurement_info info{};
  info.name = self.name.c_str();
  info.median = summary.median;
  info.low = summary.interval.low;
  info.high = summary.interval.high;
  info.mean = summary.mean;
  info.deviation = summary.deviation;
  info.min = summary.min;
  info.max = summary.max;
  info.p05 = summary.p05;
  info.p95 = summary.p95;
  info.noise = self.noise;
  info.hot = self.hot;
  info.clock_mhz = self.clock_mhz;
  info.bytes_per_second = self.per_second(self.bytes);
  info.memory_percent = self.memory_percent();
  info.operations_per_second = self.per_second(self.operations);
  info.compute_percent = self.compute_percent();
  info.items_per_second = self.per_second(self.items);
  info.event_offset = self.event_offset;
  info.samples = self.series.samples.size();
  info.outliers = summary.outliers;
  info.throttled = self.series.throttled;
  info.batch = self.batch;
  info.is_blocked = self.is_blocked;
  info.is_flushed = self.is_flushed;
  info.synchronises = self.synchronises;
  info.clock = static_cast<cucore_clock>(self.clock);
  info.stop_reason = static_cast<cucore_stop_reason>(self.series.stop);
  info.shape = static_cast<cucore_series_shape>(self.series.shape);
  return info;
}

std::string measurements_as(cucore_report_format format, const Measurements& list) {
  switch (format) {
    case CUCORE_REPORT_FORMAT_TEXT:
      return measurements_as_text(list);
    case CUCORE_REPORT_FORMAT_JSON:
      return measurements_as_json(list);
    case CUCORE_REPORT_FORMAT_CSV:
      return measurements_as_csv(list);
    case CUCORE_REPORT_FORMAT_GNUPLOT:
      return measurements_as_gnuplot(list);
    default:
      break;
  }
  throw Error(Status::INVALID_ARGUMENT, concat("format is ", int{format}, "; expected 1 to 4"));
}

}  // namespace

extern "C" {

CUCORE_PERF_API cucore_status cucore_measurement_run(const cucore_device* device,
                                                     cucore_work_fn work, void* user_data,
                                                     const cucore_measurement_options* options,
                                                     cucore_measurement** out,
                                                     cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    require(device, "device");
    require(work, "work");
    const cucore_measurement_options given = read_measurement_options(options);
    MeasurementOptions checked = options_of(given, "work");
    const auto owner = DeviceOwner::share(device);
    add_roof(checked, owner);
    const std::vector<NamedWork> works = {
        {checked.name, work_of_caller(work, user_data, "the measurement calls the work")}};
    *out = wrap(measure(owner, stream_for(given, owner), works, checked).front());
  });
}

CUCORE_PERF_API cucore_status cucore_measurement_run_kernel(
    const cucore_kernel* kernel, const cucore_launch_options* launch,
    const cucore_argument* arguments, size_t count, const cucore_measurement_options* options,
    cucore_measurement** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    require(kernel, "kernel");
    const cucore_measurement_options given = read_measurement_options(options);
    MeasurementOptions checked = options_of(given, cucore_kernel_name(kernel));
    const DeviceOwner owner = device_for(given);
    add_roof(checked, owner);
    const Work work = [=](const cucore_stream* stream) {
      client::call("the work launches the kernel", cucore_kernel_launch, kernel, stream, launch,
                   arguments, count);
    };
    *out = wrap(measure(owner, stream_for(given, owner), {{checked.name, work}}, checked).front());
  });
}

CUCORE_PERF_API cucore_status cucore_measurement_run_pair(
    const cucore_device* device, const cucore_work* a, const cucore_work* b,
    const cucore_measurement_options* options, cucore_measurement** out_a,
    cucore_measurement** out_b, cucore_comparison_info* out, cucore_error** error) {
  return guard(error, [&] {
    clear(out_a, out_b);
    clear_info(require(out, "out"), FIRST_COMPARISON_INFO);
    require(out_a, "out_a");
    require(out_b, "out_b");
    require(device, "device");
    const cucore_measurement_options given = read_measurement_options(options);
    MeasurementOptions checked = options_of(given, "work");
    const std::vector<NamedWork> works = {pair_work(a, "a", "a"), pair_work(b, "b", "b")};
    const auto owner = DeviceOwner::share(device);
    add_roof(checked, owner);
    const auto results = measure(owner, stream_for(given, owner), works, checked);
    const auto first = MeasurementOwner::adopt(wrap(results[0]));
    const auto second = MeasurementOwner::adopt(wrap(results[1]));
    write_comparison(out, compare_pairs(results[0]->series.samples, results[1]->series.samples));
    *out_a = retain(first.get());
    *out_b = retain(second.get());
  });
}

CUCORE_PERF_API cucore_measurement* cucore_measurement_retain(
    const cucore_measurement* measurement) {
  return retain(measurement);
}

CUCORE_PERF_API void cucore_measurement_release(cucore_measurement* measurement) {
  release(measurement);
}

CUCORE_PERF_API cucore_status cucore_measurement_query(const cucore_measurement* measurement,
                                                       cucore_measurement_info* out,
                                                       cucore_error** error) {
  return guard(error, [&] {
    clear_info(require(out, "out"), FIRST_MEASUREMENT_INFO);
    write_info(out, info_of(use(measurement, "measurement")), FIRST_MEASUREMENT_INFO,
               "cucore_measurement_info");
  });
}

CUCORE_PERF_API const double* cucore_measurement_samples(const cucore_measurement* measurement,
                                                         size_t* count) {
  const Measurement* const self = peek(measurement);
  if (count) *count = self ? self->series.samples.size() : 0;
  return self ? self->series.samples.data() : nullptr;
}

CUCORE_PERF_API cucore_status cucore_measurement_compare(const cucore_measurement* a,
                                                         const cucore_measurement* b,
                                                         cucore_comparison_info* out,
                                                         cucore_error** error) {
  return guard(error, [&] {
    clear_info(require(out, "out"), FIRST_COMPARISON_INFO);
    write_comparison(out, compare_series(use(a, "a").series.samples, use(b, "b").series.samples));
  });
}

CUCORE_PERF_API cucore_status cucore_measurement_write(const cucore_measurement* const* list,
                                                       size_t count, cucore_report_format format,
                                                       char* buffer, size_t capacity, size_t* size,
                                                       cucore_error** error) {
  return guard(error, [&] {
    clear(size);
    require(list, "list");
    require(size, "size");
    if (capacity != 0) require(buffer, "buffer");
    if (count == 0) throw Error(Status::INVALID_ARGUMENT, "count is 0; expected at least 1");
    Measurements measurements;
    for (const cucore_measurement* each : std::span(list, count))
      measurements.push_back(&use(each, "list"));
    const std::string text = measurements_as(format, measurements);
    *size = text.size() + 1;
    if (capacity == 0) return;
    if (capacity < *size)
      throw Error(Status::BUFFER_TOO_SMALL, concat("capacity is ", capacity, "; the text has ",
                                                   *size, " bytes with its NUL"));
    std::memcpy(buffer, text.c_str(), *size);
  });
}

}  // extern "C"
