// SPDX-License-Identifier: Apache-2.0
// One timed launch: arrays go to the device, the kernel runs, the arrays come back.
#pragma once

#include <cucore.h>

#include <array>
#include <cstdint>
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

// Reads "X[,Y[,Z]]"; a usage failure names the option.
Extent parse_extent(std::string_view text, std::string_view option);

// Launches and waits; afterwards the array arguments hold what the kernel left. Gives the time
// that the kernel took, in milliseconds.
float launch(const cucore_device* device, const cucore_kernel* kernel, const LaunchShape& shape,
             std::vector<Argument>& arguments);

}  // namespace cucore::cli
