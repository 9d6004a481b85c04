// The slow side of memory instructions: finds the allocation behind an address, or faults.
#ifndef CUCPU_EXEC_ACCESS_HPP
#define CUCPU_EXEC_ACCESS_HPP

#include "cpu/exec/memory.hpp"
#include "cpu/exec/warp.hpp"

namespace cucore::cpu {

enum class Region : u8 { Global, Generic, Shared, Local, Param, FrameParam };

// Bits of Op::target of a memory instruction, above its Region.
inline constexpr u32 NARROW = 0x100;  // the address register has 32 bits
inline constexpr u32 FRAME_RELATIVE =
    0x200;  // the offset starts at the current call's local memory

// The host's pointer for `size` bytes that the lane wants at `address`. Checks alignment and
// bounds, throws KernelFault, and remembers the allocation in the instruction's site.
std::byte* resolve(Warp& w, const Op& op, int lane, u64 address, u64 size, Access access,
                   Region region);

}  // namespace cucore::cpu

#endif
