// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/activity_times.hpp"

#include <cmath>

#include "perf/cupti/cupti_failure.hpp"
#include "perf/profile/assemble.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::perf {
namespace {

cucore_operation_kind operation_of(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::WRITE:
      return CUCORE_OPERATION_WRITE;
    case ActivityKind::READ:
      return CUCORE_OPERATION_READ;
    case ActivityKind::FILL:
      return CUCORE_OPERATION_FILL;
    default:
      return CUCORE_OPERATION_COPY;
  }
}

void copy_extent(uint32_t (&out)[3], const uint32_t (&in)[3]) { std::copy(in, in + 3, out); }

// A cluster of one block is none.
LaunchGeometry without_single_cluster(LaunchGeometry geometry) {
  const uint32_t* cluster = geometry.cluster;
  if (uint64_t{cluster[0]} * cluster[1] * cluster[2] <= 1)
    for (uint32_t& extent : geometry.cluster) extent = 0;
  return geometry;
}

LaunchGeometry geometry_of(const Activity& activity) {
  LaunchGeometry geometry;
  copy_extent(geometry.grid, activity.grid);
  copy_extent(geometry.block, activity.block);
  copy_extent(geometry.cluster, activity.cluster);
  geometry.dynamic_shared = activity.dynamic_shared;
  return without_single_cluster(geometry);
}

}  // namespace

ActivityTimes::ActivityTimes(double now, size_t max_records, size_t max_ranges)
    : max_records_(max_records),
      begun_(now),
      nvtx_(max_ranges),
      feed_(ActivityFeed::open([this](const Activity& activity) { receive(activity); })) {
  open_window(now);
  record_ranges();
}

// Kernels are recorded also without the ranges.
void ActivityTimes::record_ranges() {
  try {
    feed_->enable_ranges();
  } catch (const Error& error) {
    failures_.push_back({"ranges of NVTX", explain(error).why,
                         "Name the parts with cucore_profiler_begin_range()."});
  }
}

double ActivityTimes::seconds_at(uint64_t clock) const {
  return base_ + static_cast<double>(static_cast<int64_t>(clock - base_clock_)) * 1e-9;
}

void ActivityTimes::open_window(double now) {
  const uint64_t clock = feed_->now();
  {
    const std::lock_guard lock(mutex_);
    if (base_clock_ == 0) {
      base_ = now;
      base_clock_ = clock;
    }
  }
  feed_->enable();
  opened_ = now;
  next_ = now + WINDOW;
  is_open_ = true;
}

void ActivityTimes::close_window(double now) {
  is_open_ = false;
  recorded_ += now - opened_;
  next_ = now + GAP;
  feed_->disable();
}

// Recording ends. Events time all launches from now on.
void ActivityTimes::fail(const Error& error) noexcept {
  is_failed_ = true;
  is_open_ = false;
  try {
    CuptiFailure failure = explain(error);
    failures_.push_back({"activity", std::move(failure.why), std::move(failure.remedy)});
  } catch (...) {
    // No memory is left for the reason.
  }
}

bool ActivityTimes::advance(double now) {
  if (is_failed_) return false;
  if (now >= next_) {
    const std::unique_lock lock(change_, std::try_to_lock);
    if (lock.owns_lock() && now >= next_ && !is_failed_) {
      try {
        if (is_open_)
          close_window(now);
        else
          open_window(now);
      } catch (const Error& error) {
        fail(error);
      }
    }
  }
  return is_open_;
}

size_t ActivityTimes::find(const Activity& activity) {
  const LaunchGeometry geometry = geometry_of(activity);
  std::array<uint32_t, 10> numbers{};
  for (size_t axis = 0; axis < 3; ++axis) {
    numbers[axis] = geometry.grid[axis];
    numbers[3 + axis] = geometry.block[axis];
    numbers[6 + axis] = geometry.cluster[axis];
  }
  numbers[9] = geometry.dynamic_shared;
  const auto [place, is_new] =
      indices_.try_emplace({activity.name, activity.device, numbers}, kernels_.size());
  if (is_new) {
    ActiveKernel& kernel = kernels_.emplace_back();
    kernel.name = activity.name;
    kernel.geometry = geometry;
    kernel.device = activity.device;
    kernel.registers = activity.registers;
    kernel.static_shared = activity.static_shared;
  }
  return place->second;
}

void ActivityTimes::receive(const Activity& activity) {
  const double seconds = static_cast<double>(activity.end - activity.start) * 1e-9;
  const std::lock_guard lock(mutex_);
  if (activity.kind == ActivityKind::RANGE_BEGIN || activity.kind == ActivityKind::RANGE_END) {
    nvtx_.add(activity, seconds_at(activity.start));
    return;
  }
  TimelineRecord record;
  record.start = seconds_at(activity.start);
  record.duration = seconds;
  record.device = activity.device;
  record.stream = activity.stream;
  if (activity.kind == ActivityKind::KERNEL) {
    record.row = find(activity);
    ActiveKernel& kernel = kernels_[record.row];
    kernel.times.add(seconds);
    kernel.in_graphs += activity.is_in_graph;
  } else {
    const cucore_operation_kind kind = operation_of(activity.kind);
    ActiveOperation& operation = operations_[static_cast<uint32_t>(kind)];
    ++operation.calls;
    operation.bytes += activity.bytes;
    operation.seconds += seconds;
    record.kind = RecordKind::OPERATION;
    record.row = static_cast<size_t>(kind);
    record.bytes = static_cast<double>(activity.bytes);
  }
  if (records_.size() >= max_records_) {
    ++dropped_records_;
    return;
  }
  record.name = record.kind == RecordKind::KERNEL
                    ? kernels_[record.row].name
                    : operation_name(static_cast<cucore_operation_kind>(record.row));
  records_.push_back(std::move(record));
}

void ActivityTimes::wait(const std::vector<DeviceOwner>& devices) {
  try {
    for (const DeviceOwner& device : devices) feed_->wait(device.get());
  } catch (const Error& error) {
    const std::lock_guard lock(change_);
    fail(error);
  }
}

void ActivityTimes::finish(double now, bool is_complete) {
  const std::lock_guard lock(change_);
  ended_ = now;
  try {
    if (is_open_) close_window(now);
    feed_->flush();
  } catch (const Error& error) {
    fail(error);
  }
  lost_ = feed_->dropped();
  if (!is_complete) (void)feed_.release();  // the other thread uses it
  feed_.reset();
}

std::vector<MissingPart> ActivityTimes::missing() const {
  std::vector<MissingPart> parts = failures_;
  const double all = ended_ - begun_;
  if (is_failed_ || recorded_ >= all) {
    // No gap, or the reason is there already.
  } else if (all > 0) {
    parts.push_back({"activity",
                     concat("Kernels of graphs and of other libraries were recorded during ",
                            static_cast<int>(std::lround(100 * recorded_ / all)),
                            " % of the time; in the gaps events timed the launches."),
                     "Multiply their calls accordingly."});
  }
  if (nvtx_.dropped() != 0)
    parts.push_back({"ranges of NVTX",
                     concat(cucore::counted(nvtx_.dropped(), "range"),
                            " beyond the limit of the session are not in the report."),
                     "Raise max_records of the profiler."});
  if (lost_ != 0)
    parts.push_back({"activity", concat("CUPTI lost ", cucore::counted(lost_, "record"), "."),
                     "Profile a shorter part of the program."});
  return parts;
}

}  // namespace cucore::perf
