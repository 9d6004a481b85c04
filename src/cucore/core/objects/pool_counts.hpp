// SPDX-License-Identifier: Apache-2.0
// The allocations that the library has made from a pool. The driver counts only bytes.
#pragma once

#include <atomic>
#include <cstdint>

namespace cucore::core {

class PoolCounts {
 public:
  void add_allocation(uint64_t size) noexcept {
    allocations_.fetch_add(1, std::memory_order_relaxed);
    uint64_t largest = largest_.load(std::memory_order_relaxed);
    while (largest < size &&
           !largest_.compare_exchange_weak(largest, size, std::memory_order_relaxed)) {
    }
  }
  void add_free() noexcept { frees_.fetch_add(1, std::memory_order_relaxed); }
  void add_failure() noexcept { failures_.fetch_add(1, std::memory_order_relaxed); }

  // Frees first: another thread may add an allocation and its free in between.
  uint64_t frees() const noexcept { return frees_.load(std::memory_order_acquire); }
  uint64_t allocations() const noexcept { return allocations_.load(std::memory_order_acquire); }
  uint64_t failures() const noexcept { return failures_.load(std::memory_order_relaxed); }
  uint64_t largest() const noexcept { return largest_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> allocations_{0}, frees_{0}, failures_{0}, largest_{0};
};

}  // namespace cucore::core
