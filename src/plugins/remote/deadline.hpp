// SPDX-License-Identifier: Apache-2.0
// The time at which a request to a remote must end, with or without a result.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace cucore::remote {

class Deadline {
 public:
  explicit Deadline(uint32_t milliseconds)
      : end_(Clock::now() + std::chrono::milliseconds(milliseconds)) {}

  bool has_passed() const { return Clock::now() >= end_; }
  // Returns the remaining time for poll(), at least 0.
  int milliseconds_left() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, INT32_MAX));
  }
  Deadline earlier(const Deadline& other) const { return end_ < other.end_ ? *this : other; }

  using Clock = std::chrono::steady_clock;
  Clock::time_point end() const { return end_; }

 private:
  Clock::time_point end_;
};

}  // namespace cucore::remote
