// SPDX-License-Identifier: Apache-2.0
// Times one work on one stream of a device.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "perf/measure/activity_timer.hpp"
#include "perf/measure/clock_probe.hpp"
#include "perf/measure/device.hpp"
#include "perf/measure/stream_gate.hpp"

namespace cucore::perf {

// As cucore_clock.
enum class ClockKind { AUTO, EVENTS, ACTIVITY, HOST };

// Adds work to a stream. @throws Error
using Work = std::function<void(const cucore_stream*)>;

struct TimerSettings {
  ClockKind clock = ClockKind::AUTO;
  bool flush = false;
  bool block = true;
};

class WorkTimer {
 public:
  WorkTimer(const DeviceOwner& device, const StreamOwner& stream, const TimerSettings& settings);

  // Returns the seconds of `calls` calls of the work, which run after `setup`. `setup` may be
  // empty. A work that synchronises is found out by the first call, and is timed by the host's
  // clock from then on.
  double time(const Work& setup, const Work& work, uint32_t calls = 1);

  // As time(), with neither flush nor gate: for warm-up.
  double time_plainly(const Work& setup, const Work& work);

  // Measures the time of a pair of events around nothing, which time() then subtracts.
  void measure_event_offset();

  // If a sample was shorter than the offset, other work had slowed all pairs of events down. Then
  // measures the offset again, and returns whether it is less.
  bool lower_event_offset();

  ClockKind clock() const { return clock_; }
  bool is_blocked() const { return gate_ && !synchronises_; }
  bool is_flushed() const { return static_cast<bool>(flushed_); }
  bool synchronises() const { return synchronises_; }
  double event_offset() const { return event_offset_; }

 private:
  void flush();
  void synchronize() const;
  double time_by_events(const Work& work, uint32_t calls);
  double time_by_activity(const Work& work, uint32_t calls);
  double time_by_host(const Work& work, uint32_t calls);

  const DeviceOwner device_;
  const StreamOwner stream_;
  ClockKind clock_;
  const bool is_clock_chosen_;
  std::unique_ptr<StreamGate> gate_;
  EventOwner begin_, end_;
  std::unique_ptr<ActivityTimer> activity_;  // null: another clock
  BufferOwner flushed_;
  bool synchronises_ = false;
  bool has_short_sample_ = false;
  double event_offset_ = 0;
};

}  // namespace cucore::perf
