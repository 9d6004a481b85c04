// SPDX-License-Identifier: Apache-2.0
#include "cpu/counts/other_accesses.hpp"

#include <algorithm>
#include <bit>

#include "cpu/counts/access_rules.hpp"
#include "cpu/counts/counts.hpp"
#include "cpu/exec/matrix_access.hpp"
#include "cpu/exec/memory.hpp"
#include "cpu/exec/thread_copies.hpp"

namespace cucore::cpu {
namespace {

using ptx::Opcode;

constexpr uint32_t ROW_OF_MATRIX = 16;  // bytes
constexpr uint32_t ROWS_OF_MATRIX = 8;
constexpr uint64_t PART = 16;  // bytes of a line that one lane stands for
static_assert(Pattern{} == Pattern::LANES);

// Accesses of up to 32 lanes of one size.
class LaneAccesses {
 public:
  void set(int lane, uint64_t address) {
    lanes_.addresses[lane] = address;
    mask_ |= 1u << lane;
  }
  uint32_t mask() const { return mask_; }
  // Returns the accesses. Inactive lanes have the address of an active one.
  WarpAccess of_size(uint32_t size) {
    const uint64_t some = lanes_.addresses[std::countr_zero(mask_)];
    lanes_.low = lanes_.high = some;
    for (int l = 0; l < LANES; ++l) {
      uint64_t& address = lanes_.addresses[l];
      if (!(mask_ >> l & 1)) address = some;
      lanes_.low = std::min(lanes_.low, address);
      lanes_.high = std::max(lanes_.high, address);
    }
    return {lanes_, mask_, size};
  }

 private:
  Lanes lanes_{};  // the pattern LANES
  uint32_t mask_ = 0;
};

bool is_shared(uint64_t& address, Region region) {
  if (region == Region::SHARED) return true;
  if (region != Region::GENERIC) return false;
  const uint64_t offset = address - AddressSpace::instance().shared_window();
  if (offset >= AddressSpace::WINDOW) return false;
  address = offset;
  return true;
}

// Each thread reads up to `size` bytes of global memory, and writes `size` bytes of shared memory.
bool count_copy(Warp& w, const Op& op, WorkerCounts& counts, RowTraffic& row) {
  LaneAccesses from[5], to;  // by log2 of the bytes
  uint64_t wanted_bytes = 0;
  const uint32_t size = copy_size(w, op);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    to.set(l, copy_destination(w, op, l));
    const uint32_t wanted = copy_source_size(w, op, l);
    wanted_bytes += wanted;
    // Sizes between two powers of two touch the sectors of the larger one.
    if (wanted != 0) from[std::bit_width(wanted - 1)].set(l, copy_source(w, op, l));
  }
  add_shared_traffic(to.of_size(size), SharedAccess::STORE, row.shared);
  if (wanted_bytes == 0) return false;
  const uint64_t bytes = row.global.bytes + wanted_bytes, requests = row.global.requests + 1;
  for (uint32_t shift = 0; shift < 5; ++shift)
    if (from[shift].mask() != 0)
      add_global_traffic(counts, from[shift].of_size(1u << shift), Hook::LOAD, row.global);
  row.global.bytes = bytes;
  row.global.requests = requests;
  return false;  // the copy writes zeros by itself
}

// Each eight lanes have the addresses of the rows of one matrix, which one wavefront can transfer.
bool count_rows(Warp& w, const Op& op, RowTraffic& row) {
  LaneAccesses rows;
  const auto count =
      std::min<uint32_t>(LANES, ROWS_OF_MATRIX * uint32_t(matrix_of(w, op).d.size()));
  for (int l = 0; l < int(count); ++l) {
    uint64_t address = matrix_address(w, op, l);
    is_shared(address, Region(op.target & 0xff));
    rows.set(l, address);
  }
  // As a store: the rule of addresses in pairs is one of loads by threads.
  add_shared_traffic(rows.of_size(ROW_OF_MATRIX), SharedAccess::STORE, row.shared);
  return false;
}

// The lines of a matrix, in parts of 16 bytes or less that stand for a lane each.
bool count_lines(Warp& w, const Op& op, bool loads, WorkerCounts& counts, RowTraffic& row) {
  const MatrixLines lines = lines_of(w, op);
  uint64_t first = lines.address;
  const bool shared = is_shared(first, Region(op.target & 0xff));
  cucore_cpu_traffic& traffic = shared ? row.shared : row.global;
  const uint64_t bytes = traffic.bytes + uint64_t{lines.count} * lines.bytes;
  const uint64_t requests = traffic.requests + 1;
  const uint32_t part =
      uint32_t(uint64_t{1} << std::min(std::countr_zero(PART), std::countr_zero(lines.bytes)));
  LaneAccesses batch;
  int lane = 0;
  const auto flush = [&] {
    if (lane == 0) return;
    if (shared)
      add_shared_traffic(batch.of_size(part), SharedAccess::STORE, traffic);
    else
      add_global_traffic(counts, batch.of_size(part), loads ? Hook::LOAD : Hook::STORE, traffic);
    batch = LaneAccesses();
    lane = 0;
  };
  for (unsigned line = 0; line < lines.count; ++line)
    for (unsigned at = 0; at < lines.bytes; at += part) {
      batch.set(lane++, first + line * lines.pitch + at);
      if (lane == LANES) flush();
    }
  flush();
  traffic.bytes = bytes;
  traffic.requests = requests;
  return !shared;
}

bool is_of_block(Region region) { return region == Region::SHARED || region == Region::CLUSTER; }

// A range of shared memory takes a wavefront per 128 bytes.
void add_shared_range(uint64_t address, uint64_t size, cucore_cpu_traffic& traffic) {
  constexpr uint64_t WAVEFRONT = 128;
  traffic.requests += 1;
  traffic.bytes += size;
  traffic.wavefronts += (address % WAVEFRONT + size + WAVEFRONT - 1) / WAVEFRONT;
}

// A copy or reduction of each thread; most kernels have one thread that copies.
bool count_bulk(Warp& w, const Op& op, WorkerCounts& counts, RowTraffic& row) {
  const AsyncSite& site = w.frame->function->async[op.target];
  const bool reduces = site.reduction.combine != nullptr;
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const uint32_t size = w.at<uint32_t>(site.size)[l];
    if (size == 0) continue;
    if (is_of_block(site.from.region) != is_of_block(site.to.region)) {
      const AddressSlot& shared = is_of_block(site.to.region) ? site.to : site.from;
      add_shared_range(shared.of(w, l), size, row.shared);
    }
    if (!is_of_block(site.from.region))
      add_global_range(counts, site.from.of(w, l), size, Hook::LOAD, row.global);
    if (!is_of_block(site.to.region))
      add_global_range(counts, site.to.of(w, l), size, reduces ? Hook::ATOMIC : Hook::STORE,
                       row.global);
    // Between blocks of a cluster, both sides are shared memory; the writes count.
    if (is_of_block(site.from.region) && is_of_block(site.to.region))
      add_shared_range(site.to.of(w, l), size, row.shared);
  }
  return false;  // without memory, the copy reads zeros
}

}  // namespace

bool is_counted_other(Opcode opcode) {
  switch (opcode) {
    case Opcode::cp_async:
    case Opcode::cp_async_bulk:
    case Opcode::cp_reduce_async_bulk:
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::wmma_load_a:
    case Opcode::wmma_load_b:
    case Opcode::wmma_load_c:
    case Opcode::wmma_store_d:
      return true;
    default:
      return false;
  }
}

bool count_other_access(Warp& w, const Op& op, Opcode opcode, WorkerCounts& counts,
                        RowTraffic& row) {
  switch (opcode) {
    case Opcode::cp_async:
      return count_copy(w, op, counts, row);
    case Opcode::cp_async_bulk:
    case Opcode::cp_reduce_async_bulk:
      return count_bulk(w, op, counts, row);
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
      return count_rows(w, op, row);
    default:
      return count_lines(w, op, opcode != Opcode::wmma_store_d, counts, row);
  }
}

}  // namespace cucore::cpu
