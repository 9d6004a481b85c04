// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/work_timer.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace cucore::perf {
namespace {

constexpr const char* TAKES_SAMPLE = "the measurement takes a sample";
constexpr std::chrono::milliseconds LONGEST_BLOCK{1000};
constexpr size_t FLUSHED_CACHES = 4;  // times the size of the L2 cache
constexpr uint32_t OFFSET_SAMPLES = 11;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

EventOwner timed_event(const DeviceOwner& device) {
  cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
  options.timing = 1;
  return client::created<EventOwner>(TAKES_SAMPLE, cucore_event_create, device.get(), &options);
}

// Returns nothing on a device without an L2 cache.
BufferOwner flush_buffer(const DeviceOwner& device, const StreamOwner& stream) {
  int32_t bytes = 0;
  client::call(TAKES_SAMPLE, cucore_device_attribute, device.get(),
               CUCORE_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &bytes);
  if (bytes <= 0) return {};
  return client::created<BufferOwner>(TAKES_SAMPLE, cucore_buffer_create, device.get(),
                                      static_cast<size_t>(bytes) * FLUSHED_CACHES, stream.get());
}

void call_times(const Work& work, const cucore_stream* stream, uint32_t calls) {
  for (uint32_t i = 0; i < calls; ++i) work(stream);
}

// Opens the gate also if the work fails.
class ClosedGate {
 public:
  explicit ClosedGate(StreamGate* gate) : gate_(gate) {
    if (gate_) gate_->close();
  }
  ~ClosedGate() { open(); }
  ClosedGate(const ClosedGate&) = delete;
  ClosedGate& operator=(const ClosedGate&) = delete;

  // Returns false if the gate was opened before.
  bool open() noexcept {
    StreamGate* const gate = std::exchange(gate_, nullptr);
    return !gate || gate->open();
  }

 private:
  StreamGate* gate_;
};

}  // namespace

WorkTimer::WorkTimer(const DeviceOwner& device, const StreamOwner& stream,
                     const TimerSettings& settings)
    : device_(device),
      stream_(stream),
      clock_(settings.clock == ClockKind::AUTO ? ClockKind::EVENTS : settings.clock),
      is_clock_chosen_(settings.clock != ClockKind::AUTO) {
  if (clock_ == ClockKind::EVENTS) {
    begin_ = timed_event(device);
    end_ = timed_event(device);
  }
  if (clock_ == ClockKind::ACTIVITY) activity_ = std::make_unique<ActivityTimer>(device);
  if (clock_ != ClockKind::HOST && settings.block)
    gate_ = StreamGate::create(device, stream, LONGEST_BLOCK);
  if (settings.flush) flushed_ = flush_buffer(device, stream);
}

double WorkTimer::time(const Work& setup, const Work& work, uint32_t calls) {
  if (setup) setup(stream_.get());
  if (clock_ == ClockKind::HOST) {
    flush();
    return time_by_host(work, calls);
  }
  const bool could_block = is_blocked();
  const double seconds = activity_ ? time_by_activity(work, calls) : time_by_events(work, calls);
  if (!could_block || !synchronises_) {
    has_short_sample_ = has_short_sample_ || seconds < event_offset_;
    return std::max(seconds - event_offset_, 0.0);
  }
  // The block timed out, so this sample contains the wait for it.
  if (!is_clock_chosen_) clock_ = ClockKind::HOST;
  return time(setup, work, calls);
}

double WorkTimer::time_plainly(const Work& setup, const Work& work) {
  if (setup) setup(stream_.get());
  return time_by_host(work, 1);
}

void WorkTimer::measure_event_offset() {
  if (clock_ != ClockKind::EVENTS) return;
  const Work nothing = [](const cucore_stream*) {};
  std::vector<double> times;
  for (uint32_t i = 0; i < OFFSET_SAMPLES; ++i) times.push_back(time_by_events(nothing, 1));
  event_offset_ = *std::ranges::min_element(times);  // other work on the machine only adds time
}

bool WorkTimer::lower_event_offset() {
  if (!std::exchange(has_short_sample_, false)) return false;
  const double before = event_offset_;
  measure_event_offset();
  if (event_offset_ < before) return true;
  event_offset_ = before;
  return false;
}

void WorkTimer::flush() {
  if (!flushed_) return;
  const uint32_t zero = 0;
  client::call(TAKES_SAMPLE, cucore_buffer_fill, flushed_.get(), size_t{0},
               cucore_buffer_size(flushed_.get()), &zero, sizeof zero, stream_.get());
}

void WorkTimer::synchronize() const {
  client::call(TAKES_SAMPLE, cucore_stream_synchronize, stream_.get());
}

double WorkTimer::time_by_events(const Work& work, uint32_t calls) {
  ClosedGate gate(is_blocked() ? gate_.get() : nullptr);
  flush();
  client::call(TAKES_SAMPLE, cucore_event_record, begin_.get(), stream_.get());
  call_times(work, stream_.get(), calls);
  client::call(TAKES_SAMPLE, cucore_event_record, end_.get(), stream_.get());
  if (!gate.open()) synchronises_ = true;
  client::call(TAKES_SAMPLE, cucore_event_synchronize, end_.get());
  float milliseconds = 0;
  client::call(TAKES_SAMPLE, cucore_event_elapsed, begin_.get(), end_.get(), &milliseconds);
  return double{milliseconds} * 1e-3;
}

double WorkTimer::time_by_activity(const Work& work, uint32_t calls) {
  flush();
  activity_->begin();
  ClosedGate gate(is_blocked() ? gate_.get() : nullptr);
  call_times(work, stream_.get(), calls);
  if (!gate.open()) synchronises_ = true;
  return activity_->end();
}

double WorkTimer::time_by_host(const Work& work, uint32_t calls) {
  synchronize();
  const Clock::time_point begin = Clock::now();
  call_times(work, stream_.get(), calls);
  synchronize();
  return seconds_since(begin);
}

}  // namespace cucore::perf
