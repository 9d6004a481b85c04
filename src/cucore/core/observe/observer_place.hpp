// SPDX-License-Identifier: Apache-2.0
// The places of the observers of the process. A thread announces the place whose observer it calls,
// so that a release can wait for the calls. No lock is held during a call.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "core/observe/observer.hpp"
#include "core/observe/observing_thread.hpp"

namespace cucore::core {

class ObserverPlace {
 public:
  // Returns false if the place is taken. `number` is that of the observer, from 1 on.
  bool reserve(uint64_t number) noexcept;
  void activate(const ObserverCallbacks& callbacks) noexcept;
  // Lets no further call begin, waits for those that run, and frees the place. In a call of the
  // observer itself, the end of that call waits and frees the place.
  void vacate() noexcept;

  // Of the observer; 0: none.
  uint64_t number() const noexcept { return active_number_.load(std::memory_order_acquire); }
  uint32_t kinds() const noexcept;

  // Call the observer with this number, if it is still there and observes the kind. The thread must
  // have a record and be in no call.
  bool begin(ObservingThread& thread, uint64_t number, const cucore_operation& operation,
             void** state) noexcept {
    return call(&ObserverCallbacks::begin, thread, number, operation, state);
  }
  void end(ObservingThread& thread, uint64_t number, const cucore_operation& operation,
           void** state) noexcept {
    (void)call(&ObserverCallbacks::end, thread, number, operation, state);
  }

 private:
  [[gnu::always_inline]] bool call(cucore_observe_fn ObserverCallbacks::*function,
                                   ObservingThread& thread, uint64_t number,
                                   const cucore_operation& operation, void** state) noexcept {
    thread.announce(this);
    const bool is_there = active_number_.load() == number &&
                          (callbacks_.kinds & static_cast<uint32_t>(operation.kind)) != 0;
    if (const cucore_observe_fn called = is_there ? callbacks_.*function : nullptr) {
      thread.calling = this;
      try {
        called(&operation, state, callbacks_.user_data);
      } catch (...) {
        // It must not reach the operation.
      }
      thread.calling = nullptr;
    }
    thread.leave();
    if (thread.vacated) [[unlikely]]
      std::exchange(thread.vacated, nullptr)->vacate();
    return is_there;
  }
  void free_place() noexcept;

  // Each operation reads these two, which have one line of the cache.
  alignas(64) std::atomic<uint64_t> active_number_{0};
  ObserverCallbacks callbacks_;  // constant while there is an active number, or calls run
  mutable std::mutex mutex_;     // guards callbacks_ and number_; never held during a call
  uint64_t number_ = 0;          // 0: the place is free
};

inline constexpr size_t OBSERVERS = 16;
extern constinit std::array<ObserverPlace, OBSERVERS> observer_places;

// A bit for each place with an observer.
inline constinit std::atomic<uint32_t> observed_places{0};

// Valid once there is an observer.
const OperationHandles& operation_handles() noexcept;

}  // namespace cucore::core
