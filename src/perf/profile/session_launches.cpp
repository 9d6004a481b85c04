// SPDX-License-Identifier: Apache-2.0
// The launches of a session. It looks at the first ones of each kernel and geometry, and at some of
// the others, and only counts the rest.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "perf/profile/session.hpp"
#include "perf/profile/session_flight.hpp"

namespace cucore::perf {
namespace {

// The first launches of each kernel and geometry, whose arguments are all read.
constexpr uint64_t ALWAYS_SEEN = 64;
constexpr double MOST_SPACING = 512;
constexpr double MOST_SPACING_OF_ACTIVITY = 64;  // for launches that become slower
// If the arguments differ, the spacing is the number of looks so far, divided by this.
constexpr double LOOKS_PER_SPACING = 4;
// While a kernel has no time yet.
constexpr double SPACING_WITHOUT_TIME = 16;
// Between two looks, so that the windows of activity change in time.
constexpr double MOST_PAUSE = 5e-3;  // seconds

// The launches of this thread in the sessions that it has met last.
struct KnownLaunches {
  uint64_t session = 0;
  ThreadLaunches* launches = nullptr;
};
// The TLS model saves a call per launch.
alignas(64) constinit thread_local std::array<KnownLaunches, 4> known_launches
    __attribute__((tls_model("initial-exec"))){};

}  // namespace

// Returns the launches of this thread; null if the session has not met it yet.
ThreadLaunches* Session::known_launches_of_this_thread() const {
  const KnownLaunches& known = known_launches[number_ % known_launches.size()];
  return known.session == number_ ? known.launches : nullptr;
}

// Returns the row of a launch that is only counted; null for other operations. The core counts most
// of these launches itself.
LaunchRow* Session::find_counted(const cucore_operation& operation) const {
  if (operation.kind != CUCORE_OPERATION_LAUNCH || is_repeating_.load(std::memory_order_relaxed))
    return nullptr;
  ThreadLaunches* const launches = known_launches_of_this_thread();
  LaunchRow* const row = launches ? launches->find_counted(operation) : nullptr;
  if (row) set_tally(operation, *row);
  return row;
}

// Lets the core count the next launches of the row. Hardware counters may repeat a work, and its
// launches must not be counted.
void Session::set_tally(const cucore_operation& launch, LaunchRow& row) const {
  if (!counted_) known_launches_of_this_thread()->set_tally(launch, row);
}

// Call with the lock held.
ThreadLaunches& Session::launches_of_this_thread() {
  KnownLaunches& known = known_launches[number_ % known_launches.size()];
  if (known.session != number_) known = {number_, &threads_[number_of_this_thread()]};
  return *known.launches;
}

// Call with the lock held.
LaunchRow& Session::find_row(const cucore_operation& launch) {
  LaunchRow& row = launches_of_this_thread().find(launch);
  if (row.entry == NO_INDEX) row.entry = launches_.find(launch, declarations_);
  return row;
}

// Returns the mean number of launches until the next one that the session looks at. `interval` is
// the time from one to the next. Call with the lock held.
double Session::spacing_after(const LaunchRow& row, double interval) const {
  const LaunchEntry& entry = launches_.entries()[row.entry];
  if (entry.declaration || entry.seen < ALWAYS_SEEN) return 1;
  if (counted_ && counted_->may_count(row.entry)) return 1;
  double spacing = MOST_SPACING;
  if (entry.arguments.lists().size() > 1)
    spacing = std::min(spacing, static_cast<double>(entry.seen) / LOOKS_PER_SPACING);
  if (has_times() && entry.times.count() == 0) spacing = std::min(spacing, SPACING_WITHOUT_TIME);
  if (has_times() && entry.times.count() != 0)
    spacing = std::min(spacing, 1 / budget_.probability(entry.times.mean()));
  if (activity_) spacing = std::min(spacing, MOST_SPACING_OF_ACTIVITY);
  if (activity_ && interval > 0) spacing = std::min(spacing, MOST_PAUSE / interval);
  return spacing;
}

// Returns whether the launch is timed. Call with the lock held.
bool Session::look_at(const cucore_operation& launch, InFlight& flight) {
  LaunchRow& row = find_row(launch);
  LaunchEntry& entry = launches_[row.entry];
  ++entry.seen;
  flight.row = &row;
  flight.calls = row.spacing.drawn;
  flight.declaration = entry.declaration;
  const double calls = flight.calls;
  const double interval = row.visited > 0 ? (flight.start - row.visited) / calls : 0;
  row.visited = flight.start;
  budget_.add_work(launch.stream, calls * entry.times.mean_or_zero(), flight.start);
  flight.awaits_time = awaits_time(entry.begun, entry.times);
  const bool is_timed = !launch.captured && !flight.is_recorded &&
                        wants_time(launch, row.spacing.mean, entry.begun, entry.times);
  if (is_timed) flight.is_first = ++entry.begun == 1;
  row.spacing = draw_spacing(spacing_after(row, interval), launch.sequence);
  row.tally.left = row.spacing.drawn - 1;
  return is_timed;
}

// Call with the lock held.
void Session::add_launch(const cucore_operation& launch, const InFlight& flight) {
  if (!flight.row || launch.captured || launch.status != CUCORE_OK) return;
  LaunchEntry& entry = launches_[flight.row->entry];
  if (flight.declaration) entry.add(flight.declared);
  if (options_.model != ModelUse::OFF && source_ != ProfileSource::EMULATED)
    entry.arguments.add(launch, flight.calls);
}

// Adds what the threads have counted to the entries and ranges. Call with the lock held, once no
// launch runs.
void Session::add_thread_launches() {
  for (const auto& [id, thread] : threads_)
    thread.for_each([&](const LaunchRow& row) {
      if (row.entry == NO_INDEX) return;
      LaunchEntry& entry = launches_[row.entry];
      const cucore_launch_tally& tally = row.tally;
      entry.calls += tally.calls;
      entry.captured += tally.captured;
      entry.failed += tally.failed;
      ranges_.add_calls(row.key.range, row.entry, tally.calls);
      counted_launches_ += static_cast<double>(tally.calls);
      if (entry.declaration) return;  // which counts instead of hints
      entry.amounts.bytes_read += static_cast<double>(tally.bytes_read);
      entry.amounts.bytes_written += static_cast<double>(tally.bytes_written);
      entry.amounts.operations += static_cast<double>(tally.operations);
      entry.with_bytes += tally.with_bytes;
      entry.with_operations += tally.with_operations;
    });
  for (const LaunchEntry& entry : launches_.entries())
    counted_launches_ -= static_cast<double>(entry.seen);
  counted_launches_ = std::max(counted_launches_, 0.0);
}

}  // namespace cucore::perf
