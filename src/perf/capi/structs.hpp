// SPDX-License-Identifier: Apache-2.0
// Structs of cucore_perf.h that several functions fill in.
#pragma once

#include <cucore_perf.h>

#include <cstddef>
#include <optional>

#include "perf/machine/occupancy.hpp"
#include "support/options.hpp"

namespace cucore::perf {

inline int32_t or_minus_one(const std::optional<uint32_t>& value) {
  return value ? static_cast<int32_t>(*value) : -1;
}

inline constexpr size_t FIRST_OCCUPANCY_INFO = sizeof(cucore_occupancy_info);

inline void write_occupancy(cucore_occupancy_info* out, const Occupancy& occupancy) {
  cucore_occupancy_info info{};
  info.blocks = occupancy.blocks;
  info.warps = occupancy.warps;
  info.fraction = occupancy.fraction;
  info.limiter = static_cast<cucore_occupancy_limiter>(occupancy.limiter);
  info.registers_for_more = or_minus_one(occupancy.registers_for_more);
  info.shared_for_more = or_minus_one(occupancy.shared_for_more);
  write_info(out, info, FIRST_OCCUPANCY_INFO, "cucore_occupancy_info");
}

}  // namespace cucore::perf
