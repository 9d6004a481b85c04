// SPDX-License-Identifier: Apache-2.0
// What becomes of the driver when the process forks or exits, and mutexes that survive a fork.
#pragma once

#include <mutex>

namespace cucore::driver {

// A mutex that is free again in the child of a fork, whoever held it in the parent: the thread that
// would release it does not exist there. What it guards must stay usable half-done: it is published
// by one store, last. Lives until the process ends.
class ForkSafeMutex {
 public:
  ForkSafeMutex();
  ForkSafeMutex(const ForkSafeMutex&) = delete;
  ForkSafeMutex& operator=(const ForkSafeMutex&) = delete;

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  friend void renew_mutexes_in_child() noexcept;

  std::mutex mutex_;
  ForkSafeMutex* next_ = nullptr;
};

// From the first attempt to open the driver on: a fork while it goes on, or after it has succeeded,
// loses the driver in the child.
void begin_opening() noexcept;
void end_opening() noexcept;

// Called once the driver is in use, so that exiting() turns true before its own exit work begins.
void watch_exit() noexcept;

}  // namespace cucore::driver
