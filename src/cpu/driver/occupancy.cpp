// SPDX-License-Identifier: Apache-2.0
// Occupancy arithmetic, as in NVIDIA's occupancy calculator.
#include "cpu/driver/occupancy.hpp"

#include <algorithm>

#include "cpu/driver/device.hpp"

namespace cucore::cpu {
namespace {

constexpr int WARP = 32;
// The parts of the level-1 cache that can be shared memory, in KiB.
constexpr size_t SHARED_SIZES[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};
int divide_up(int a, int b) { return (a + b - 1) / b; }
size_t round_up(size_t a, size_t b) { return (a + b - 1) / b * b; }
int warps_of(const BlockNeeds& needs) { return divide_up(needs.threads, WARP); }

// Each scheduler has a quarter of the registers and holds whole warps.
int warps_by_registers(const Multiprocessor& sm, int registers) {
  int of_warp = divide_up(std::max(registers, 1) * WARP, sm.register_unit) * sm.register_unit;
  return sm.registers / sm.partitions / of_warp * sm.partitions;
}

int blocks_by_shared(const Multiprocessor& sm, size_t shared) {
  size_t of_block = round_up(shared + static_cast<size_t>(sm.reserved_shared),
                             static_cast<size_t>(sm.shared_unit));
  if (of_block == 0) return sm.blocks;
  return static_cast<int>(std::min<size_t>(static_cast<size_t>(sm.shared) / of_block, INT32_MAX));
}

}  // namespace

bool registers_suffice(const Multiprocessor& sm, const BlockNeeds& needs) {
  return warps_by_registers(sm, needs.registers) >= warps_of(needs);
}

int blocks_per_multiprocessor(const Multiprocessor& sm, const BlockNeeds& needs) {
  int warps = warps_of(needs);
  if (warps <= 0) return 0;
  return std::min({sm.blocks, sm.warps / warps, warps_by_registers(sm, needs.registers) / warps,
                   blocks_by_shared(sm, needs.shared)});
}

size_t shared_per_block(const Multiprocessor& sm, int blocks) {
  size_t share = static_cast<size_t>(sm.shared / blocks);
  return share - share % static_cast<size_t>(sm.shared_unit);
}

size_t shared_for_blocks(const Profile& profile, size_t of_block, int carveout) {
  const Multiprocessor& sm = profile.multiprocessor();
  if (carveout < 0) return static_cast<size_t>(sm.shared);
  const size_t wanted =
      std::max(static_cast<size_t>(sm.shared) * static_cast<size_t>(carveout) / 100,
               of_block + static_cast<size_t>(sm.reserved_shared));
  for (const size_t kibibytes : SHARED_SIZES)
    if (kibibytes * 1024 >= wanted)
      return std::min(kibibytes * 1024, static_cast<size_t>(sm.shared));
  return static_cast<size_t>(sm.shared);
}

int largest_cluster(const Function& function) {
  const Multiprocessor& sm = function.device().profile().multiprocessor();
  int most =
      function.attributes().non_portable_cluster ? sm.max_cluster_non_portable : sm.max_cluster;
  uint32_t limit = function.info().max_cluster;
  return limit ? static_cast<int>(std::min(limit, static_cast<uint32_t>(most))) : most;
}

int active_clusters(const Multiprocessor& sm, int sm_count, int cluster, const BlockNeeds& needs) {
  if (sm.gpc == 0 || cluster <= 0) return 0;
  int blocks = blocks_per_multiprocessor(sm, needs);
  int rest = sm_count % sm.gpc;  // a cluster stays within one group of multiprocessors
  return sm_count / sm.gpc * (sm.gpc * blocks / cluster) + rest * blocks / cluster;
}

BlockNeeds needs_of(const Function& function, int threads, size_t dynamic_shared) {
  const KernelInfo& info = function.info();
  return {threads, static_cast<int>(info.registers), info.static_shared + dynamic_shared};
}

}  // namespace cucore::cpu
