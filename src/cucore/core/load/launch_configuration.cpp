// SPDX-License-Identifier: Apache-2.0
#include "core/load/launch_configuration.hpp"

#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {
namespace {

constexpr const char* AXES = "xyz";

void check_flag(const char* field, int32_t value) {
  if (value != 1)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_launch_options.", field, " is ", value, ", neither 0 nor 1"));
}

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

void LaunchConfiguration::add_attributes(const Device& device,
                                         const cucore_launch_options& options) {
  if (options.cluster[0] | options.cluster[1] | options.cluster[2]) add_cluster(device, options);
  if (options.cooperative) add_cooperative(device, options.cooperative);
  if (options.programmatic_serialization) add_serialization(options.programmatic_serialization);
  if (options.priority) add_priority(device, options.priority);
}

CUlaunchAttributeValue& LaunchConfiguration::add(CUlaunchAttributeID id) {
  CUlaunchAttribute& attribute = attributes_[config_.numAttrs++];
  attribute = {};
  attribute.id = id;
  return attribute.value;
}

void LaunchConfiguration::add_cluster(const Device& device, const cucore_launch_options& options) {
  constexpr uint16_t FIRST_WITH_CLUSTERS = 90;
  if (!device.limits().clusters)
    throw Error(Status::UNSUPPORTED,
                concat("cucore_launch_options.cluster is set; ", device.label(), " (",
                       device.arch(), ") has no clusters",
                       device.capability() < FIRST_WITH_CLUSTERS ? ", which came with sm_90" : ""));
  const uint32_t grid[3] = {config_.gridDimX, config_.gridDimY, config_.gridDimZ};
  uint32_t cluster[3];
  for (size_t axis = 0; axis < 3; ++axis) {
    cluster[axis] = options.cluster[axis] ? options.cluster[axis] : 1;
    if (grid[axis] % cluster[axis] != 0)
      throw Error(Status::INVALID_ARGUMENT,
                  concat("cucore_launch_options.grid[", axis, "] is ", counted(grid[axis], "block"),
                         ", not a multiple of cluster[", axis, "], ", cluster[axis]));
  }
  auto& value = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
  value.x = cluster[0], value.y = cluster[1], value.z = cluster[2];
}

void LaunchConfiguration::add_cooperative(const Device& device, int32_t flag) {
  check_flag("cooperative", flag);
  if (!device.limits().cooperative)
    throw Error(Status::UNSUPPORTED, device.label() + " has no cooperative launches");
  add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
}

void LaunchConfiguration::add_serialization(int32_t flag) {
  check_flag("programmatic_serialization", flag);
  add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      .programmaticStreamSerializationAllowed = 1;
}

void LaunchConfiguration::add_priority(const Device& device, int32_t priority) {
  device.require_priority(priority, "cucore_launch_options.priority");
  add(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority = priority;
}

}  // namespace cucore::core
