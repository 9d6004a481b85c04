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
// Returns the sum of the sectors of the turns. Lanes with the same address take turns. So do lanes
// of one group whose addresses differ by a multiple of 512: the lowest address is first. The lanes
// of a group access 128 bytes together, so up to 4 bytes per lane, a warp is one group.
uint32_t atomic_sectors_of(const WarpAccess& access);
// Returns the sectors of local memory. Its layout has the words of a warp's lanes side by side.
uint32_t local_sectors_of(const WarpAccess& access);
Wavefronts wavefronts_of(const WarpAccess& access, SharedAccess kind);

// An operation of 8 bytes of shared memory that machine code does by compare-and-swap. It repeats
// until all lanes have succeeded.
struct AtomicLoop {
  Wavefronts loads;
  Wavefronts swaps;  // groups: the wavefronts of the first round
};

// In a round, the pending lanes load. Then in each half of the warp, the first pending lane of each
// bank swaps. A lane of the upper half fails if one of the lower half has the same address. A swap
// takes 2 wavefronts for each half that has pending lanes. The operation changes the memory.
AtomicLoop atomic_loop_of(const WarpAccess& access);

}  // namespace cucore::cpu
