// SPDX-License-Identifier: Apache-2.0
// The resources of one multiprocessor of each architecture, which its blocks share.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cucore::perf {

inline constexpr uint32_t WARP_SIZE = 32;
inline constexpr uint32_t MAX_BLOCK = 1024;     // threads
inline constexpr uint32_t MAX_REGISTERS = 255;  // per thread
inline constexpr uint32_t REGISTERS = 65536;    // per multiprocessor
inline constexpr uint32_t PARTITIONS = 4;       // warp schedulers, each with its registers
inline constexpr uint32_t REGISTER_UNIT = 256;  // of the registers of one warp

struct Limits {
  uint16_t arch;         // 90
  uint32_t warps;        // that it runs at a time
  uint32_t blocks;       // that it runs at a time
  uint32_t shared;       // bytes
  uint32_t shared_unit;  // of the shared memory of one block
  uint32_t reserved;     // bytes of shared memory per block that the system takes
};

// In the order of the architectures.
std::span<const Limits> all_limits();

// Accepts "sm_90", "sm_90a", "compute_90" and "90".
// @throws Error INVALID_ARGUMENT for other texts, UNSUPPORTED for an unknown architecture
const Limits& limits_of(std::string_view arch);
// Returns nullptr for an unknown architecture.
const Limits* find_limits(uint16_t arch);

}  // namespace cucore::perf
