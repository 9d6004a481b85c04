// SPDX-License-Identifier: Apache-2.0
// Handlers of the barrier of a cluster, and of addresses of other blocks' shared memory.
#include <bit>

#include "cpu/checks/checks.hpp"
#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"

namespace cucore::cpu {

using enum Regular;

void cluster_arrive(Warp& w, const Op& op) {
  Cluster& cluster = w.block->cluster;
  if (w.block->checks) on_cluster_arrive(w);
  const uint32_t twice = cluster.arrived(w) & w.mask;
  if (twice == 0 && cluster.arrive(w, w.mask)) return;
  raise(w, op, std::countr_zero(twice), CUDA_ERROR_LAUNCH_FAILED,
        "invalid use of the barrier of a cluster", "a thread arrives twice without a wait");
}

uint32_t rank_of(const Warp& w, uint64_t offset) {
  const uint64_t rank = offset >> RANK_SHIFT;
  return rank == 0 ? w.block->rank : uint32_t(rank - 1);
}

namespace {

constexpr uint32_t NO_RANK = 0xfe;  // of no block: an access to the address faults

// Maps an address to the same place in another block.
template <class T>
void map_address(Warp& w, const Op& op) {
  const T* a = w.at<T>(op[FIRST]);
  const uint32_t* ranks = w.at<uint32_t>(op[SECOND]);
  T* d = w.at<T>(op[RESULT]);
  const T window = T(op.imm);
  // A variable's address has no window, and an offset.
  const T given = op.target ? T(0) - w.at<T>(op[THIRD])[0] : window;
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const uint32_t rank = ranks[l] < w.block->launch.cluster_size ? ranks[l] : NO_RANK;
    const T offset = T(a[l] - given) & T(OFFSET_MASK);
    d[l] = window + (T(rank + 1) << RANK_SHIFT | offset);
  }
}

template <class T>
void give_rank(Warp& w, const Op& op) {
  const T* a = w.at<T>(op[FIRST]);
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  const T given = op.target ? T(0) - w.at<T>(op[THIRD])[0] : T(op.imm);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    d[l] = rank_of(w, uint32_t(a[l] - given));
  }
}

}  // namespace

Handler select_mapa(ptx::Opcode opcode, unsigned width) {
  if (opcode == ptx::Opcode::mapa)
    return width == 4 ? map_address<uint32_t> : map_address<uint64_t>;
  return width == 4 ? give_rank<uint32_t> : give_rank<uint64_t>;
}

}  // namespace cucore::cpu
