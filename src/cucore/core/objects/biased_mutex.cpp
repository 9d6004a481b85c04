// SPDX-License-Identifier: Apache-2.0
#include "core/objects/biased_mutex.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/objects/thread_fence.hpp"

namespace cucore::core {
namespace {

// How many owners have been excluded in the process, and how many may be.
std::atomic<uint32_t> exclusions{0};
constexpr uint32_t MOST_EXCLUSIONS = 256;

}  // namespace

constinit BiasedMutex::Seat BiasedMutex::nobody_;

void BiasedMutex::own() noexcept {
  // A thread inside by its seat is the owner already, or another one is excluding it.
  if (seat_in_use_ || exclusions.load(std::memory_order_relaxed) >= MOST_EXCLUSIONS) return;
  for (Seat& seat : seats_) {
    const void* const thread = seat.thread.load(std::memory_order_relaxed);
    if (thread && thread != this_thread()) continue;
    seat.thread.store(this_thread(), std::memory_order_relaxed);
    owner_.store(&seat, std::memory_order_relaxed);
    return;
  }
}

bool BiasedMutex::try_exclude_owner() noexcept {
  if (owner_.load(std::memory_order_relaxed) != &nobody_) [[unlikely]] {
    owner_.store(&nobody_, std::memory_order_relaxed);
    exclusions.fetch_add(1, std::memory_order_relaxed);
    fence_all_threads();
  }
  return std::ranges::none_of(
      seats_, [](const Seat& seat) { return seat.is_taken.load(std::memory_order_acquire); });
}

void BiasedMutex::lock_common() {
  common_.lock();
  exclude_owner();
  seat_in_use_ = nullptr;
}

void BiasedMutex::exclude_owner() noexcept {
  constexpr std::chrono::microseconds PAUSE{20};
  while (!try_exclude_owner()) std::this_thread::sleep_for(PAUSE);
}

}  // namespace cucore::core
