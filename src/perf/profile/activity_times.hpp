// SPDX-License-Identifier: Apache-2.0
// The records of CUPTI's activity in windows of a session, with gaps between them. Events time the
// same kernels in the gaps, because recording slows some kernels down.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "perf/cupti/activity.hpp"
#include "perf/measure/device.hpp"
#include "perf/profile/launch_table.hpp"
#include "perf/profile/nvtx_ranges.hpp"
#include "perf/profile/sampling.hpp"

namespace cucore::perf {

// A kernel that CUPTI has recorded.
struct ActiveKernel {
  std::string name;
  LaunchGeometry geometry;
  uint32_t device = 0;  // ordinal
  uint32_t registers = 0, static_shared = 0;
  uint64_t in_graphs = 0;  // of the calls
  CallTimes times;
};

struct ActiveOperation {
  uint64_t calls = 0, bytes = 0;
  double seconds = 0;
};

class ActivityTimes {
 public:
  static constexpr double WINDOW = 0.2, GAP = 0.05;  // seconds

  // Begins a window. `now` is the host's clock, in seconds since the begin of the session. Keeps
  // `max_records` records of the timeline, and `max_ranges` ranges of NVTX.
  // @throws Error what CUPTI refuses
  ActivityTimes(double now, size_t max_records, size_t max_ranges);

  // Begins and ends windows as the time passes. Returns whether a window is open.
  bool advance(double now);

  // Waits for the work of the devices, whose records are complete then.
  void wait(const std::vector<DeviceOwner>& devices);
  // Ends the last window. If it is not complete, another thread may still wait. Call once, before
  // the following.
  void finish(double now, bool is_complete);

  const std::vector<ActiveKernel>& kernels() const { return kernels_; }
  // By kind, cucore_operation_kind.
  const std::map<uint32_t, ActiveOperation>& operations() const { return operations_; }
  // The row of a kernel is the index in kernels(), that of an operation its kind.
  std::vector<TimelineRecord> take_records() { return std::move(records_); }
  uint64_t dropped_records() const { return dropped_records_; }
  // Adds the ranges of NVTX to the table, and returns their records. Call once.
  std::vector<TimelineRecord> place_ranges(RangeTable& table) { return nvtx_.place(table, ended_); }
  // The parts that were not recorded.
  std::vector<MissingPart> missing() const;

 private:
  using Key = std::tuple<std::string, uint32_t, std::array<uint32_t, 10>>;

  void receive(const Activity& activity);
  size_t find(const Activity& activity);
  void open_window(double now);
  void close_window(double now);
  void record_ranges();
  double seconds_at(uint64_t clock) const;
  void fail(const Error& error) noexcept;

  const size_t max_records_;
  std::atomic<bool> is_open_{false}, is_failed_{false};
  std::atomic<double> next_{0};  // time of the next change

  std::mutex change_;  // guards the change of windows, and the following
  double opened_ = 0, recorded_ = 0, begun_ = 0, ended_ = 0;
  std::vector<MissingPart> failures_;

  mutable std::mutex mutex_;  // guards the following
  double base_ = 0;           // host's clock at base_clock_
  uint64_t base_clock_ = 0;   // of CUPTI
  std::map<Key, size_t> indices_;
  std::vector<ActiveKernel> kernels_;
  std::map<uint32_t, ActiveOperation> operations_;
  NvtxRanges nvtx_;
  std::vector<TimelineRecord> records_;
  uint64_t dropped_records_ = 0;
  uint64_t lost_ = 0;  // by CUPTI

  std::unique_ptr<ActivityFeed> feed_;  // ends first
};

// The kernels of a session, with the times of activity. `entries` are the entries of the first
// rows, in their order; `offset` is that of their events. Appends a row for each kernel without an
// entry. Returns the row of each of the kernels.
std::vector<size_t> apply_activity(std::vector<KernelRow>& rows,
                                   const std::deque<LaunchEntry>& entries,
                                   const std::vector<ActiveKernel>& kernels, double offset);

}  // namespace cucore::perf
