/// @file cucore/event.hpp
/// Events: points in the work of a stream.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_EVENT_HPP_INCLUDED
#define CUCORE_EVENT_HPP_INCLUDED

#include <cstdint>

#include "stream.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// Options of an event.
struct EventOptions {
  bool timing = false;         ///< elapsed() works; costs a little on each record
  bool blocking_sync = false;  ///< synchronize() sleeps instead of spinning
  bool interprocess = false;   ///< may be shared with other processes; not with timing
};

/// A point in the work of a stream.
class Event : public Owner<Event, cucore_event> {
 public:
  Event() noexcept {}

  /// Makes an event that is not recorded yet.
  static Returned<Event> create(const Device& device, const EventOptions& options = {});

  Returned<Device> device() const { return make<Device>(cucore_event_device, get()); }
  bool has_timing() const noexcept { return cucore_event_has_timing(get()) != 0; }
  /// Whether waits sleep instead of spinning.
  bool is_blocking_sync() const noexcept { return cucore_event_is_blocking_sync(get()) != 0; }

  /// Moves the event to the end of the present work of the stream.
  Returned<void> record(const Stream& stream) const {
    return call(cucore_event_record, get(), stream.get());
  }

  /// In a capture: adds a node that records the event at each launch.
  Returned<void> record_in_graph(const Stream& stream) const {
    return call(cucore_event_record_in_graph, get(), stream.get());
  }

  /// Waits until the event is complete; an event that was never recorded is.
  Returned<void> synchronize() const { return call(cucore_event_synchronize, get()); }

  /// Whether the event is complete; does not wait.
  Returned<bool> query() const { return value<std::int32_t, bool>(cucore_event_query, get()); }

  /// The time from this event to `end`. Fails with NOT_READY if one is not complete, with
  /// INVALID_STATE if one was made without timing or was never recorded.
  Returned<Milliseconds> elapsed(const Event& end) const {
    return value<float, Milliseconds>(cucore_event_elapsed, get(), end.get());
  }

  /// The CUevent: `native<CUevent>()`.
  template <class T = void*>
  T native() const noexcept {
    return static_cast<T>(cucore_event_native(get()));
  }
};

inline Returned<void> Stream::wait_event(const Event& event) const {
  return call(cucore_stream_wait_event, get(), event.get());
}

inline Returned<void> Stream::wait_in_graph(const Event& event) const {
  return call(cucore_stream_wait_in_graph, get(), event.get());
}

inline Returned<Event> Event::create(const Device& device, const EventOptions& options) {
  cucore_event_options c = CUCORE_EVENT_OPTIONS_INIT;
  c.timing = options.timing;
  c.blocking_sync = options.blocking_sync;
  c.interprocess = options.interprocess;
  return make<Event>(cucore_event_create, device.get(), &c);
}

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_EVENT_HPP_INCLUDED
