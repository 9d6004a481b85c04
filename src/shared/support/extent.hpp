// SPDX-License-Identifier: Apache-2.0
// Grids and blocks of launches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

namespace cucore {

// Returns the product of the sides of a grid or block, or the largest number if that is less. A
// side of 0 counts as 1.
constexpr uint64_t product_of(std::span<const uint32_t> extent) {
  uint64_t product = 1;
  for (const uint32_t side : extent) {
    const uint64_t factor = std::max(side, 1U);
    if (product > std::numeric_limits<uint64_t>::max() / factor)
      return std::numeric_limits<uint64_t>::max();
    product *= factor;
  }
  return product;
}

// Returns a number, or the largest one of 32 bits if that is less.
constexpr uint32_t clamped(uint64_t number) {
  return static_cast<uint32_t>(std::min<uint64_t>(number, std::numeric_limits<uint32_t>::max()));
}

}  // namespace cucore
