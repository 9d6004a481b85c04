// SPDX-License-Identifier: Apache-2.0
// Bounds what a reader may allocate by what it was given, so that a small file cannot ask for the
// memory of a machine: 16 bytes for each byte of input and 1 MiB in all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cucore::image {

class MemoryBudget {
 public:
  // The rest of the bound is for copies of the input and for what is freed at once.
  explicit MemoryBudget(uint64_t input) : left_(ALLOWANCE + PER_BYTE * std::min(input, MOST)) {}

  // Admits what an image, a log or a source holds that was decompressed. Its own bytes are bounded
  // by the ratio of the compression and the limit of the reader.
  void add_payload(uint64_t bytes) { left_ += PER_PAYLOAD_BYTE * std::min(bytes, MOST); }

  // False if so much is not left.
  [[nodiscard]] bool take(uint64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  static constexpr uint64_t MOST = uint64_t{1} << 40;
  static constexpr uint64_t ALLOWANCE = uint64_t{1} << 19;
  static constexpr uint64_t PER_BYTE = 11;
  static constexpr uint64_t PER_PAYLOAD_BYTE = 4;

  uint64_t left_;
};

// What copies of a text take outside the strings themselves.
constexpr uint64_t heap_size(std::string_view text, uint64_t copies = 1) {
  constexpr uint64_t INSIDE = 15;
  constexpr uint64_t OVERHEAD = 32;
  return text.size() <= INSIDE ? 0 : copies * (text.size() + OVERHEAD);
}

// What one element takes of a vector that grows: the old and the new elements live together.
template <class T>
constexpr uint64_t grown_size(uint64_t count = 1) {
  return 3 * sizeof(T) * count;
}

// What one element takes of a map, beside its value.
inline constexpr uint64_t MAP_NODE = 64;

inline constexpr std::string_view TOO_MUCH = "it holds more than its size allows";

}  // namespace cucore::image
