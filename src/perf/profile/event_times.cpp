// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/event_times.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

namespace cucore::perf {
namespace {

constexpr const char* PROFILES = "the profiler measures the time of events";
constexpr int OFFSETS = 21;  // pairs whose median is the offset
// The time of two events without work between them, in seconds, as on an H100 and an H200. There,
// an idle stream adds the time of the host to that of a kernel, less this.
constexpr double USUAL_OFFSET = 1.3e-6;
constexpr double MOST_SINCE_BASE = 10;  // seconds, which a float has to a microsecond

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

class Deadline {
 public:
  explicit Deadline(double seconds) : seconds_(seconds), begin_(Clock::now()) {}
  bool is_none() const { return std::isinf(seconds_); }
  bool has_passed() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count() >= seconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const double seconds_;
  const Clock::time_point begin_;
};

void wait_until(const EventOwner& event, const Deadline& deadline) {
  constexpr std::chrono::microseconds PAUSE(200);
  if (deadline.is_none()) {
    (void)cucore_event_synchronize(event.get(), nullptr);
    return;
  }
  while (!is_complete(event) && !deadline.has_passed()) std::this_thread::sleep_for(PAUSE);
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

// The first base of a device has the time of the host. Returns null if it cannot be recorded.
std::shared_ptr<const EventBase> EventTimes::base_of(const cucore_device* device,
                                                     const cucore_stream* stream, int32_t ordinal,
                                                     double now) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = bases_.find(ordinal); found != bases_.end()) return found->second;
  }
  EventOwner event = timing_event(device);
  if (!record(event, stream)) return nullptr;
  auto base = std::make_shared<const EventBase>(EventBase{std::move(event), now});
  const std::lock_guard lock(mutex_);
  return bases_.try_emplace(ordinal, std::move(base)).first->second;
}

std::unique_ptr<EventPair> EventTimes::begin(const cucore_device* device,
                                             const cucore_stream* stream, double now) {
  try {
    const int32_t ordinal = cucore_device_ordinal(device);
    {
      const std::lock_guard lock(mutex_);
      if (pending_[cucore_stream_id(stream)].size() >= MOST_PENDING) return nullptr;
    }
    auto base = has_starts_ ? base_of(device, stream, ordinal, now) : nullptr;
    if (has_starts_ && !base) return nullptr;
    auto pair = new_pair(device, ordinal);
    pair->base = std::move(base);
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
  reuse(std::move(pair));
}

// Call with the lock held. The first event of the pair may be a base now.
void EventTimes::reuse(std::unique_ptr<EventPair> pair) {
  pair->base.reset();
  if (pair->begin) idle_[pair->device].push_back(std::move(pair));
}

// A pair that began long after its base becomes the base of the next ones. It has ended, so that it
// precedes them.
bool EventTimes::read(const Pending& pending, EventTime& time) {
  EventPair& pair = *pending.pair;
  time.entry = pending.entry;
  if (!elapsed(pair.begin, pair.end, time.seconds)) return false;
  time.is_first = pair.is_first;
  time.is_idle = pair.is_idle;
  time.host = pair.host;
  if (pair.is_idle) time.seconds = without_wait(time.seconds, pair.host);
  if (!has_starts_) return true;
  double since = 0;
  if (!elapsed(pair.base->event, pair.begin, since)) return false;
  time.start = pair.base->time + since;
  if (since > MOST_SINCE_BASE && bases_[pair.device] == pair.base)
    bases_[pair.device] =
        std::make_shared<const EventBase>(EventBase{std::move(pair.begin), time.start});
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
    reuse(std::move(pending.pair));
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
std::vector<EventTime> EventTimes::finish(double most_wait) {
  std::vector<EventTime> times;
  const Deadline deadline(most_wait);
  const std::lock_guard lock(mutex_);
  for (auto& [stream, queue] : pending_) {
    for (const Pending& pending : queue) wait_until(pending.pair->end, deadline);
    take_from(stream, queue, times);
    late_ += queue.size();
    queue.clear();
  }
  return times;
}

uint64_t EventTimes::late() const {
  const std::lock_guard lock(mutex_);
  return late_;
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
