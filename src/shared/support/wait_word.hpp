// SPDX-License-Identifier: Apache-2.0
// A word that threads wait on until another changes it: four bytes where a mutex and a condition
// would be ninety, and nothing that a fork could leave locked.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace cucore {

// When a wait ends; none: never.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

// From now; negative: never.
Deadline deadline_after(int64_t timeout_ns);

inline bool is_over(const Deadline& deadline) {
  return deadline && std::chrono::steady_clock::now() >= *deadline;
}

// Returns once the word is not `expected`, the deadline is over, or for no reason at all.
void wait_while(const std::atomic<uint32_t>& word, uint32_t expected, const Deadline& deadline);

void wake_one(const std::atomic<uint32_t>& word) noexcept;
void wake_all(const std::atomic<uint32_t>& word) noexcept;

// Of the machine.
unsigned cores() noexcept;

// A thread that waits for work that is under way sleeps in naps that it ends itself: to be woken by
// another costs a core that has gone idle 20 to 400 us (bench/results), an own timer of a moment 3.
// Each nap is a 64th of what has been waited for so far, so the end is heard of about that late.
// Naps of this thread end on time: the kernel may otherwise let 50 us more pass, as for all others.
// Where many more threads wait than there are cores, the rest sleep: they would keep each other,
// and the work, from going on.
class Naps {
 public:
  static constexpr unsigned MOST_A_CORE = 2;

  explicit Naps(int64_t shortest_ns);
  ~Naps();
  Naps(const Naps&) = delete;

  // Ends early if the word is not `expected` or is woken. Past naps of 1 ms it sleeps until it is
  // woken or the deadline is over.
  void wait_while(const std::atomic<uint32_t>& word, uint32_t expected, const Deadline& deadline);

 private:
  const std::chrono::nanoseconds shortest_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const bool is_one_too_many_;
  int slack_ns_ = 0;  // of the thread's timers, before

  static inline std::atomic<unsigned> napping_{0};
};

// For loops that wait a few microseconds without sleeping: `turn` counts the rounds.
void spin_pause(unsigned turn) noexcept;

// Of a mutex that is held for moments: going to sleep for it takes longer than it is held.
inline std::unique_lock<std::mutex> lock_briefly(std::mutex& mutex) {
  for (unsigned turn = 0; turn < 100; ++turn) {
    if (mutex.try_lock()) return {mutex, std::adopt_lock};
    spin_pause(turn);
  }
  return std::unique_lock(mutex);
}

}  // namespace cucore
