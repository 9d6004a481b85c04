// SPDX-License-Identifier: Apache-2.0
// Times work by the records of CUPTI: from the start of its first kernel, copy or fill to the end
// of its last.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "perf/cupti/activity.hpp"
#include "perf/measure/device.hpp"

namespace cucore::perf {

class ActivityTimer {
 public:
  // @throws Error UNSUPPORTED for the CPU device, or what CUPTI refuses
  explicit ActivityTimer(const DeviceOwner& device);

  // Waits for the device. Work that is added after it counts.
  void begin();
  // Waits for the device, and returns seconds. @throws Error UNSUPPORTED without a record
  double end();

 private:
  void receive(const Activity& activity);
  void take_records();

  const DeviceOwner device_;
  const uint32_t ordinal_;

  std::mutex mutex_;  // guards the following
  uint64_t first_ = 0, last_ = 0;
  bool has_work_ = false;

  std::unique_ptr<ActivityFeed> feed_;  // ends first
};

}  // namespace cucore::perf
