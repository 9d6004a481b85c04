// SPDX-License-Identifier: Apache-2.0
// Device profiles: the attributes that a CPU device reports. Each is one column of profiles.inc.
#pragma once

#include <cuda.h>

#include <array>
#include <optional>
#include <string_view>

#include "cpu/exec/executor.hpp"

namespace cucore::cpu {

// The resources of an SM that its blocks share.
struct Multiprocessor {
  int warps = 0;
  int blocks = 0;
  int registers = 0;
  int shared = 0;
  int register_unit = 256;  // allocation unit of registers per warp
  int shared_unit = 1024;   // allocation unit of shared memory per block
  int partitions = 4;       // warp schedulers, each with its part of the registers
  int reserved_shared = 0;  // bytes per block that the system reserves
  int max_cluster = 0;      // the largest portable cluster; 0: no clusters
  int max_cluster_non_portable = 0;
  int gpc = 0;  // multiprocessors that one cluster may span
};

class Profile {
 public:
  Profile(std::string_view name, int sm, size_t column);
  std::string_view name() const { return name_; }
  int sm() const { return sm_; }
  // nullopt: no such attribute.
  std::optional<int> attribute(CUdevice_attribute which) const;
  int value(CUdevice_attribute which) const { return attribute(which).value_or(0); }
  const Multiprocessor& multiprocessor() const { return multiprocessor_; }
  DeviceLimits limits() const;

 private:
  std::string_view name_;
  int sm_;
  std::array<std::optional<int>, CU_DEVICE_ATTRIBUTE_MAX> values_;
  Multiprocessor multiprocessor_;
};

const Profile* find_profile(std::string_view name);  // "sm_90"

}  // namespace cucore::cpu
