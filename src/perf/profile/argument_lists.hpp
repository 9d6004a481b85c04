// SPDX-License-Identifier: Apache-2.0
// The arguments of the launches of one kernel with one geometry, which the model needs. Most
// launches repeat earlier arguments, apart from the addresses. A session reads the arguments of
// some launches, each of which stands for those around it.
#pragma once

#include <cucore.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cucore::perf {

struct ArgumentList {
  uint64_t hash = 0;
  uint64_t calls = 0;                          // that it stands for
  bool is_packed = false;                      // one value, which has all parameters
  std::vector<std::vector<std::byte>> values;  // an address in place of a buffer
};

// The caller guards it by a lock.
class ArgumentLists {
 public:
  static constexpr size_t MOST = 8;  // lists that are kept

  // Adds the arguments of a launch that stands for `calls` calls.
  void add(const cucore_operation& launch, uint64_t calls);

  const std::vector<ArgumentList>& lists() const { return lists_; }
  uint64_t calls() const { return calls_; }  // also those with further lists

 private:
  std::vector<ArgumentList> lists_;
  uint64_t calls_ = 0;
};

// Whether a value of 8 bytes can be an address of a device. Numbers of f64 are larger, and most
// numbers of elements are smaller.
constexpr bool is_address(uint64_t value) {
  return value >= uint64_t{1} << 32 && value < uint64_t{1} << 57;
}

}  // namespace cucore::perf
