// SPDX-License-Identifier: Apache-2.0
// A hash of numbers, for tables in memory. It is not stable between versions.
#pragma once

#include <cstdint>

namespace cucore {

// The mixing step of the FNV hash, word by word.
class WordHash {
 public:
  void mix(uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3u; }
  uint64_t value() const { return hash_ ^ (hash_ >> 32); }

 private:
  uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace cucore
