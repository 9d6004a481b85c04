// SPDX-License-Identifier: Apache-2.0
// Bounds the allocations of a reader by the size of its input, so that a small file cannot use all
// memory. The bound is 16 bytes per byte of input, plus 1 MiB.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cucore::image {

class MemoryBudget {
 public:
  // The rest of the bound covers copies of the input and temporary memory.
  explicit MemoryBudget(uint64_t input) : left_(ALLOWANCE + PER_BYTE * std::min(input, MOST)) {}

  // Admits the decompressed content of an image, a log or a source. The compression ratio and the
  // reader's limit bound these bytes.
  void add_payload(uint64_t bytes) { left_ += PER_PAYLOAD_BYTE * std::min(bytes, MOST); }

  // Returns false if fewer bytes remain.
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

// Returns the memory that a copy of a text uses outside the string object.
constexpr uint64_t heap_size(std::string_view text, uint64_t copies = 1) {
  constexpr uint64_t INSIDE = 15;
  constexpr uint64_t OVERHEAD = 32;
  return text.size() <= INSIDE ? 0 : copies * (text.size() + OVERHEAD);
}

// Returns the memory per element of a growing vector, which holds the old and the new elements at
// the same time.
template <class T>
constexpr uint64_t grown_size(uint64_t count = 1) {
  return 3 * sizeof(T) * count;
}

// The memory per element of a map, in addition to its value.
inline constexpr uint64_t MAP_NODE = 64;

inline constexpr std::string_view TOO_MUCH = "it holds more than its size allows";

}  // namespace cucore::image
