// SPDX-License-Identifier: Apache-2.0
// The extents of a launch, checked and in the form that the driver requires.
#pragma once

#include <cucore.h>

#include <cstdint>

#include "core/load/launch_attributes.hpp"
#include "core/objects/device.hpp"
#include "core/objects/launch_extents.hpp"

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

 private:
  [[noreturn, gnu::cold]] static void throw_extents(const cucore_launch_options& options,
                                                    const Device& device);

  CUlaunchConfig config_;  // the constructor sets every field
};

}  // namespace cucore::core
