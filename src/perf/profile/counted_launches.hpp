// SPDX-License-Identifier: Apache-2.0
// The first launches of each kernel and geometry, counted by the hardware.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "perf/cupti/device_counters.hpp"
#include "perf/profile/sampling.hpp"

namespace cucore::perf {

// The counters of the launches of one kernel with one geometry.
struct LaunchCounts {
  uint64_t launches = 0;
  std::map<std::string, double> sums;  // by metric
  CallTimes times;
};

class CountedLaunches {
 public:
  CountedLaunches(CounterRequest request, uint32_t most) : request_(request), most_(most) {}

  // Opens the counters of a device. @throws Error what CUPTI refuses
  void open(const cucore_device* device);

  // Returns whether further launches of the entry may be counted.
  bool may_count(size_t entry);
  // Begins to count a launch of this thread, after those of other threads. Returns false if it is
  // not counted. The entry is one of the caller's numbers.
  bool begin(const cucore_device* device, size_t entry);
  // Ends it. `is_launched`: the work was added.
  void end(const cucore_device* device, size_t entry, bool is_launched);

  // Counts a work as one range: it runs once per pass, and waits for its launches. Launches must
  // not be counted meanwhile. Returns no values if CUPTI refuses. Passes the exception of the
  // work on.
  std::map<std::string, double> count_range(const cucore_device* device,
                                            const std::function<void()>& work);

  // The counters have failed, and no launch was counted.
  bool is_lost() const { return is_lost_; }

  // The following are called once no launch is counted.
  const std::map<size_t, LaunchCounts>& counts() const { return counts_; }  // by entry
  // The parts that could not be counted.
  std::vector<MissingPart> missing() const;

 private:
  struct Progress {
    uint32_t counted = 0, tries = 0;
  };

  DeviceCounters& counters_of(const cucore_device* device);
  void fail(const Error& error) noexcept;

  const CounterRequest request_;
  const uint32_t most_;
  std::atomic<bool> is_failed_{false}, is_lost_{false};

  std::mutex counting_;  // held from begin() to end()
  std::mutex mutex_;     // guards the progress
  std::map<size_t, Progress> progress_;
  bool is_range_failed_ = false;
  std::map<int32_t, std::unique_ptr<DeviceCounters>> devices_;
  std::map<size_t, LaunchCounts> counts_;
  std::vector<MissingPart> failures_;
  uint64_t disturbed_ = 0;
};

// Sets what the counters contain in a row with all its calls.
void apply_counts(KernelRow& row, const LaunchCounts& counts);

}  // namespace cucore::perf
