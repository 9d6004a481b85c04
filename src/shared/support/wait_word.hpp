// SPDX-License-Identifier: Apache-2.0
// A word that threads wait on until another thread changes it. It has four bytes, where a mutex and
// a condition variable have ninety, and a fork cannot leave it locked.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace cucore {

// The time at which a wait ends; nullopt: never.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

// Returns the deadline that begins now; a negative timeout means never.
Deadline deadline_after(int64_t timeout_ns);

inline bool is_over(const Deadline& deadline) {
  return deadline && std::chrono::steady_clock::now() >= *deadline;
}

// Returns when the word is not `expected`, the deadline is over, or spuriously.
void wait_while(const std::atomic<uint32_t>& word, uint32_t expected, const Deadline& deadline);

void wake_one(const std::atomic<uint32_t>& word) noexcept;
void wake_all(const std::atomic<uint32_t>& word) noexcept;

// Returns the number of cores of the machine.
unsigned cores() noexcept;

// A thread that waits for running work makes timed waits, which end by themselves. A wake-up by
// another thread costs 20 to 400 us on an idle core (bench/results); a timer of its own costs about
// 3 us. Each timed wait is 1/64 of the time waited so far, which bounds the delay after the end.
// Timed waits end on time; by default the kernel may add 50 us to each sleep. If many more threads
// wait than there are cores, the rest sleep until they are woken. Otherwise they would slow each
// other and the work.
class TimedWaits {
 public:
  static constexpr unsigned MOST_A_CORE = 2;

  explicit TimedWaits(int64_t shortest_ns);
  ~TimedWaits();
  TimedWaits(const TimedWaits&) = delete;

  // Ends early if the word is not `expected` or is woken. After timed waits of 1 ms the thread
  // sleeps until it is woken or the deadline is over.
  void wait_while(const std::atomic<uint32_t>& word, uint32_t expected, const Deadline& deadline);

 private:
  const std::chrono::nanoseconds shortest_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const bool is_one_too_many_;
  int slack_ns_ = 0;  // timer slack of the thread before

  static inline std::atomic<unsigned> waiting_{0};
};

// Pauses in a loop that waits a few microseconds without sleeping; `turn` counts the rounds.
void spin_pause(unsigned turn) noexcept;

// Locks a mutex that is held for moments; going to sleep for it takes longer than it is held.
inline std::unique_lock<std::mutex> lock_briefly(std::mutex& mutex) {
  for (unsigned turn = 0; turn < 100; ++turn) {
    if (mutex.try_lock()) return {mutex, std::adopt_lock};
    spin_pause(turn);
  }
  return std::unique_lock(mutex);
}

}  // namespace cucore
