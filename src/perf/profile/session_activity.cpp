// SPDX-License-Identifier: Apache-2.0
// The records of CUPTI in a session.
#include <algorithm>
#include <utility>

#include "perf/cupti/cupti_failure.hpp"
#include "perf/profile/session.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::perf {

// Returns whether records are taken from now on. Call with the lock held.
bool Session::open_activity() {
  try {
    activity_ = std::make_unique<ActivityTimes>(now(), options_.timeline ? options_.max_records : 0,
                                                options_.max_records);
    recording_.store(activity_.get(), std::memory_order_release);
    source_ = ProfileSource::ACTIVITY;
    tell_of_cupti();
    return true;
  } catch (const Error& error) {
    activity_failure_ = explain(error);
    return false;
  }
}

// Only activity sees the kernels of graphs, so that it begins at the first launch of one.
void Session::record_graphs(const cucore_device* device) {
  if (options_.source != ProfileSource::AUTO || has_seen_graph_.load(std::memory_order_acquire))
    return;
  const std::lock_guard lock(mutex_);
  if (has_seen_graph_.load(std::memory_order_relaxed)) return;
  const double start = now();
  const bool is_emulated = cucore_device_is_emulated(device) != 0;
  if (source_ == ProfileSource::EVENTS && !activity_failure_ && !is_emulated) open_activity();
  // As for activity from the begin on, the overhead is that of each operation.
  spent_.fetch_sub(static_cast<int64_t>((now() - start) * 1e9), std::memory_order_relaxed);
  has_seen_graph_.store(true, std::memory_order_release);
}

// The launches of graphs whose kernels have no rows. Call with the lock held, after
// finish_activity().
void Session::add_missing_of_graphs(std::vector<MissingPart>& parts) const {
  const auto graphs = operations_.find(CUCORE_OPERATION_GRAPH_LAUNCH);
  if (graphs == operations_.end() || graphs->second.row.calls == 0 || counts_) return;
  const std::string launches =
      cucore::counted(graphs->second.row.calls, "launch of a graph", "launches of graphs");
  MissingPart part{"kernels of graphs", concat("The kernels of ", launches, " have no rows. "), ""};
  if (activity_) {
    for (const ActiveKernel& kernel : activity_->kernels())
      if (kernel.in_graphs != 0) return;
    part.why += "CUPTI has recorded none of them.";
    part.remedy = "Begin the session before the graphs are instantiated, or profile a longer time.";
  } else if (activity_failure_) {
    part.why += activity_failure_->why;
    part.remedy = activity_failure_->remedy;
  } else {
    const bool is_emulated = first_device_ && cucore_device_is_emulated(first_device_.get()) != 0;
    part.why += concat("The source ", source_ == ProfileSource::COUNTERS ? "COUNTERS" : "EVENTS",
                       " does not see them.");
    part.remedy = concat("Use the source ", is_emulated ? "EMULATED" : "ACTIVITY", ".");
  }
  parts.push_back(std::move(part));
}

// Call with the lock held.
std::vector<DeviceOwner> Session::devices_of_launches() const {
  std::vector<DeviceOwner> devices;
  if (first_device_) devices.push_back(first_device_);
  for (const LaunchEntry& entry : launches_.entries()) {
    const auto same = [&](const DeviceOwner& other) { return other.get() == entry.device.get(); };
    if (std::none_of(devices.begin(), devices.end(), same)) devices.push_back(entry.device);
  }
  return devices;
}

// `is_complete`: nothing waits for the work of the devices any more.
void Session::finish_activity(bool is_complete) {
  if (!activity_) return;
  activity_->finish(now(), is_complete);
  add_activity_operations();
  for (TimelineRecord& record : activity_->place_ranges(ranges_))
    if (options_.timeline) add_record(std::move(record));
}

// Other libraries copy too, so there are kinds that no observer has seen.
void Session::add_activity_operations() {
  for (const auto& [kind, active] : activity_->operations()) {
    OperationRow& row = operations_[kind].row;
    if (row.calls == 0) {
      row.calls = active.calls;
      row.bytes = active.bytes;
    }
    if (row.timed != 0) continue;
    row.timed = std::min(active.calls, row.calls);
    row.seconds =
        active.seconds / static_cast<double>(active.calls) * static_cast<double>(row.calls);
  }
}

// Adds what activity has recorded to rows and timeline.
void Session::place_activity(std::vector<KernelRow>& rows, double offset) {
  const std::vector<size_t> places =
      apply_activity(rows, launches_.entries(), activity_->kernels(), offset);
  if (options_.timeline) dropped_records_ += activity_->dropped_records();
  for (TimelineRecord& record : activity_->take_records()) {
    if (record.kind == RecordKind::KERNEL) record.row = places[record.row];
    add_record(std::move(record));
  }
}

}  // namespace cucore::perf
