// SPDX-License-Identifier: Apache-2.0
#include "container/section_digest.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "support/parallel.hpp"

namespace cucore::container {

namespace {

// Below four parts per thread, the start of a thread is a large share of its work.
constexpr size_t PARTS_PER_THREAD = 4;

std::span<const std::byte> part_of(std::span<const std::byte> bytes, size_t index) {
  const size_t begin = index * PART_SIZE;
  return bytes.subspan(begin, std::min<size_t>(PART_SIZE, bytes.size() - begin));
}

}  // namespace

Digest parts_digest(std::span<const std::byte> stored) {
  std::vector<Digest> digests((stored.size() + PART_SIZE - 1) / PART_SIZE);
  std::atomic<bool> has_failed = false;
  const auto hash_part = [&](size_t index) noexcept {
    try {
      digests[index] = sha256(part_of(stored, index));
    } catch (...) {
      has_failed = true;
    }
  };
  in_parallel(digests.size(), PARTS_PER_THREAD, hash_part);
  // Only exhausted memory can fail; a second attempt reports it.
  for (size_t i = 0; has_failed && i < digests.size(); ++i) digests[i] = sha256(part_of(stored, i));
  return sha256(std::as_bytes(std::span(digests)));
}

Digest section_digest(Sha256& hash, std::span<const std::byte> stored, bool file_has_parts) {
  const bool parts = file_has_parts && has_parts(stored.size());
  return parts ? parts_digest(stored) : hash.digest(stored);
}

}  // namespace cucore::container
