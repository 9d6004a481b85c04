// SPDX-License-Identifier: Apache-2.0
#include "core/load/launch_configuration.hpp"

#include "support/concat.hpp"

namespace cucore::core {
namespace {

constexpr const char* AXES = "xyz";

}  // namespace

void LaunchConfiguration::throw_dimension(const char* field, const uint32_t (&given)[3],
                                          const std::array<uint32_t, 3>& limits,
                                          const Device& device) {
  if (given[0] == 0)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_launch_options.", field, "[0] is 0; set how many ",
                       *field == 'g' ? "blocks" : "threads per block", " to launch"));
  size_t axis = 0;
  while (given[axis] <= limits[axis]) ++axis;
  throw Error(Status::INVALID_ARGUMENT,
              concat("cucore_launch_options.", field, "[", axis, "] is ", given[axis], "; ",
                     device.label(), " allows ", limits[axis], " in ", AXES[axis],
                     *field == 'g' ? "; launch larger blocks, or several grids"
                                   : "; launch smaller blocks in a larger grid"));
}

void LaunchConfiguration::throw_threads(const Dimensions& block, uint64_t threads,
                                        const Device& device) {
  throw Error(Status::INVALID_ARGUMENT,
              concat("a block of ", block.x, " x ", block.y, " x ", block.z, " has ", threads,
                     " threads; ", device.label(), " allows ", device.limits().threads_per_block,
                     "; launch smaller blocks in a larger grid"));
}

}  // namespace cucore::core
