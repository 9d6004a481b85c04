// SPDX-License-Identifier: Apache-2.0
// A mark with the number of an owner that keeps an object. One comparison replaces a search among
// the objects of the owner.
#pragma once

#include <atomic>
#include <cstdint>

namespace cucore {

// Returns a number that no owner has had, and that is greater than those before. An owner takes a
// new number when it drops objects, so that its marks end.
inline uint64_t new_owner_number() noexcept {
  static constinit std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

class KeepMark {
 public:
  bool is_of(uint64_t owner) const noexcept {
    return owner_.load(std::memory_order_acquire) == owner;
  }
  // Of several owners that keep the object, the newest one has the mark. So owners that take turns
  // do not write it each time.
  void set(uint64_t owner) noexcept {
    if (owner_.load(std::memory_order_relaxed) < owner)
      owner_.store(owner, std::memory_order_release);
  }
  // For a mark that gets another object.
  void clear() noexcept { owner_.store(0, std::memory_order_release); }

 private:
  std::atomic<uint64_t> owner_{0};
};

}  // namespace cucore
