// SPDX-License-Identifier: Apache-2.0
#include "container/section_digest.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "support/signals_blocked.hpp"

namespace cucore::container {

namespace {

// Below four parts per thread, the start of a thread is a large share of its work.
constexpr size_t PARTS_PER_THREAD = 4;
// Memory, not the number of processors, bounds the speed of more threads.
constexpr size_t MAX_THREADS = 16;

class PartDigests {
 public:
  explicit PartDigests(std::span<const std::byte> bytes)
      : bytes_(bytes), digests_((bytes.size() + PART_SIZE - 1) / PART_SIZE) {}

  Digest compute() {
    {
      std::vector<std::jthread> helpers;
      start(helpers);
      work();
    }
    // A helper that failed left its part without a digest.
    if (failed_.load()) recompute();
    return sha256(std::as_bytes(std::span(digests_)));
  }

 private:
  size_t helper_count() const {
    const size_t processors = std::max(1u, std::thread::hardware_concurrency());
    const size_t wanted = std::min({processors, MAX_THREADS, digests_.size() / PARTS_PER_THREAD});
    return std::max<size_t>(wanted, 1) - 1;
  }

  // A program may be at its limit of threads or memory: fewer threads compute the same digest.
  void start(std::vector<std::jthread>& helpers) {
    const SignalsBlocked blocked;
    try {
      helpers.reserve(helper_count());
      while (helpers.size() < helpers.capacity()) helpers.emplace_back([this] { help(); });
    } catch (const std::exception&) {
    }
  }

  void help() noexcept {
    try {
      work();
    } catch (...) {
      failed_ = true;
    }
  }

  void work() {
    Sha256 hash;
    for (size_t i = next_++; i < digests_.size(); i = next_++) digests_[i] = hash.digest(part(i));
  }

  void recompute() {
    next_ = 0;
    work();
  }

  std::span<const std::byte> part(size_t index) const {
    const size_t begin = index * PART_SIZE;
    return bytes_.subspan(begin, std::min<size_t>(PART_SIZE, bytes_.size() - begin));
  }

  const std::span<const std::byte> bytes_;
  std::vector<Digest> digests_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
};

}  // namespace

Digest parts_digest(std::span<const std::byte> stored) { return PartDigests(stored).compute(); }

Digest section_digest(Sha256& hash, std::span<const std::byte> stored, bool file_has_parts) {
  const bool parts = file_has_parts && has_parts(stored.size());
  return parts ? parts_digest(stored) : hash.digest(stored);
}

}  // namespace cucore::container
