// SPDX-License-Identifier: Apache-2.0
// The extents of a launch, checked and in the form that the driver requires.
#pragma once

#include <cucore.h>

#include <cstdint>

#include "core/load/launch_attributes.hpp"
#include "core/objects/device.hpp"

namespace cucore::core {

class LaunchConfiguration {
 public:
  // Throws INVALID_ARGUMENT for extents that the device does not allow. Inline, because the cost of
  // each launch matters.
  [[gnu::always_inline]] LaunchConfiguration(const Device& device, CUstream stream,
                                             const cucore_launch_options& options) {
    if (!set_extents(device.limits(), options, config_)) [[unlikely]]
      throw_extents(options, device);
    config_.sharedMemBytes = options.dynamic_shared;
    config_.hStream = stream;
    config_.attrs = nullptr;
    config_.numAttrs = 0;
  }
  LaunchConfiguration(const LaunchConfiguration&) = delete;
  LaunchConfiguration& operator=(const LaunchConfiguration&) = delete;

  const CUlaunchConfig& get() const { return config_; }
  // The attributes must live as long as this.
  void set(LaunchAttributes& attributes) {
    config_.attrs = attributes.data();
    config_.numAttrs = attributes.size();
  }

  // Sets the extents in a CUlaunchConfig or CUDA_KERNEL_NODE_PARAMS. Returns whether the device
  // allows them.
  template <class Native>
  [[gnu::always_inline]] static bool set_extents(const DeviceLimits& limits,
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

 private:
  // y and z that are 0 mean 1; x must be set.
  static uint32_t one_if_zero(uint32_t extent) { return extent + (extent < 1); }

  [[noreturn, gnu::cold]] static void throw_extents(const cucore_launch_options& options,
                                                    const Device& device);

  CUlaunchConfig config_;  // the constructor sets every field
};

}  // namespace cucore::core
