// SPDX-License-Identifier: Apache-2.0
// A mutex that costs its owner, one thread, no atomic operation. For data that one thread uses many
// times, and other threads rarely.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/objects/context_access.hpp"
#include "support/quick_mutex.hpp"

namespace cucore::core {

// For std::lock_guard, std::unique_lock and std::lock. Not recursive.
//
// The first lock of another thread ends the ownership, which costs a fence for all threads. From
// then on, all threads use a common mutex. A process in which that happens often makes mutexes
// without an owner.
class BiasedMutex {
 public:
  // The calling thread is the owner.
  BiasedMutex() noexcept { own(); }
  BiasedMutex(const BiasedMutex&) = delete;
  BiasedMutex& operator=(const BiasedMutex&) = delete;

  [[gnu::always_inline]] void lock() {
    if (!enter_as_owner()) [[unlikely]]
      lock_common();
  }
  bool try_lock() {
    if (enter_as_owner()) return true;
    if (!common_.try_lock()) return false;
    if (!try_exclude_owner()) {
      common_.unlock();
      return false;
    }
    is_locked_by_owner_ = false;
    return true;
  }
  [[gnu::always_inline]] void unlock() noexcept {
    if (is_locked_by_owner_) [[likely]]
      is_owner_inside_.store(false, std::memory_order_release);
    else
      common_.unlock();
  }

  // Makes the calling thread the owner. It has locked the mutex.
  void own() noexcept;

 private:
  friend class OwnerLock;

  // The address of a variable of the thread identifies it.
  static const void* this_thread() noexcept { return &detail::thread_accesses; }

  // The owner announces itself before it checks that it is still the owner. Another thread ends the
  // ownership before it checks that the owner is not inside. A fence of the owner is not needed,
  // because the other thread makes one for all.
  [[gnu::always_inline]] bool enter_as_owner() noexcept {
    if (owner_.load(std::memory_order_relaxed) != this_thread()) [[unlikely]]
      return false;
    is_owner_inside_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (owner_.load(std::memory_order_relaxed) != this_thread()) [[unlikely]] {
      is_owner_inside_.store(false, std::memory_order_release);
      return false;
    }
    is_locked_by_owner_ = true;
    return true;
  }
  void lock_common();
  void exclude_owner() noexcept;
  bool try_exclude_owner() noexcept;

  std::atomic<const void*> owner_{nullptr};  // null: all threads use the common mutex
  std::atomic<bool> is_owner_inside_{false};
  bool is_locked_by_owner_ = false;  // of the thread that has the lock
  QuickMutex common_;
};

// A std::lock_guard without calls, where the cost of each operation matters.
class BiasedLock {
 public:
  [[gnu::always_inline]] explicit BiasedLock(BiasedMutex& mutex) : mutex_(mutex) { mutex.lock(); }
  [[gnu::always_inline]] ~BiasedLock() { mutex_.unlock(); }
  BiasedLock(const BiasedLock&) = delete;
  BiasedLock& operator=(const BiasedLock&) = delete;

  static constexpr bool is_locked() noexcept { return true; }

 private:
  BiasedMutex& mutex_;
};

// Locks if the calling thread is the owner, without a call.
class OwnerLock {
 public:
  [[gnu::always_inline]] explicit OwnerLock(BiasedMutex& mutex) noexcept
      : mutex_(mutex), is_locked_(mutex.enter_as_owner()) {}
  [[gnu::always_inline]] ~OwnerLock() {
    if (is_locked_) mutex_.is_owner_inside_.store(false, std::memory_order_release);
  }
  OwnerLock(const OwnerLock&) = delete;
  OwnerLock& operator=(const OwnerLock&) = delete;

  bool is_locked() const noexcept { return is_locked_; }

 private:
  BiasedMutex& mutex_;
  const bool is_locked_;
};

}  // namespace cucore::core
