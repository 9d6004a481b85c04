// SPDX-License-Identifier: Apache-2.0
// The check that precedes each operation: whether an observer observes its kind.
#pragma once

#include <cucore.h>

#include <atomic>
#include <cstdint>

namespace cucore::core {

class ObserverPlace;

// Each operation reads it first, so it is one line of the cache.
struct alignas(64) Observed {
  std::atomic<uint32_t> kinds{0};  // of all observers
  // The number of the only observer of launches, which may have tallies; 0: none, or several.
  std::atomic<uint64_t> launch_observer{0};
  // The place of the last one. A thread that reads it, and then the number of that observer, has
  // the right place, because it changes only while the number is 0.
  std::atomic<const ObserverPlace*> launch_place{nullptr};
};

inline constinit Observed observed;

inline bool is_observed(cucore_operation_kind kind) noexcept {
  return observed.kinds.load(std::memory_order_relaxed) & static_cast<uint32_t>(kind);
}

}  // namespace cucore::core
