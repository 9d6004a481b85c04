// SPDX-License-Identifier: Apache-2.0
// The extents of a launch, checked and in the form that the driver requires.
#pragma once

#include <cucore.h>

#include <array>

#include "core/load/launch_attributes.hpp"
#include "core/objects/device.hpp"

namespace cucore::core {

class LaunchConfiguration {
 public:
  // Throws INVALID_ARGUMENT for extents that the device does not allow. Inline, because the cost of
  // each launch matters.
  [[gnu::always_inline]] LaunchConfiguration(const Device& device, CUstream stream,
                                             const cucore_launch_options& options) {
    const DeviceLimits& limits = device.limits();
    const Dimensions grid = checked(options.grid, "grid", limits.grid, device);
    const Dimensions block = checked(options.block, "block", limits.block, device);
    if (const uint64_t threads = uint64_t{block.x} * block.y * block.z;
        threads > limits.threads_per_block) [[unlikely]]
      throw_threads(block, threads, device);
    config_.gridDimX = grid.x, config_.gridDimY = grid.y, config_.gridDimZ = grid.z;
    config_.blockDimX = block.x, config_.blockDimY = block.y, config_.blockDimZ = block.z;
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

 private:
  struct Dimensions {
    uint32_t x, y, z;
  };

  // y and z that are 0 mean 1; x must be set.
  [[gnu::always_inline]] static Dimensions checked(const uint32_t (&given)[3], const char* field,
                                                   const std::array<uint32_t, 3>& limits,
                                                   const Device& device) {
    const Dimensions out{given[0], given[1] + (given[1] < 1), given[2] + (given[2] < 1)};
    if (out.x - 1 >= limits[0] || out.y > limits[1] || out.z > limits[2]) [[unlikely]]
      throw_dimension(field, given, limits, device);
    return out;
  }

  [[noreturn]] static void throw_dimension(const char* field, const uint32_t (&given)[3],
                                           const std::array<uint32_t, 3>& limits,
                                           const Device& device);
  [[noreturn]] static void throw_threads(const Dimensions& block, uint64_t threads,
                                         const Device& device);

  CUlaunchConfig config_;  // the constructor sets every field
};

}  // namespace cucore::core
