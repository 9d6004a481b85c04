// SPDX-License-Identifier: Apache-2.0
// Occupancy: how many blocks of a kernel one multiprocessor runs at a time.
#pragma once

#include <cstdint>
#include <optional>

#include "perf/machine/limits.hpp"

namespace cucore::perf {

// The numbers are those of cucore_perf.h.
enum class Limiter : int32_t { NONE, WARPS, BLOCKS, REGISTERS, SHARED };

// Returns a name such as "registers".
const char* limiter_name(Limiter limiter);

// The resources of one block.
struct BlockNeeds {
  uint32_t registers = 0;  // per thread
  uint32_t threads = 0;
  uint32_t shared = 0;  // bytes
};

struct Occupancy {
  uint32_t blocks = 0;
  uint32_t warps = 0;
  double fraction = 0;
  Limiter limiter = Limiter::NONE;
  // The most with which one block more fits. nullopt: less of it alone does not help.
  std::optional<uint32_t> registers_for_more;
  std::optional<uint32_t> shared_for_more;
};

// @throws Error INVALID_ARGUMENT for numbers out of range
Occupancy occupancy_of(const Limits& limits, const BlockNeeds& needs);

}  // namespace cucore::perf
