// SPDX-License-Identifier: Apache-2.0
// One timed launch: copies arrays to the device, runs the kernel, and copies them back.
#pragma once

#include <array>
#include <cstdint>
#include <cucore/kernel.hpp>
#include <string_view>
#include <vector>

#include "argument.hpp"

namespace cucore::cli {

using Extent = std::array<std::uint32_t, 3>;

struct LaunchShape {
  Extent grid;
  Extent block;
  std::uint32_t dynamic_shared;
};

// Parses "X[,Y[,Z]]"; a usage failure names the option.
Extent parse_extent(std::string_view text, std::string_view option);

// Launches and waits; the array arguments then contain the kernel's results. Returns the time of
// the kernel in milliseconds.
float launch(const Device& device, const Kernel& kernel, const LaunchShape& shape,
             std::vector<Argument>& arguments);

}  // namespace cucore::cli
