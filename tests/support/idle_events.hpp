// SPDX-License-Identifier: Apache-2.0
// Fills the places in which the library keeps idle events. Counts of live objects then do not
// depend on the number of earlier releases.
#pragma once

#include <cucore.h>

#include <cstdint>
#include <cstdlib>

namespace test_support {

// Of one context: with and without timing, and with and without sleeping waits.
inline constexpr uint64_t IDLE_EVENTS_OF_ONE_KIND = 16;
inline constexpr uint64_t IDLE_EVENTS = 4 * IDLE_EVENTS_OF_ONE_KIND;

inline void fill_idle_events(const cucore_device* device) {
  for (int32_t kind = 0; kind < 4; ++kind) {
    cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
    options.timing = kind & 1;
    options.blocking_sync = kind >> 1;
    cucore_event* events[IDLE_EVENTS_OF_ONE_KIND] = {};
    for (cucore_event*& event : events)
      if (cucore_event_create(device, &options, &event, nullptr) != CUCORE_OK) std::abort();
    for (cucore_event* event : events) cucore_event_release(event);
  }
}

}  // namespace test_support
