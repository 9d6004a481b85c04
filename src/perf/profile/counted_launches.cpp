// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/counted_launches.hpp"

#include <exception>

#include "perf/cupti/cupti_failure.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::perf {
namespace {

// A launch that other threads disturb is tried again with a later one.
constexpr uint32_t TRIES_PER_LAUNCH = 4;

void add_values(LaunchCounts& counts, const std::vector<const char*>& metrics,
                const std::vector<double>& values) {
  ++counts.launches;
  for (size_t i = 0; i < values.size() && i < metrics.size(); ++i) {
    counts.sums[metrics[i]] += values[i];
    if (std::string_view(metrics[i]) == TIME_METRIC) counts.times.add(values[i] * 1e-9);
  }
}

}  // namespace

DeviceCounters& CountedLaunches::counters_of(const cucore_device* device) {
  std::unique_ptr<DeviceCounters>& counters = devices_[cucore_device_ordinal(device)];
  if (counters) return *counters;
  counters = DeviceCounters::open(device, request_);
  for (const std::string& name : counters->unknown())
    failures_.push_back(
        {"counters", concat("The GPU ", cucore_device_name(device), " has no counter ", name, "."),
         "Use a name that Nsight Compute lists for this GPU."});
  return *counters;
}

void CountedLaunches::open(const cucore_device* device) {
  const std::lock_guard lock(counting_);
  (void)counters_of(device);
}

// Further launches are not counted.
void CountedLaunches::fail(const Error& error) noexcept {
  is_failed_ = true;
  is_lost_ = counts_.empty();
  try {
    CuptiFailure failure = explain(error);
    failures_.push_back({"counters", std::move(failure.why), std::move(failure.remedy)});
  } catch (...) {
    // No memory is left for the reason.
  }
}

bool CountedLaunches::may_count(size_t entry) {
  if (is_failed_) return false;
  const std::lock_guard lock(mutex_);
  const Progress& progress = progress_[entry];
  return progress.counted < most_ && progress.tries < most_ * TRIES_PER_LAUNCH;
}

bool CountedLaunches::begin(const cucore_device* device, size_t entry) {
  if (!may_count(entry)) return false;
  counting_.lock();
  try {
    if (!is_failed_) {
      counters_of(device).begin();
      return true;
    }
  } catch (const Error& error) {
    fail(error);
  } catch (...) {
    counting_.unlock();
    throw;
  }
  counting_.unlock();
  return false;
}

void CountedLaunches::end(const cucore_device* device, size_t entry, bool is_launched) {
  const std::lock_guard counting(counting_, std::adopt_lock);
  try {
    DeviceCounters& counters = counters_of(device);
    const std::vector<std::vector<double>> launches = counters.end();
    const bool is_alone = launches.size() == 1;
    {
      const std::lock_guard lock(mutex_);
      ++progress_[entry].tries;
      if (is_launched && is_alone) ++progress_[entry].counted;
    }
    if (is_launched && is_alone)
      add_values(counts_[entry], counters.metrics(), launches.front());
    else if (is_launched)
      ++disturbed_;
  } catch (const Error& error) {
    fail(error);
  }
}

std::map<std::string, double> CountedLaunches::count_range(const cucore_device* device,
                                                           const std::function<void()>& work) {
  const std::lock_guard lock(counting_);
  std::map<std::string, double> values;
  if (is_failed_ || is_range_failed_) return values;
  std::exception_ptr failure;
  try {
    DeviceCounters& counters = counters_of(device);
    const std::vector<double> counted = counters.count_range([&] {
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
        throw;
      }
    });
    for (size_t i = 0; i < counted.size(); ++i) values[counters.metrics()[i]] = counted[i];
  } catch (const Error& error) {
    if (!failure) {
      is_range_failed_ = true;
      CuptiFailure reason = explain(error);
      failures_.push_back({"counters of ranges", std::move(reason.why), std::move(reason.remedy)});
    }
  } catch (...) {
    if (!failure) throw;
  }
  if (failure) std::rethrow_exception(failure);
  return values;
}

std::vector<MissingPart> CountedLaunches::missing() const {
  std::vector<MissingPart> parts = failures_;
  if (disturbed_ != 0)
    parts.push_back({"counters",
                     concat(cucore::counted(disturbed_, "launch", "launches"),
                            " had no counters of its own, because CUPTI counted none or those of "
                            "another thread with it."),
                     "Launch from one thread at a time while counters are read."});
  return parts;
}

}  // namespace cucore::perf
