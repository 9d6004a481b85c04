// SPDX-License-Identifier: Apache-2.0
#include "support/wait_word.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <thread>

namespace cucore {
namespace {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

long futex(const std::atomic<uint32_t>& word, int operation, uint32_t value,
           const timespec* until) noexcept {
  return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, until, nullptr,
                 FUTEX_BITSET_MATCH_ANY);
}

timespec to_timespec(std::chrono::steady_clock::time_point when) {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(when.time_since_epoch());
  return {static_cast<time_t>(since.count() / 1'000'000'000), since.count() % 1'000'000'000};
}

}  // namespace

Deadline deadline_after(int64_t timeout_ns) {
  // 73 years; a longer wait could overflow the clock
  constexpr int64_t FOR_EVER = int64_t{1} << 61;
  if (timeout_ns < 0 || timeout_ns > FOR_EVER) return std::nullopt;
  return std::chrono::steady_clock::now() + std::chrono::nanoseconds(timeout_ns);
}

void wait_while(const std::atomic<uint32_t>& word, uint32_t expected, const Deadline& deadline) {
  if (!deadline) {
    futex(word, FUTEX_WAIT_BITSET, expected, nullptr);
    return;
  }
  const timespec until = to_timespec(*deadline);  // on CLOCK_MONOTONIC, the clock of steady_clock
  futex(word, FUTEX_WAIT_BITSET, expected, &until);
}

unsigned cores() noexcept {
  static const unsigned count = std::max(1u, std::thread::hardware_concurrency());
  return count;
}

TimedWaits::TimedWaits(int64_t shortest_ns)
    : shortest_(shortest_ns), is_one_too_many_(waiting_.fetch_add(1) >= MOST_A_CORE * cores()) {
  if (is_one_too_many_) return;
  slack_ns_ = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  if (slack_ns_ > 1) prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
}

TimedWaits::~TimedWaits() {
  waiting_.fetch_sub(1);
  if (slack_ns_ > 1) prctl(PR_SET_TIMERSLACK, slack_ns_, 0, 0, 0);
}

void TimedWaits::wait_while(const std::atomic<uint32_t>& word, uint32_t expected,
                            const Deadline& deadline) {
  constexpr std::chrono::nanoseconds LONGEST{1'000'000};
  const auto now = std::chrono::steady_clock::now();
  const auto time = std::max(shortest_, (now - begin_) / 64);
  if (is_one_too_many_ || time > LONGEST || (deadline && *deadline < now + time))
    return cucore::wait_while(word, expected, deadline);
  cucore::wait_while(word, expected, now + time);
}

void wake_one(const std::atomic<uint32_t>& word) noexcept { futex(word, FUTEX_WAKE, 1, nullptr); }

void wake_all(const std::atomic<uint32_t>& word) noexcept {
  futex(word, FUTEX_WAKE, INT_MAX, nullptr);
}

void spin_pause(unsigned turn) noexcept {
  if (turn % 16 == 15) {
    sched_yield();  // with few cores, the awaited thread may need this one
    return;
  }
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

}  // namespace cucore
