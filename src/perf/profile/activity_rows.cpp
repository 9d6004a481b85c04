// SPDX-License-Identifier: Apache-2.0
// Rows of a report with the times of activity.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_map>

#include "perf/profile/activity_times.hpp"
#include "support/concat.hpp"

namespace cucore::perf {
namespace {

constexpr double MOST_DIFFERENCE = 0.01;  // of the two times, as a part of that of events
constexpr double EVENT_PRECISION = 2e-6;  // seconds
constexpr uint64_t LEAST_COMPARED = 3;    // calls that each side has timed

// CUPTI has no cluster of one block.
NamedLaunch named_launch_of(const KernelRow& row) {
  NamedLaunch named{row.name, row.geometry};
  const uint32_t* cluster = named.geometry.cluster;
  if (uint64_t{cluster[0]} * cluster[1] * cluster[2] <= 1)
    for (uint32_t& extent : named.geometry.cluster) extent = 0;
  return named;
}

bool is_on(const LaunchEntry& entry, const ActiveKernel& kernel) {
  return cucore_device_ordinal(entry.device.get()) == static_cast<int32_t>(kernel.device);
}

void scale(double& amount, double factor) { amount *= factor; }

// Graphs have run the kernel too.
void add_calls(KernelRow& row, uint64_t more) {
  if (more == 0) return;
  if (row.calls != 0) {
    const double factor = static_cast<double>(row.calls + more) / static_cast<double>(row.calls);
    scale(row.bytes.read, factor);
    scale(row.bytes.written, factor);
    scale(row.operations.total, factor);
  }
  row.calls += more;
}

// The events of the gaps are right if the two times differ, because recording slows kernels down.
void set_times(KernelRow& row, const LaunchEntry& entry, const ActiveKernel& kernel,
               double offset) {
  const double by_events = row.seconds.mean, by_activity = kernel.times.mean();
  const double difference = std::fabs(by_activity - by_events);
  const bool is_compared =
      entry.times.count() >= LEAST_COMPARED && kernel.times.count() >= LEAST_COMPARED;
  if (is_compared && difference > std::max(MOST_DIFFERENCE * by_events, EVENT_PRECISION)) {
    row.seconds = entry.times.seconds(row.calls, offset);
    row.note =
        concat("the times of activity and events differ by ",
               std::round(1000 * difference / by_events) / 10, " %; this is the time of events");
    return;
  }
  row.seconds = kernel.times.seconds(row.calls, 0);
  row.timed = std::min(kernel.times.count(), row.calls);
}

KernelRow row_of(const ActiveKernel& kernel) {
  KernelRow row;
  row.name = kernel.name;
  row.geometry = kernel.geometry;
  row.resources.registers = kernel.registers;
  row.resources.shared = kernel.static_shared;
  row.calls = row.timed = kernel.times.count();
  row.seconds = kernel.times.seconds(row.calls, 0);
  return row;
}

}  // namespace

std::vector<size_t> apply_activity(std::vector<KernelRow>& rows,
                                   const std::deque<LaunchEntry>& entries,
                                   const std::vector<ActiveKernel>& kernels, double offset) {
  std::vector<size_t> places;
  std::unordered_map<NamedLaunch, std::vector<size_t>, NamedLaunch::Hash> own;
  for (size_t entry = 0; entry < entries.size(); ++entry)
    own[named_launch_of(rows[entry])].push_back(entry);
  for (const ActiveKernel& kernel : kernels) {
    std::vector<size_t> found;
    if (const auto named = own.find({kernel.name, kernel.geometry}); named != own.end())
      std::ranges::copy_if(named->second, std::back_inserter(found),
                           [&](size_t entry) { return is_on(entries[entry], kernel); });
    if (found.empty()) {
      places.push_back(rows.size());
      rows.push_back(row_of(kernel));
      continue;
    }
    places.push_back(found.front());
    if (found.size() > 1) {  // kernels of one name in several images
      for (const size_t entry : found)
        rows[entry].note = "several kernels have this name; the times are those of events";
      continue;
    }
    KernelRow& row = rows[found.front()];
    add_calls(row, kernel.in_graphs);
    set_times(row, entries[found.front()], kernel, offset);
  }
  return places;
}

}  // namespace cucore::perf
