// SPDX-License-Identifier: Apache-2.0
// The addresses of the arrays of a launch in the model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cucore::perf {

// An argument of a launch that is an address of the device.
struct LaunchArray {
  // In place of a size that is unknown. Arrays that are farther apart count as different ones.
  static constexpr uint64_t UNKNOWN_SIZE = uint64_t{1} << 21;

  uint64_t address = 0;  // 0: memory of its own
  uint64_t size = UNKNOWN_SIZE;
};

// Returns the address of each array in the model. Arrays that overlap keep their distance. All
// others are in separate parts of the address space. Each keeps its alignment.
std::vector<uint64_t> modelled_addresses(std::span<const LaunchArray> arrays);

}  // namespace cucore::perf
