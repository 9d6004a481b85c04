// SPDX-License-Identifier: Apache-2.0
// The hardware counters of launches on a device, for callers without the headers of CUPTI.
#pragma once

#include <cucore.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cucore::perf {

struct CounterRequest {
  std::string preset;                // "": none
  std::vector<std::string> metrics;  // more metrics
};

// The metric of the time of a kernel, in nanoseconds. It is counted always.
inline constexpr const char* TIME_METRIC = "gpu__time_duration.sum";

// Not for use by several threads at a time.
class DeviceCounters {
 public:
  // Throws what CUPTI refuses: see library.hpp. NOT_FOUND if the chip has none of the metrics.
  static std::unique_ptr<DeviceCounters> open(const cucore_device* device,
                                              const CounterRequest& request);
  virtual ~DeviceCounters() = default;
  DeviceCounters(const DeviceCounters&) = delete;
  DeviceCounters& operator=(const DeviceCounters&) = delete;

  virtual const std::vector<const char*>& metrics() const = 0;
  // Requested metrics that the chip does not have.
  virtual const std::vector<std::string>& unknown() const = 0;

  // Counts the launches of all threads on the device between the calls. end() waits for them, and
  // returns the values of the metrics for each.
  virtual void begin() = 0;
  virtual std::vector<std::vector<double>> end() = 0;
  // Counts a work as one range. It waits for its launches, and runs once per pass.
  virtual std::vector<double> count_range(const std::function<void()>& work) = 0;

 protected:
  DeviceCounters() = default;
};

}  // namespace cucore::perf
