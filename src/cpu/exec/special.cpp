// SPDX-License-Identifier: Apache-2.0
// Maps PTX's special registers to rows of the tables.
#include "cpu/exec/special.hpp"

namespace cucore::cpu {
namespace {

constexpr Slot block(uint32_t row) { return row * ROW | BLOCK_BASE; }
constexpr Slot thread(uint32_t row) { return row * ROW | THREAD_BASE; }

}  // namespace

Slot special_slot(ptx::SpecialRegister reg, unsigned component) {
  using R = ptx::SpecialRegister;
  const uint32_t c = component < 3 ? component : 0;
  if (component >= 3) return block(ROW_ZERO);
  switch (reg) {
    case R::tid:
      return thread(ROW_TID + c);
    case R::warpid:
      return thread(ROW_WARPID);
    case R::ntid:
      return block(ROW_NTID + c);
    case R::ctaid:
      return block(ROW_CTAID + c);
    case R::nctaid:
      return block(ROW_NCTAID + c);
    case R::laneid:
      return block(ROW_LANEID);
    case R::nwarpid:
      return block(ROW_NWARPID);
    case R::smid:
      return block(ROW_SMID);
    case R::nsmid:
      return block(ROW_NSMID);
    case R::gridid:
      return block(ROW_GRIDID);
    case R::is_explicit_cluster:
      return block(ROW_IS_EXPLICIT_CLUSTER);
    case R::clusterid:
      return block(ROW_CLUSTERID + c);
    case R::nclusterid:
      return block(ROW_NCLUSTERID + c);
    case R::cluster_ctaid:
      return block(ROW_CLUSTER_CTAID + c);
    case R::cluster_nctaid:
      return block(ROW_CLUSTER_NCTAID + c);
    case R::cluster_ctarank:
      return block(ROW_CLUSTER_CTARANK);
    case R::cluster_nctarank:
      return block(ROW_CLUSTER_NCTARANK);
    case R::lanemask_eq:
      return block(ROW_LANEMASK_EQ);
    case R::lanemask_le:
      return block(ROW_LANEMASK_LE);
    case R::lanemask_lt:
      return block(ROW_LANEMASK_LT);
    case R::lanemask_ge:
      return block(ROW_LANEMASK_GE);
    case R::lanemask_gt:
      return block(ROW_LANEMASK_GT);
    case R::total_smem_size:
    case R::aggr_smem_size:
      return block(ROW_TOTAL_SMEM);
    case R::dynamic_smem_size:
      return block(ROW_DYNAMIC_SMEM);
    case R::reserved_smem_offset_begin:
    case R::reserved_smem_offset_cap:
    case R::reserved_smem_offset_0:
      return block(ROW_RESERVED_BEGIN);
    case R::reserved_smem_offset_1:
      return block(ROW_RESERVED_FIRST);
    case R::reserved_smem_offset_end:
      return block(ROW_RESERVED_END);
    case R::clock:
    case R::clock_hi:
    case R::clock64:
    case R::globaltimer:
    case R::globaltimer_lo:
    case R::globaltimer_hi:
      return NO_SLOT;
    default:
      break;
  }
  const uint32_t n = uint32_t(reg);
  if (n == uint32_t(R::envreg0) + 1) return block(ROW_ENVREG1);
  if (n == uint32_t(R::envreg0) + 2) return block(ROW_ENVREG2);
  return block(ROW_ZERO);
}

bool is_reserved_shared(ptx::SpecialRegister reg) {
  using R = ptx::SpecialRegister;
  return reg == R::reserved_smem_offset_begin || reg == R::reserved_smem_offset_end ||
         reg == R::reserved_smem_offset_cap || reg == R::reserved_smem_offset_0 ||
         reg == R::reserved_smem_offset_1;
}

bool special_is_wide(ptx::SpecialRegister reg) {
  using R = ptx::SpecialRegister;
  return reg == R::gridid || reg == R::clock64 || reg == R::globaltimer ||
         reg == R::current_graph_exec;
}

}  // namespace cucore::cpu
