// Maps PTX's special registers to rows of the tables.
#include "cpu/exec/special.hpp"

namespace cucore::cpu {
namespace {

constexpr Slot block(u32 row) { return row * kRow | kBlockBase; }
constexpr Slot thread(u32 row) { return row * kRow | kThreadBase; }

}  // namespace

Slot special_slot(ptx::SpecialRegister reg, unsigned component) {
  using R = ptx::SpecialRegister;
  const u32 c = component < 3 ? component : 0;
  if (component >= 3) return block(kRowZero);
  switch (reg) {
    case R::tid:
      return thread(kRowTid + c);
    case R::warpid:
      return thread(kRowWarpid);
    case R::ntid:
      return block(kRowNtid + c);
    case R::ctaid:
      return block(kRowCtaid + c);
    case R::nctaid:
      return block(kRowNctaid + c);
    case R::laneid:
      return block(kRowLaneid);
    case R::nwarpid:
      return block(kRowNwarpid);
    case R::smid:
      return block(kRowSmid);
    case R::nsmid:
      return block(kRowNsmid);
    case R::gridid:
      return block(kRowGridid);
    case R::is_explicit_cluster:
      return block(kRowIsExplicitCluster);
    case R::clusterid:
      return block(kRowClusterid + c);
    case R::nclusterid:
      return block(kRowNclusterid + c);
    case R::cluster_ctaid:
      return block(kRowClusterCtaid + c);
    case R::cluster_nctaid:
      return block(kRowClusterNctaid + c);
    case R::cluster_ctarank:
      return block(kRowClusterCtarank);
    case R::cluster_nctarank:
      return block(kRowClusterNctarank);
    case R::lanemask_eq:
      return block(kRowLanemaskEq);
    case R::lanemask_le:
      return block(kRowLanemaskLe);
    case R::lanemask_lt:
      return block(kRowLanemaskLt);
    case R::lanemask_ge:
      return block(kRowLanemaskGe);
    case R::lanemask_gt:
      return block(kRowLanemaskGt);
    case R::total_smem_size:
    case R::aggr_smem_size:
      return block(kRowTotalSmem);
    case R::dynamic_smem_size:
      return block(kRowDynamicSmem);
    case R::reserved_smem_offset_begin:
    case R::reserved_smem_offset_cap:
    case R::reserved_smem_offset_0:
      return block(kRowReservedBegin);
    case R::reserved_smem_offset_1:
      return block(kRowReservedFirst);
    case R::reserved_smem_offset_end:
      return block(kRowReservedEnd);
    case R::clock:
    case R::clock_hi:
    case R::clock64:
    case R::globaltimer:
    case R::globaltimer_lo:
    case R::globaltimer_hi:
      return kNoSlot;
    default:
      break;
  }
  const u32 n = u32(reg);
  if (n == u32(R::envreg0) + 1) return block(kRowEnvreg1);
  if (n == u32(R::envreg0) + 2) return block(kRowEnvreg2);
  return block(kRowZero);
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
