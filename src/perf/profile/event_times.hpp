// SPDX-License-Identifier: Apache-2.0
// Pairs of events around launches. Their times are read when later work has passed them, so that
// nothing waits in a launch.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "perf/measure/device.hpp"

namespace cucore::perf {

// An event whose time is known. Times between events are floats, which are precise near it alone.
struct EventBase {
  EventOwner event;
  double time = 0;  // seconds since the begin of the session
};

struct EventPair {
  EventOwner begin, end;
  std::shared_ptr<const EventBase> base;  // recorded before; null: the start is not needed
  int32_t device = 0;                     // ordinal
  bool is_first = false;                  // of its entry
  bool is_idle = false;  // the stream had no work when the first event was recorded
  double host = 0;       // seconds of the host from the record of the first event to the end of
                         // the call of the work
};

// A result that arrives.
struct EventTime {
  size_t entry = 0;     // of the caller
  double seconds = 0;   // between the events, without an idle stream's wait for the work
  uint64_t stream = 0;  // number
  double start = 0;     // of the work, in seconds since the begin of the session
  bool is_first = false, is_idle = false;  // as of the pair
  double host = 0;
};

class EventTimes {
 public:
  // `has_starts`: the times of the starts are needed.
  explicit EventTimes(bool has_starts) : has_starts_(has_starts) {}

  // A stream has no more pairs than these under way; further calls are not timed.
  static constexpr size_t MOST_PENDING = 1024;

  // Records the first event of a pair. `now` is the host's clock, in seconds since the begin of the
  // session. Returns null if the call cannot be timed.
  std::unique_ptr<EventPair> begin(const cucore_device* device, const cucore_stream* stream,
                                   double now);
  // Records the second event. The entry gets its time from a later take().
  void end(std::unique_ptr<EventPair> pair, const cucore_stream* stream, size_t entry);
  // The work was not added.
  void cancel(std::unique_ptr<EventPair> pair);

  // Returns the times that have arrived on a stream, without a wait.
  std::vector<EventTime> take(const cucore_stream* stream);
  // The same for all streams.
  std::vector<EventTime> take_all();
  // Waits for all pairs, for so many seconds at most, and returns the times that have arrived.
  std::vector<EventTime> finish(double most_wait);

  uint64_t failed() const;  // pairs without a time
  uint64_t late() const;    // pairs that had not ended then

 private:
  struct Pending {
    std::unique_ptr<EventPair> pair;
    size_t entry;
  };
  using Queue = std::deque<Pending>;

  std::unique_ptr<EventPair> new_pair(const cucore_device* device, int32_t ordinal);
  std::shared_ptr<const EventBase> base_of(const cucore_device* device, const cucore_stream* stream,
                                           int32_t ordinal, double now);
  void reuse(std::unique_ptr<EventPair> pair);
  bool read(const Pending& pending, EventTime& time);
  void take_from(uint64_t stream, Queue& queue, std::vector<EventTime>& times);

  const bool has_starts_;
  mutable std::mutex mutex_;                                         // guards the following
  std::map<int32_t, std::vector<std::unique_ptr<EventPair>>> idle_;  // by device
  std::map<int32_t, std::shared_ptr<const EventBase>> bases_;
  std::map<uint64_t, Queue> pending_;  // by stream
  uint64_t failed_ = 0, late_ = 0;
};

// Returns the median time of two events without work between them, on a stream of its own.
double measure_event_offset(const cucore_device* device);

}  // namespace cucore::perf
