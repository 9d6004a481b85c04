// A word that threads wait on until another changes it: four bytes where a mutex and a condition
// would be ninety, and nothing that a fork could leave locked.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
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

// For loops that wait a few microseconds without sleeping: `turn` counts the rounds.
void spin_pause(unsigned turn) noexcept;

}  // namespace cucore
