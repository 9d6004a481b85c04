// SPDX-License-Identifier: Apache-2.0
// The settings of the CPU device. cuInit reads them from the environment once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cpu/checks/check_set.hpp"
#include "cpu/driver/check_output.hpp"
#include "cpu/exec/executor.hpp"

namespace cucore {
class Suppressions;
}  // namespace cucore

namespace cucore::cpu {

struct DriverSettings {
  int devices = 1;                      // CUCORE_CPU_DEVICES, 0 to 64
  std::string profile = "sm_90";        // CUCORE_CPU_PROFILE
  uint64_t memory = uint64_t{8} << 30;  // CUCORE_CPU_MEMORY, bytes per device; K, M, G
  bool synchronous = false;             // CUCORE_CPU_MODE=sync: every call completes its work
  std::string fault_plan;               // CUCORE_CPU_FAULT
  std::string trace_file;               // CUCORE_CPU_TRACE
  uint32_t checks = 0;                  // CUCORE_CPU_CHECK
  bool stop_at_reports = false;         // CUCORE_CPU_CHECK_STOP
  CheckOutput check_output;             // CUCORE_CPU_CHECK_JSON, _EXIT
  std::shared_ptr<const Suppressions> suppressions;  // CUCORE_CPU_CHECK_SUPPRESS
  Schedule schedule;                                 // CUCORE_CPU_SCHEDULE
  Settings executor;  // CUCORE_CPU_THREADS, _SIMD, _TIMEOUT, _LAUNCH_MEMORY, _LAUNCH_OUTPUT
  std::string wrong;  // the invalid variables with their expected values
};

// Invalid values keep the default and are listed in `wrong`; cuInit then fails.
DriverSettings settings_from_environment();

// Parses sizes such as "64M"; nullopt for anything else.
std::optional<uint64_t> parse_size(std::string_view text);

}  // namespace cucore::cpu
