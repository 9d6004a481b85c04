// SPDX-License-Identifier: Apache-2.0
// The driver at a fork or an exit of the process, and mutexes that survive a fork.
#pragma once

#include <mutex>

namespace cucore::driver {

// A mutex that is free in the child of a fork, whoever held it in the parent. The thread that would
// release it does not exist in the child. The guarded data must stay valid when half-written: one
// store publishes it last. Lives until the process ends.
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

// Called before the first attempt to open the driver: a fork during it, or after its success, loses
// the driver in the child.
void begin_opening() noexcept;
void end_opening() noexcept;

// Called once the driver is in use, so that exiting() turns true before its own exit handler runs.
void watch_exit() noexcept;

}  // namespace cucore::driver
