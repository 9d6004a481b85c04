// SPDX-License-Identifier: Apache-2.0
// Counters of a cache, updated by any number of threads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "cache/counters.hpp"

namespace cucore::cache {

class Store;

enum class Event : size_t {
#define EVENT(name, field) name,
#include "cache/events.inc"
#undef EVENT
  COUNT
};
static_assert(static_cast<size_t>(Event::COUNT) <= Counters::EVENTS);

class Statistics {
 public:
  void count(Event event, uint64_t by = 1) {
    counts_[static_cast<size_t>(event)].fetch_add(by, std::memory_order_relaxed);
  }
  uint64_t of(Event event) const {
    return counts_[static_cast<size_t>(event)].load(std::memory_order_relaxed);
  }
  // Returns the additions since the last call.
  Counters::Events take_news() {
    Counters::Events news{};
    for (size_t i = 0; i < static_cast<size_t>(Event::COUNT); ++i) {
      const uint64_t now = counts_[i].load(std::memory_order_relaxed);
      news[i] = now - flushed_[i].exchange(now, std::memory_order_relaxed);
    }
    return news;
  }

  // Adds the news to the numbers of all processes, if the folder is writable.
  void flush(Store& store);

 private:
  std::array<std::atomic<uint64_t>, Counters::EVENTS> counts_{}, flushed_{};
};

}  // namespace cucore::cache
