// SPDX-License-Identifier: Apache-2.0
// Resolves addresses that the fast paths do not find, and reports the exact error of an invalid
// one.
#include "cpu/exec/access.hpp"

#include "cpu/checks/checks.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"
#include "support/counted.hpp"

namespace cucore::cpu {
namespace {

std::string access_text(uint64_t address, uint64_t size, Access access) {
  return std::string(access == Access::READ ? "read " : "wrote ") + counted(size, "byte") + " at " +
         hex_text(address);
}

[[noreturn]] void stray(const Warp& w, const Op& op, int lane, uint64_t address, uint64_t size,
                        Access access, const std::string& where) {
  raise(w, op, lane, CUDA_ERROR_ILLEGAL_ADDRESS, "illegal address",
        access_text(address, size, access) + ", " + where);
}

// Accesses memory of a fixed size that starts at 0 of its window.
std::byte* bounded(const Warp& w, const Op& op, int lane, uint64_t address, uint64_t size,
                   Access access, std::byte* memory, uint64_t bytes, const char* name) {
  if (address <= bytes && size <= bytes - address) return memory + address;
  const std::string where = address < bytes ? "across the end of the "
                            : int64_t(address) < 0
                                ? "before the start of the "
                                : counted(address - bytes, "byte") + " past the end of the ";
  stray(w, op, lane, address, size, access, where + counted(bytes, "byte") + " of " + name);
}

void remember(Warp& w, const Op& op, uint64_t generation, const Range& range) {
  Site* sites = w.sites;
  if (sites[0].base != generation) {
    for (Site& site : w.worker->sites_of(*w.frame->function->module)) site = Site{};
    sites[0].base = generation;
  }
  sites[op.site] = {range.base, range.size, reinterpret_cast<uint64_t>(range.host) - range.base};
}

std::string barred_text(const Range& range, int device) {
  if (range.kind != MemoryKind::MAPPED)
    return "memory of device " + std::to_string(range.device) + " without peer access";
  return std::string(range.readers >> (device & 63) & 1 ? "mapped for reads only"
                                                        : "mapped without access") +
         " by device " + std::to_string(device);
}

std::byte* global(Warp& w, const Op& op, int lane, uint64_t address, uint64_t size, Access access) {
  const AddressSpace& space = AddressSpace::instance();
  const uint64_t generation = space.generation().load(std::memory_order_acquire);
  const auto range = space.find(address);
  const Launch& launch = *w.block->launch.launch;
  if (range && !range->reachable(launch.device, launch.limits.accessible_devices, access))
    stray(w, op, lane, address, size, access, barred_text(*range, launch.device));
  // A long access may span mappings.
  if (!range ||
      (size > range->size - (address - range->base) && !space.host(address, size, access)))
    stray(w, op, lane, address, size, access, space.describe(address, size));
  if (access == Access::WRITE && range->read_only)
    stray(w, op, lane, address, size, access, "read-only memory");
  if (op.site) remember(w, op, generation, *range);
  return range->host + (address - range->base);
}

std::byte* local(const Warp& w, const Op& op, int lane, uint64_t address, uint64_t size,
                 Access access) {
  return bounded(w, op, lane, address, size, access, w.local + uint64_t(lane) * w.local_stride,
                 w.local_stride, "local memory");
}

// Accesses the memory of the block that the address contains, see RANK_SHIFT.
std::byte* shared_of_rank(const Warp& w, const Op& op, int lane, uint64_t address, uint64_t size,
                          Access access, bool of_cluster) {
  const auto& blocks = w.block->cluster.blocks;
  const uint64_t rank = (address >> RANK_SHIFT) - 1;
  if (rank >= blocks.size())
    stray(w, op, lane, address, size, access,
          "shared memory of block rank " + std::to_string(rank) + " in a cluster of " +
              counted(blocks.size(), "block"));
  const Block& block = *blocks[rank];
  if (&block != w.block && !of_cluster)
    stray(w, op, lane, address, size, access,
          "shared memory of block rank " + std::to_string(rank) + ", without .shared::cluster");
  if (block.live_threads == 0)
    stray(w, op, lane, address, size, access,
          "shared memory of block rank " + std::to_string(rank) + ", which has exited");
  const std::string name = "shared memory of block rank " + std::to_string(rank);
  return bounded(w, op, lane, address & OFFSET_MASK, size, access, block.shared.get(),
                 w.shared_size, name.c_str());
}

std::byte* shared(const Warp& w, const Op& op, int lane, uint64_t address, uint64_t size,
                  Access access, bool of_cluster) {
  const bool has_rank = address >> RANK_SHIFT != 0 && address < AddressSpace::WINDOW;
  // Without clusters, only the own rank is an address; others are far behind the own memory.
  const bool alone = w.block->cluster.blocks.size() == 1 && address >> RANK_SHIFT != 1;
  if (has_rank && !alone) return shared_of_rank(w, op, lane, address, size, access, of_cluster);
  return bounded(w, op, lane, address, size, access, w.shared, w.shared_size, "shared memory");
}

std::byte* param(const Warp& w, const Op& op, int lane, uint64_t address, uint64_t size,
                 Access access) {
  if (access == Access::WRITE)
    stray(w, op, lane, address, size, access, "a kernel parameter, which is read-only");
  return bounded(w, op, lane, address, size, access, const_cast<std::byte*>(w.params),
                 w.block->entry.source->param_bytes, "kernel parameters");
}

std::byte* generic(Warp& w, const Op& op, int lane, uint64_t address, uint64_t size,
                   Access access) {
  const AddressSpace& space = AddressSpace::instance();
  constexpr uint64_t WINDOW = AddressSpace::WINDOW;
  if (address - space.shared_window() < WINDOW)
    return shared(w, op, lane, address - space.shared_window(), size, access, true);
  if (address - space.local_window() < WINDOW)
    return local(w, op, lane, address - space.local_window(), size, access);
  if (address - space.param_window() < WINDOW)
    return param(w, op, lane, address - space.param_window(), size, access);
  return global(w, op, lane, address, size, access);
}

std::byte* find(Warp& w, const Op& op, int lane, uint64_t address, uint64_t size, Access access,
                Region region) {
  switch (region) {
    case Region::SHARED:
      return shared(w, op, lane, address, size, access, false);
    case Region::CLUSTER:
      return shared(w, op, lane, address, size, access, true);
    case Region::LOCAL:
      return local(w, op, lane, address, size, access);
    case Region::PARAM:
      return param(w, op, lane, address, size, access);
    case Region::FRAME_PARAM:
      return bounded(w, op, lane, address, size, access,
                     w.frame->params + uint64_t(lane) * w.frame->param_stride,
                     w.frame->param_stride, "call parameters");
    case Region::GENERIC:
      return generic(w, op, lane, address, size, access);
    default:
      return global(w, op, lane, address, size, access);
  }
}

}  // namespace

std::byte* resolve(Warp& w, const Op& op, int lane, uint64_t address, uint64_t size, Access access,
                   Region region) {
  if ((size & (size - 1)) == 0 && (address & (size - 1)))
    raise(w, op, lane, CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address",
          access_text(address, size, access));
  std::byte* p = resolve_bytes(w, op, lane, address, size, access, region);
  if (w.block->checks && w.block->checks->noting)
    note_access(w, op, lane, address, size, access, region);
  return p;
}

std::byte* own_shared(const Warp& w, const Op& op, uint64_t address, uint64_t size) {
  if (Region(op.target & 0xff) != Region::GENERIC) return nullptr;
  const uint64_t offset = address - AddressSpace::instance().shared_window();
  const bool inside = offset <= w.shared_size && size <= w.shared_size - offset;
  return inside ? w.shared + offset : nullptr;
}

std::byte* resolve_bytes(Warp& w, const Op& op, int lane, uint64_t address, uint64_t size,
                         Access access, Region region) {
  std::byte* p = find(w, op, lane, address, size, access, region);
  if (w.block->checks && access == Access::WRITE) note_write(w, address, size, region);
  return p;
}

}  // namespace cucore::cpu
