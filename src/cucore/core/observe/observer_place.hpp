// SPDX-License-Identifier: Apache-2.0
// The places of the observers of the process. A place counts the calls of its observer, so that a
// release can wait for their end, and no lock is held during a call.
#pragma once

#include <array>
#include <atomic>
#include <mutex>

#include "core/observe/observer.hpp"

namespace cucore::core {

class ObserverPlace {
 public:
  // Returns false if the place is taken. `number` is that of the observer, from 1 on.
  bool reserve(uint64_t number) noexcept;
  void activate(const ObserverCallbacks& callbacks) noexcept;
  // Lets no further call begin, and waits for those that run, except one of this thread. The last
  // call then frees the place.
  void vacate() noexcept;

  // Of the observer; 0: none.
  uint64_t number() const noexcept { return active_number_.load(std::memory_order_acquire); }
  uint32_t kinds() const noexcept;

  // Call the observer with this number, if it is still there and observes the kind.
  bool begin(uint64_t number, const cucore_operation& operation, void** state) noexcept;
  void end(uint64_t number, const cucore_operation& operation, void** state) noexcept;

  // Returns whether this thread is in a call of an observer.
  static bool is_in_call() noexcept;

 private:
  bool enter(uint64_t number, uint32_t kind) noexcept;
  void leave() noexcept;
  void call(cucore_observe_fn fn, const cucore_operation& operation, void** state) noexcept;
  void free_place() noexcept;

  mutable std::mutex mutex_;     // guards the following three; never held during a call
  uint64_t number_ = 0;          // 0: the place is free
  ObserverCallbacks callbacks_;  // constant while calls run
  bool is_left_ = false;         // the last call frees the place
  std::atomic<uint64_t> active_number_{0};
  std::atomic<uint32_t> running_{0};
};

inline constexpr size_t OBSERVERS = 16;
extern constinit std::array<ObserverPlace, OBSERVERS> observer_places;

// Valid once there is an observer.
const OperationHandles& operation_handles() noexcept;

}  // namespace cucore::core
