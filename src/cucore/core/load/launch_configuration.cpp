// SPDX-License-Identifier: Apache-2.0
#include "core/load/launch_configuration.hpp"

#include <array>

#include "support/concat.hpp"

namespace cucore::core {
namespace {

constexpr const char* AXES = "xyz";

// Throws unless the device allows the extents of the grid or of a block.
void check_extents(const char* field, const uint32_t (&given)[3],
                   const std::array<uint32_t, 3>& limits, const Device& device) {
  if (given[0] == 0)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_launch_options.", field, "[0] is 0; set how many ",
                       *field == 'g' ? "blocks" : "threads per block", " to launch"));
  for (size_t axis = 0; axis < limits.size(); ++axis)
    if (given[axis] > limits[axis])
      throw Error(Status::INVALID_ARGUMENT,
                  concat("cucore_launch_options.", field, "[", axis, "] is ", given[axis], "; ",
                         device.label(), " allows ", limits[axis], " in ", AXES[axis],
                         *field == 'g' ? "; launch larger blocks, or several grids"
                                       : "; launch smaller blocks in a larger grid"));
}

}  // namespace

void LaunchConfiguration::throw_extents(const cucore_launch_options& options,
                                        const Device& device) {
  const DeviceLimits& limits = device.limits();
  check_extents("grid", options.grid, limits.grid, device);
  check_extents("block", options.block, limits.block, device);
  const uint32_t x = options.block[0], y = one_if_zero(options.block[1]),
                 z = one_if_zero(options.block[2]);
  throw Error(Status::INVALID_ARGUMENT,
              concat("a block of ", x, " x ", y, " x ", z, " has ", uint64_t{x} * y * z,
                     " threads; ", device.label(), " allows ", limits.threads_per_block,
                     "; launch smaller blocks in a larger grid"));
}

}  // namespace cucore::core
