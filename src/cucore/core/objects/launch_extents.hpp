// SPDX-License-Identifier: Apache-2.0
// The extents of the grid and of a block, checked and in the form that the driver requires.
#pragma once

#include <cucore.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/objects/device.hpp"

namespace cucore::core {

// Both are next to each other.
inline constexpr size_t EXTENTS_SIZE =
    sizeof cucore_launch_options{}.grid + sizeof cucore_launch_options{}.block;
static_assert(offsetof(cucore_launch_options, block) ==
              offsetof(cucore_launch_options, grid) + EXTENTS_SIZE / 2);
template <class Options>
auto* extents_of(Options& options) {
  using Byte = std::conditional_t<std::is_const_v<Options>, const std::byte, std::byte>;
  return reinterpret_cast<Byte*>(&options) + offsetof(cucore_launch_options, grid);
}

// y and z that are 0 mean 1; x must be set.
inline uint32_t one_if_zero(uint32_t extent) { return extent + (extent < 1); }

// Sets the extents in a CUlaunchConfig or CUDA_KERNEL_NODE_PARAMS. Returns whether the device
// allows them.
template <class Native>
[[gnu::always_inline]] inline bool set_extents(const DeviceLimits& limits,
                                               const cucore_launch_options& options,
                                               Native& native) noexcept {
  const uint32_t(&grid)[3] = options.grid;
  const uint32_t(&block)[3] = options.block;
  const uint32_t grid_y = one_if_zero(grid[1]), grid_z = one_if_zero(grid[2]);
  const uint32_t block_y = one_if_zero(block[1]), block_z = one_if_zero(block[2]);
  // Stores between the checks, else the compiler gathers the extents in a register first.
  if (grid[0] - 1 >= limits.grid[0]) return false;
  native.gridDimX = grid[0];
  if (grid_y > limits.grid[1]) return false;
  native.gridDimY = grid_y;
  if (grid_z > limits.grid[2]) return false;
  native.gridDimZ = grid_z;
  if (block[0] - 1 >= limits.block[0]) return false;
  native.blockDimX = block[0];
  if (block_y > limits.block[1]) return false;
  native.blockDimY = block_y;
  if (block_z > limits.block[2]) return false;
  native.blockDimZ = block_z;
  return uint64_t{block[0]} * block_y * block_z <= limits.threads_per_block;
}

// Keeps what the driver gets for a launch for the next launch of the device. Launches that follow
// each other often have the same extents, which cost three comparisons.
template <class Native>
class RepeatedLaunch {
 public:
  RepeatedLaunch() noexcept { set_smallest(); }

  Native& native() noexcept { return native_; }
  // Sets the extents. Returns whether the device allows them.
  [[gnu::always_inline]] bool set(const DeviceLimits& limits,
                                  const cucore_launch_options& options) noexcept {
    if (std::memcmp(given_, extents_of(options), sizeof given_) == 0) [[likely]]
      return true;
    const bool are_allowed = set_extents(limits, options, native_);
    if (are_allowed)
      std::memcpy(given_, extents_of(options), sizeof given_);
    else
      set_smallest();
    return are_allowed;
  }

 private:
  // Every device allows these.
  void set_smallest() noexcept {
    std::ranges::fill(given_, 1);
    native_.gridDimX = native_.gridDimY = native_.gridDimZ = 1;
    native_.blockDimX = native_.blockDimY = native_.blockDimZ = 1;
  }

  uint32_t given_[EXTENTS_SIZE / sizeof(uint32_t)];  // those of `native_`, as in the options
  Native native_{};
};

}  // namespace cucore::core
