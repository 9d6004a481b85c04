// SPDX-License-Identifier: Apache-2.0
// The host memory that the blocks of one launch may occupy together.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace cucore::cpu {

class MemoryBudget {
 public:
  // `setting` names what sets the limit, for texts.
  void set_limit(uint64_t bytes, const char* setting = "CUCORE_CPU_LAUNCH_MEMORY") {
    limit_ = bytes;
    setting_ = setting;
  }
  uint64_t limit() const { return limit_; }

  // Returns false, and takes nothing, if that would exceed the limit.
  bool take(uint64_t bytes) { return take_up_to(bytes, limit_); }
  // Does the same, but leaves half for the stacks of running blocks.
  bool take_from_first_half(uint64_t bytes) { return take_up_to(bytes, limit_ / 2); }
  // Does the same, but only if nothing is taken.
  bool take_if_unused(uint64_t bytes) {
    uint64_t none = 0;
    return bytes <= limit_ && used_.compare_exchange_strong(none, bytes);
  }
  void give_back(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  // Returns "a launch has 201326592 bytes, of which 4096 are free; CUCORE_CPU_LAUNCH_MEMORY sets
  // this budget".
  std::string describe() const;

 private:
  bool take_up_to(uint64_t bytes, uint64_t limit) {
    uint64_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit || used > limit - bytes) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }

  uint64_t limit_ = 0;
  const char* setting_ = "";
  std::atomic<uint64_t> used_{0};
};

inline std::string MemoryBudget::describe() const {
  const uint64_t used = used_.load(std::memory_order_relaxed);
  return "a launch has " + std::to_string(limit_) + " bytes, of which " +
         std::to_string(used < limit_ ? limit_ - used : 0) + " are free; " + setting_ +
         " sets this budget";
}

}  // namespace cucore::cpu
