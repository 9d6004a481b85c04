// SPDX-License-Identifier: Apache-2.0
// The sectors and wavefronts of one memory instruction of a warp, by rules that agree with the
// counters of a GPU: see tests/data/access_patterns.
#pragma once

#include <cstdint>

#include "cpu/checks/lane_checks.hpp"

namespace cucore::cpu {

// The accesses of the lanes of a mask, of `size` bytes each.
struct WarpAccess {
  const Lanes& lanes;
  uint32_t mask;
  uint32_t size;

  uint64_t at(int lane) const { return lanes.addresses[lane]; }
};

struct Wavefronts {
  uint32_t count = 0;
  uint32_t groups = 0;  // wavefronts without bank conflicts
};

enum class SharedAccess : uint8_t { LOAD, STORE, ATOMIC };

// Returns the different sectors of 32 bytes.
uint32_t sectors_of(const WarpAccess& access);
// Lanes with the same address take turns; returns the sum of the sectors of the turns. If
// lanes access 8 bytes, the halves of the warp take separate turns in lines of 128 bytes. They
// share the turns of a line in which they have no equal addresses.
uint32_t atomic_sectors_of(const WarpAccess& access);
// Returns the sectors of local memory. Its layout has the words of a warp's lanes side by side.
uint32_t local_sectors_of(const WarpAccess& access);
Wavefronts wavefronts_of(const WarpAccess& access, SharedAccess kind);

}  // namespace cucore::cpu
