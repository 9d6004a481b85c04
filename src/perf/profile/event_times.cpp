// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/event_times.hpp"

#include <algorithm>
#include <utility>

namespace cucore::perf {
namespace {

constexpr const char* PROFILES = "the profiler measures the time of events";
constexpr int OFFSETS = 21;  // pairs whose median is the offset
// The time of two events without work between them, in seconds, as on an H100 and an H200. There,
// an idle stream adds the time of the host to that of a kernel, less this.
constexpr double USUAL_OFFSET = 1.3e-6;

EventOwner timing_event(const cucore_device* device) {
  cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
  options.timing = 1;
  return client::created<EventOwner>(PROFILES, cucore_event_create, device, &options);
}

bool record(const EventOwner& event, const cucore_stream* stream) {
  return cucore_event_record(event.get(), stream, nullptr) == CUCORE_OK;
}

bool elapsed(const EventOwner& begin, const EventOwner& end, double& seconds) {
  float milliseconds = 0;
  if (cucore_event_elapsed(begin.get(), end.get(), &milliseconds, nullptr) != CUCORE_OK)
    return false;
  seconds = double{milliseconds} * 1e-3;
  return true;
}

// Default streams and those that wait for them count as busy, because a query of theirs can be
// refused for the work of others.
bool is_idle(const cucore_stream* stream) {
  int32_t done = 0;
  return cucore_stream_is_nonblocking(stream) != 0 &&
         cucore_stream_query(stream, &done, nullptr) == CUCORE_OK && done != 0;
}

// The device reaches the first event at once if the stream is idle, and then waits until the host
// has added the work. Returns the time between the events as on a busy stream. `host` is that of
// the pair. The part of the wait that a busy stream has too is in the offset of events.
double without_wait(double seconds, double host) {
  return seconds - std::clamp(host - USUAL_OFFSET, 0.0, seconds);
}

bool is_complete(const EventOwner& event) {
  int32_t done = 0;
  return cucore_event_query(event.get(), &done, nullptr) != CUCORE_OK || done != 0;
}

}  // namespace

std::unique_ptr<EventPair> EventTimes::new_pair(const cucore_device* device, int32_t ordinal) {
  {
    const std::lock_guard lock(mutex_);
    auto& idle = idle_[ordinal];
    if (!idle.empty()) {
      auto pair = std::move(idle.back());
      idle.pop_back();
      return pair;
    }
  }
  auto pair = std::make_unique<EventPair>();
  pair->begin = timing_event(device);
  pair->end = timing_event(device);
  pair->device = ordinal;
  return pair;
}

std::unique_ptr<EventPair> EventTimes::begin(const cucore_device* device,
                                             const cucore_stream* stream, double now) {
  try {
    const int32_t ordinal = cucore_device_ordinal(device);
    bool has_base = true;
    {
      const std::lock_guard lock(mutex_);
      if (pending_[cucore_stream_id(stream)].size() >= MOST_PENDING) return nullptr;
      has_base = !has_starts_ || bases_.count(ordinal) != 0;
    }
    if (!has_base) {
      EventOwner base = timing_event(device);
      if (!record(base, stream)) return nullptr;
      const std::lock_guard lock(mutex_);
      bases_.emplace(ordinal, Base{std::move(base), now});
    }
    auto pair = new_pair(device, ordinal);
    pair->is_first = false;
    pair->is_idle = is_idle(stream);
    if (record(pair->begin, stream)) return pair;
    cancel(std::move(pair));
  } catch (...) {
    // No memory or no event is left: the call is not timed.
  }
  return nullptr;
}

void EventTimes::end(std::unique_ptr<EventPair> pair, const cucore_stream* stream, size_t entry) {
  if (!record(pair->end, stream)) return cancel(std::move(pair));
  const std::lock_guard lock(mutex_);
  pending_[cucore_stream_id(stream)].push_back({std::move(pair), entry});
}

void EventTimes::cancel(std::unique_ptr<EventPair> pair) {
  const std::lock_guard lock(mutex_);
  idle_[pair->device].push_back(std::move(pair));
}

bool EventTimes::read(const Pending& pending, EventTime& time) const {
  const EventPair& pair = *pending.pair;
  time.entry = pending.entry;
  if (!elapsed(pair.begin, pair.end, time.seconds)) return false;
  time.is_first = pair.is_first;
  time.is_idle = pair.is_idle;
  time.host = pair.host;
  if (pair.is_idle) time.seconds = without_wait(time.seconds, pair.host);
  if (!has_starts_) return true;
  const Base& base = bases_.at(pair.device);
  double since = 0;
  if (!elapsed(base.event, pair.begin, since)) return false;
  time.start = base.time + since;
  return true;
}

// The pairs of a stream complete in their order.
void EventTimes::take_from(uint64_t stream, Queue& queue, std::vector<EventTime>& times) {
  while (!queue.empty() && is_complete(queue.front().pair->end)) {
    Pending pending = std::move(queue.front());
    queue.pop_front();
    EventTime time;
    time.stream = stream;
    if (read(pending, time))
      times.push_back(time);
    else
      ++failed_;
    idle_[pending.pair->device].push_back(std::move(pending.pair));
  }
}

std::vector<EventTime> EventTimes::take(const cucore_stream* stream) {
  std::vector<EventTime> times;
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(cucore_stream_id(stream));
  if (found != pending_.end()) take_from(found->first, found->second, times);
  return times;
}

std::vector<EventTime> EventTimes::take_all() {
  std::vector<EventTime> times;
  const std::lock_guard lock(mutex_);
  for (auto& [stream, queue] : pending_) take_from(stream, queue, times);
  return times;
}

// No call of a launch runs any more, so the lock may be held during the waits.
std::vector<EventTime> EventTimes::finish() {
  std::vector<EventTime> times;
  const std::lock_guard lock(mutex_);
  for (auto& [stream, queue] : pending_) {
    for (const Pending& pending : queue)
      (void)cucore_event_synchronize(pending.pair->end.get(), nullptr);
    take_from(stream, queue, times);
    failed_ += queue.size();
    queue.clear();
  }
  return times;
}

uint64_t EventTimes::failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

double measure_event_offset(const cucore_device* device) {
  const auto stream = client::created<StreamOwner>(PROFILES, cucore_stream_create, device, nullptr);
  const EventOwner begin = timing_event(device), end = timing_event(device);
  std::vector<double> offsets;
  for (int i = 0; i < OFFSETS; ++i) {
    double seconds = 0;
    if (!record(begin, stream.get()) || !record(end, stream.get()) ||
        cucore_event_synchronize(end.get(), nullptr) != CUCORE_OK || !elapsed(begin, end, seconds))
      return 0;
    offsets.push_back(seconds);
  }
  std::nth_element(offsets.begin(), offsets.begin() + OFFSETS / 2, offsets.end());
  return offsets[OFFSETS / 2];
}

}  // namespace cucore::perf
