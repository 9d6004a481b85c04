// SPDX-License-Identifier: Apache-2.0
// A measurement: how long one call of a work takes on a device.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "perf/machine/measured_machine.hpp"
#include "perf/machine/roof.hpp"
#include "perf/measure/comparison.hpp"
#include "perf/measure/series.hpp"
#include "perf/measure/work_timer.hpp"
#include "support/ref.hpp"

namespace cucore::perf {

// As cucore_operation_type.
enum class OperationType { NONE, F16, F32, F64, INTEGER, MATRIX };

struct MeasurementOptions {
  std::string name;
  SeriesLimits limits;
  TimerSettings timer;
  std::optional<bool> flush;  // default: on, except on an emulated device
  bool batch = true;
  bool check_clock = true;
  double bytes = 0, operations = 0, items = 0;  // of one call, 0: unknown
  OperationType operation_type = OperationType::NONE;
  Work setup;
  Ref<Roof> roof;  // of the device; null: unknown
};

// Never changes once it is made.
class Measurement final : public Object {
 public:
  MeasuredMachine machine;
  std::string name;
  SeriesLimits limits;
  bool batches = false;       // requested
  bool checks_clock = false;  // requested, on a device with a clock
  ClockKind clock = ClockKind::EVENTS;
  Series series;
  Summary summary;
  double noise = 0;  // deviation / mean
  double hot = std::numeric_limits<double>::quiet_NaN();
  uint32_t batch = 0;  // calls of a batch; 0: no batch was measured
  double clock_mhz = std::numeric_limits<double>::quiet_NaN();
  bool is_flushed = false;
  bool is_blocked = false;
  bool synchronises = false;
  double event_offset = 0;
  double bytes = 0, operations = 0, items = 0;
  OperationType operation_type = OperationType::NONE;

  // Peaks of the device, per second; NaN if unknown.
  double memory_peak = std::numeric_limits<double>::quiet_NaN();
  double compute_peak = std::numeric_limits<double>::quiet_NaN();

  // Of the peaks; NaN if unknown.
  double memory_percent() const { return per_second(bytes) / memory_peak * 100; }
  double compute_percent() const { return per_second(operations) / compute_peak * 100; }

  // Of one call at the median time, per second; NaN if unknown.
  double per_second(double amount) const {
    const bool known = amount > 0 && summary.median > 0;
    return known ? amount / summary.median : std::numeric_limits<double>::quiet_NaN();
  }
};

struct NamedWork {
  std::string name;
  Work work;
};

// Measures each work, their samples in turn: A B B A.
std::vector<Ref<Measurement>> measure(const DeviceOwner& device, const StreamOwner& stream,
                                      const std::vector<NamedWork>& works,
                                      const MeasurementOptions& options);

const char* criterion_name(CriterionKind kind);  // "ci"
const char* clock_name(ClockKind kind);          // "events"
const char* stop_name(StopReason reason);        // "criterion"
const char* operation_type_name(OperationType type);
const char* verdict_name(Verdict verdict);  // "faster"

}  // namespace cucore::perf
