// SPDX-License-Identifier: Apache-2.0
// A mutex that costs its owner, one thread, no atomic operation. For data that one thread uses many
// times, and other threads rarely.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

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
    if (Seat* const seat = enter_as_owner()) [[likely]]
      seat_in_use_ = seat;
    else
      lock_common();
  }
  bool try_lock() {
    if (Seat* const seat = enter_as_owner()) {
      seat_in_use_ = seat;
      return true;
    }
    if (!common_.try_lock()) return false;
    if (!try_exclude_owner()) {
      common_.unlock();
      return false;
    }
    seat_in_use_ = nullptr;
    return true;
  }
  [[gnu::always_inline]] void unlock() noexcept {
    if (seat_in_use_) [[likely]]
      leave(*seat_in_use_);
    else
      common_.unlock();
  }

  // Makes the calling thread the owner. It has locked the mutex. Nothing happens after several
  // owners.
  void own() noexcept;

 private:
  friend class OwnerLock;

  // The place in which one thread announces that it is inside. Each owner has its own, because a
  // former one may still be about to announce itself, and then to take that back.
  struct Seat {
    std::atomic<const void*> thread{nullptr};  // does not change once it is set
    std::atomic<bool> is_taken{false};
  };
  static constexpr size_t SEATS = 3;
  static Seat nobody_;

  // The address of a variable of the thread identifies it.
  static const void* this_thread() noexcept { return &detail::thread_accesses; }

  // Returns the seat of the calling thread, or null unless the thread is the owner and outside. The
  // owner announces itself before it checks that it is still the owner. Another thread ends the
  // ownership before it checks that the owner is not inside. A fence of the owner is not needed,
  // because the other thread makes one for all. A thread may have the address and the seat of one
  // that has ended, whose work it then acquires.
  [[gnu::always_inline]] Seat* enter_as_owner() noexcept {
    Seat* const seat = owner_.load(std::memory_order_relaxed);
    if (seat->thread.load(std::memory_order_relaxed) != this_thread() ||
        seat->is_taken.load(std::memory_order_acquire)) [[unlikely]]
      return nullptr;
    seat->is_taken.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (owner_.load(std::memory_order_relaxed) != seat) [[unlikely]] {
      leave(*seat);
      return nullptr;
    }
    return seat;
  }
  [[gnu::always_inline]] static void leave(Seat& seat) noexcept {
    seat.is_taken.store(false, std::memory_order_release);
  }
  void lock_common();
  void exclude_owner() noexcept;
  bool try_exclude_owner() noexcept;

  std::atomic<Seat*> owner_{&nobody_};  // without an owner, all threads use the common mutex
  Seat* seat_in_use_ = nullptr;         // of the thread that has the lock; null: the common mutex
  std::array<Seat, SEATS> seats_;
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
      : seat_(mutex.enter_as_owner()) {}
  [[gnu::always_inline]] ~OwnerLock() {
    if (seat_) BiasedMutex::leave(*seat_);
  }
  OwnerLock(const OwnerLock&) = delete;
  OwnerLock& operator=(const OwnerLock&) = delete;

  bool is_locked() const noexcept { return seat_ != nullptr; }

 private:
  BiasedMutex::Seat* const seat_;
};

}  // namespace cucore::core
