// Where the special registers of a block and of a warp's threads lie in their tables.
#ifndef CUCPU_EXEC_SPECIAL_HPP
#define CUCPU_EXEC_SPECIAL_HPP

#include "cpu/exec/warp.hpp"
#include "ptx/ast.hpp"

namespace cucore::cpu {

// A row is 32 lanes of 32 bits; a wide row, of 64 bits, takes two.
inline constexpr u32 kRow = kLanes * 4;

enum BlockRow : u32 {
  kRowCtaid = 0,  // x, y, z
  kRowNctaid = 3,
  kRowNtid = 6,
  kRowClusterCtaid = 9,
  kRowClusterNctaid = 12,
  kRowClusterid = 15,
  kRowNclusterid = 18,
  kRowClusterCtarank = 21,
  kRowClusterNctarank,
  kRowIsExplicitCluster,  // a predicate: its first word is the mask
  kRowLaneid,
  kRowLanemaskEq,
  kRowLanemaskLe,
  kRowLanemaskLt,
  kRowLanemaskGe,
  kRowLanemaskGt,
  kRowNwarpid,
  kRowSmid,
  kRowNsmid,
  kRowTotalSmem,
  kRowDynamicSmem,
  kRowReservedBegin,  // of the shared memory that belongs to the system
  kRowReservedFirst,
  kRowReservedEnd,
  kRowEnvreg1,
  kRowEnvreg2,
  kRowZero,                          // two rows of zeros: whatever always reads as zero
  kRowGridid = kRowZero + 2,         // wide
  kRowDynamicBase = kRowGridid + 2,  // where dynamic shared memory begins
  kRowDynamicBaseWide = kRowDynamicBase + 1,
  kBlockRows = kRowDynamicBaseWide + 2,
};

enum ThreadRow : u32 { kRowTid = 0, kRowWarpid = 3, kThreadRows = 4 };

// The slot of a special register that does not change while a warp runs, kNoSlot for clocks.
Slot special_slot(ptx::SpecialRegister reg, unsigned component);
// Shared memory of the system, behind the program's: there only where a kernel asks for its place.
inline constexpr u32 kReservedShared = 1024;
bool is_reserved_shared(ptx::SpecialRegister reg);
// Whether the slot holds 64-bit lanes.
bool special_is_wide(ptx::SpecialRegister reg);

}  // namespace cucore::cpu

#endif
