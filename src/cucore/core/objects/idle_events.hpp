// SPDX-License-Identifier: Apache-2.0
// Events of the driver that have no pending work, kept for the next events of the same flags.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "driver/cuda.hpp"

namespace cucore::core {

// Of one context, with which the events are destroyed. Needs no lock, so a fork cannot leave it
// locked.
class IdleEvents {
 public:
  // Returns null if it has no event of these flags.
  CUevent take(unsigned flags) noexcept {
    if (!is_kept(flags)) return nullptr;
    for (std::atomic<CUevent>& place : places_[flags])
      if (place.load(std::memory_order_relaxed))
        if (const CUevent event = place.exchange(nullptr, std::memory_order_acquire)) return event;
    return nullptr;
  }

  // The work of the last record must be complete, and nobody else may use the event. Returns false
  // if the pool is full or does not keep events of these flags.
  bool put(unsigned flags, CUevent event) noexcept {
    if (!is_kept(flags)) return false;
    for (std::atomic<CUevent>& place : places_[flags]) {
      CUevent expected = nullptr;
      if (!place.load(std::memory_order_relaxed) &&
          place.compare_exchange_strong(expected, event, std::memory_order_release,
                                        std::memory_order_relaxed))
        return true;
    }
    return false;
  }

  // While checks run, each event has an event of the driver of its own, so that leaks are visible.
  static void pause(bool paused) noexcept { paused_.store(paused, std::memory_order_relaxed); }

 private:
  static constexpr unsigned KINDS = 4;  // with and without CU_EVENT_BLOCKING_SYNC and timing
  static constexpr size_t MOST = 16;
  static_assert((CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING) == KINDS - 1);

  static bool is_kept(unsigned flags) noexcept {
    return flags < KINDS && !paused_.load(std::memory_order_relaxed);
  }

  static inline std::atomic<bool> paused_{false};
  std::array<std::array<std::atomic<CUevent>, MOST>, KINDS> places_{};
};

}  // namespace cucore::core
