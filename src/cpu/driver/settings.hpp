// SPDX-License-Identifier: Apache-2.0
// The settings of the CPU device, read from the environment once, by cuInit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cpu/exec/executor.hpp"

namespace cucore::cpu {

struct DriverSettings {
  int devices = 1;                      // CUCORE_CPU_DEVICES, 0 to 64
  std::string profile = "sm_90";        // CUCORE_CPU_PROFILE
  uint64_t memory = uint64_t{8} << 30;  // CUCORE_CPU_MEMORY, bytes of one device; K, M, G
  bool synchronous = false;             // CUCORE_CPU_MODE=sync: every call ends with its work
  std::string fault_plan;               // CUCORE_CPU_FAULT
  std::string trace_file;               // CUCORE_CPU_TRACE
  Settings executor;                    // CUCORE_CPU_THREADS, _SIMD, _TIMEOUT, _LAUNCH_MEMORY
  std::string wrong;                    // the variables that make no sense, and what would
};

// Values that make no sense leave the default and are told in `wrong`, for which cuInit fails.
DriverSettings settings_from_environment();

// "64M" and the like; nullopt if it is no size.
std::optional<uint64_t> parse_size(std::string_view text);

}  // namespace cucore::cpu
