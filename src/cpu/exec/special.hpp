// SPDX-License-Identifier: Apache-2.0
// The positions of the special registers of a block and of a warp's threads in their tables.
#pragma once

#include "cpu/exec/warp.hpp"
#include "ptx/ast.hpp"

namespace cucore::cpu {

// A row has 32 lanes of 32 bits; a wide row, of 64 bits, takes two.
inline constexpr uint32_t ROW = LANES * 4;

enum BlockRow : uint32_t {
  ROW_CTAID = 0,  // x, y, z
  ROW_NCTAID = 3,
  ROW_NTID = 6,
  ROW_CLUSTER_CTAID = 9,
  ROW_CLUSTER_NCTAID = 12,
  ROW_CLUSTERID = 15,
  ROW_NCLUSTERID = 18,
  ROW_CLUSTER_CTARANK = 21,
  ROW_CLUSTER_NCTARANK,
  ROW_IS_EXPLICIT_CLUSTER,  // a predicate: its first word is the mask
  ROW_LANEID,
  ROW_LANEMASK_EQ,
  ROW_LANEMASK_LE,
  ROW_LANEMASK_LT,
  ROW_LANEMASK_GE,
  ROW_LANEMASK_GT,
  ROW_NWARPID,
  ROW_SMID,
  ROW_NSMID,
  ROW_TOTAL_SMEM,
  ROW_DYNAMIC_SMEM,
  ROW_RESERVED_BEGIN,  // start of the shared memory reserved by the system
  ROW_RESERVED_FIRST,
  ROW_RESERVED_END,
  ROW_ENVREG1,
  ROW_ENVREG2,
  ROW_ZERO,                           // two rows of zeros, for registers that always read as zero
  ROW_GRIDID = ROW_ZERO + 2,          // wide
  ROW_DYNAMIC_BASE = ROW_GRIDID + 2,  // start of dynamic shared memory
  ROW_DYNAMIC_BASE_WIDE = ROW_DYNAMIC_BASE + 1,
  BLOCK_ROWS = ROW_DYNAMIC_BASE_WIDE + 2,
};

enum ThreadRow : uint32_t { ROW_TID = 0, ROW_WARPID = 3, THREAD_ROWS = 4 };

// Returns the slot of a special register that is constant while a warp runs; NO_SLOT for clocks.
Slot special_slot(ptx::SpecialRegister reg, unsigned component);
// Shared memory of the system, after the program's. It exists only if a kernel reads its address.
inline constexpr uint32_t RESERVED_SHARED = 1024;
bool is_reserved_shared(ptx::SpecialRegister reg);
// Returns whether the slot has 64-bit lanes.
bool special_is_wide(ptx::SpecialRegister reg);

}  // namespace cucore::cpu
