// SPDX-License-Identifier: Apache-2.0
#include "core/objects/biased_mutex.hpp"

#include <chrono>
#include <thread>

#include "core/objects/thread_fence.hpp"

namespace cucore::core {
namespace {

// How many owners have been excluded in the process, and how many may be.
std::atomic<uint32_t> exclusions{0};
constexpr uint32_t MOST_EXCLUSIONS = 256;

}  // namespace

void BiasedMutex::own() noexcept {
  if (exclusions.load(std::memory_order_relaxed) < MOST_EXCLUSIONS)
    owner_.store(this_thread(), std::memory_order_relaxed);
}

bool BiasedMutex::try_exclude_owner() noexcept {
  if (owner_.load(std::memory_order_relaxed)) [[unlikely]] {
    owner_.store(nullptr, std::memory_order_relaxed);
    exclusions.fetch_add(1, std::memory_order_relaxed);
    fence_all_threads();
  }
  return !is_owner_inside_.load(std::memory_order_acquire);
}

void BiasedMutex::lock_common() {
  common_.lock();
  exclude_owner();
  is_locked_by_owner_ = false;
}

void BiasedMutex::exclude_owner() noexcept {
  constexpr std::chrono::microseconds PAUSE{20};
  while (!try_exclude_owner()) std::this_thread::sleep_for(PAUSE);
}

}  // namespace cucore::core
