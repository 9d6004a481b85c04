// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "perf/measure/machine.hpp"
#include "perf/measure/measurement.hpp"

namespace cucore::perf {
namespace {

constexpr double LONGEST_WARM_UP = 1;  // seconds
constexpr double WARM = 0.1;           // of the time of the call before
constexpr double BATCHED_BELOW = 50e-6;
constexpr double BATCH_TIME = 1e-3;
constexpr uint32_t MOST_BATCHED = 500;  // launches that a stream accepts while it is held
constexpr uint32_t BATCHES = 11;
constexpr uint32_t MOST_SERIES = 3;  // with offsets that were too large

class SteadyPace final : public Pace {
 public:
  double elapsed() override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  void pause(double seconds) override {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }

 private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Samples of one work.
class WorkSource final : public SampleSource {
 public:
  WorkSource(WorkTimer& timer, const Work& setup, const Work& work, ClockProbe* probe)
      : timer_(timer), setup_(setup), work_(work), probe_(probe) {}

  Sample take() override {
    const double seconds = timer_.time(setup_, work_);
    return {seconds, probe_ ? probe_->mhz() : 0};
  }

  // At least one call, until two successive ones differ by little.
  void warm_up() {
    SteadyPace pace;
    double last = timer_.time_plainly(setup_, work_);
    while (pace.elapsed() < LONGEST_WARM_UP) {
      const double next = timer_.time_plainly(setup_, work_);
      if (std::abs(next - last) < WARM * last) return;
      last = next;
    }
  }

  // Sets the time of one call among many, if calls are short.
  void add_batch(Measurement& result) {
    const double cold = result.summary.median;
    if (cold >= BATCHED_BELOW) return;
    const double wanted = std::ceil(BATCH_TIME / std::max(cold, 1e-9));
    result.batch = static_cast<uint32_t>(std::clamp(wanted, 1.0, double{MOST_BATCHED}));
    std::vector<double> times;
    for (uint32_t i = 0; i < BATCHES; ++i)
      times.push_back(timer_.time(setup_, work_, result.batch) / result.batch);
    result.hot = quantile(sorted_copy(times), 0.5);
  }

 private:
  WorkTimer& timer_;
  const Work& setup_;
  const Work& work_;
  ClockProbe* const probe_;
};

TimerSettings settings_of(const DeviceOwner& device, const MeasurementOptions& options) {
  TimerSettings settings = options.timer;
  settings.flush = options.flush.value_or(cucore_device_is_emulated(device.get()) == 0);
  return settings;
}

// An emulated device has no clock of its own.
std::unique_ptr<ClockProbe> probe_of(const DeviceOwner& device, const StreamOwner& stream,
                                     const MeasurementOptions& options) {
  if (!options.check_clock || cucore_device_is_emulated(device.get()) != 0) return nullptr;
  return ClockProbe::create(device, stream);
}

// The peak for operations of a type; NaN without one.
double peak_of(const Roof& roof, OperationType type) {
  switch (type) {
    case OperationType::F16:
      return roof.value(RoofKind::F16);
    case OperationType::F32:
      return roof.value(RoofKind::F32);
    case OperationType::F64:
      return roof.value(RoofKind::F64);
    case OperationType::INTEGER:
      return roof.value(RoofKind::INTEGER);
    case OperationType::MATRIX:
      return std::fmax(roof.value(RoofKind::MATRIX_F16), roof.value(RoofKind::MATRIX_BF16));
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

Ref<Measurement> result_of(const NamedWork& work, const MeasuredMachine& machine, Series series,
                           const WorkTimer& timer, const MeasurementOptions& options) {
  auto result = make<Measurement>();
  result->machine = machine;
  result->name = work.name;
  result->limits = options.limits;
  result->batches = options.batch;
  result->clock = timer.clock();
  result->summary = summary_of(series.samples);
  const Summary& summary = result->summary;
  if (summary.mean > 0) result->noise = summary.deviation / summary.mean;
  if (!series.clocks.empty()) result->clock_mhz = quantile(sorted_copy(series.clocks), 0.5);
  result->series = std::move(series);
  result->is_flushed = timer.is_flushed();
  result->is_blocked = timer.is_blocked();
  result->synchronises = timer.synchronises();
  result->event_offset = timer.event_offset();
  result->bytes = options.bytes;
  result->operations = options.operations;
  result->items = options.items;
  result->operation_type = options.operation_type;
  if (options.roof) {
    result->memory_peak = options.roof->value(RoofKind::COPY);
    result->compute_peak = peak_of(*options.roof, options.operation_type);
  }
  return result;
}

}  // namespace

std::vector<Ref<Measurement>> measure(const DeviceOwner& device, const StreamOwner& stream,
                                      const std::vector<NamedWork>& works,
                                      const MeasurementOptions& options) {
  // One timer: works that are compared need one clock.
  WorkTimer timer(device, stream, settings_of(device, options));
  const std::unique_ptr<ClockProbe> probe = probe_of(device, stream, options);
  std::vector<WorkSource> sources;
  for (const NamedWork& work : works)
    sources.emplace_back(timer, options.setup, work.work, probe.get());
  for (WorkSource& source : sources) source.warm_up();
  timer.measure_event_offset();
  for (WorkSource& source : sources) source.take();  // finds out works that synchronise
  std::vector<SampleSource*> pointers;
  for (WorkSource& source : sources) pointers.push_back(&source);
  std::vector<Series> series;
  // All samples need the same offset.
  for (uint32_t i = 0; i < MOST_SERIES && (i == 0 || timer.lower_event_offset()); ++i) {
    SteadyPace pace;
    series = take_series(pointers, pace, options.limits);
  }
  const MeasuredMachine machine = machine_of(device.get());
  std::vector<Ref<Measurement>> results;
  for (size_t i = 0; i < works.size(); ++i) {
    results.push_back(result_of(works[i], machine, std::move(series[i]), timer, options));
    results.back()->checks_clock = probe != nullptr;
    if (options.batch) sources[i].add_batch(*results.back());
  }
  return results;
}

}  // namespace cucore::perf
