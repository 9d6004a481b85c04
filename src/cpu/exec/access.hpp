// SPDX-License-Identifier: Apache-2.0
// The slow path of memory instructions: finds the allocation behind an address, or faults.
#pragma once

#include "cpu/exec/memory.hpp"
#include "cpu/exec/warp.hpp"

namespace cucore::cpu {

// SHARED is the memory of the own block, CLUSTER that of all blocks of the cluster.
enum class Region : uint8_t { GLOBAL, GENERIC, SHARED, CLUSTER, LOCAL, PARAM, FRAME_PARAM };

// Bits of Op::target of a memory instruction, above its Region.
inline constexpr uint32_t NARROW = 0x100;  // the address register has 32 bits
inline constexpr uint32_t FRAME_RELATIVE =
    0x200;  // the offset is relative to the local memory of the current call

// Returns the host's pointer to `size` bytes that the lane accesses at `address`. Checks alignment
// and bounds, throws KernelFault, and stores the allocation in the instruction's site.
std::byte* resolve(Warp& w, const Op& op, int lane, uint64_t address, uint64_t size, Access access,
                   Region region);
// Does the same without a check of alignment.
std::byte* resolve_bytes(Warp& w, const Op& op, int lane, uint64_t address, uint64_t size,
                         Access access, Region region);
// Returns the shared memory of the own block at generic addresses. Returns nullptr for instructions
// without generic addresses, and if some of the bytes are elsewhere.
std::byte* own_shared(const Warp& w, const Op& op, uint64_t address, uint64_t size);

}  // namespace cucore::cpu
