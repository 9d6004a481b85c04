// SPDX-License-Identifier: Apache-2.0
// A mutex that costs two atomic operations and no call unless threads wait for each other.
#pragma once

#include <atomic>
#include <cstdint>

#include "support/wait_word.hpp"

namespace cucore {

// For std::lock_guard, std::unique_lock and std::lock. Not recursive.
class QuickMutex {
 public:
  QuickMutex() = default;
  QuickMutex(const QuickMutex&) = delete;
  QuickMutex& operator=(const QuickMutex&) = delete;

  void lock() {
    if (!try_lock()) [[unlikely]]
      wait();
  }
  bool try_lock() noexcept {
    uint32_t free = FREE;
    return state_.compare_exchange_strong(free, LOCKED, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void unlock() noexcept {
    if (state_.exchange(FREE, std::memory_order_release) == AWAITED) [[unlikely]]
      wake_one(state_);
  }

 private:
  static constexpr uint32_t FREE = 0, LOCKED = 1, AWAITED = 2;

  // A thread that has waited does not see whether others still wait, so it locks as if they did.
  [[gnu::cold, gnu::noinline]] void wait() {
    while (state_.exchange(AWAITED, std::memory_order_acquire) != FREE)
      wait_while(state_, AWAITED, {});
  }

  std::atomic<uint32_t> state_{FREE};
};

}  // namespace cucore
