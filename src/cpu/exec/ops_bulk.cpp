// SPDX-License-Identifier: Apache-2.0
// Bulk copies and reductions, st.async and red.async. An instruction checks its addresses and adds
// an operation to the queue of the cluster.
#include <bit>
#include <cstring>

#include "cpu/checks/checks.hpp"
#include "cpu/counts/counts.hpp"
#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"

namespace cucore::cpu {
namespace {

constexpr uint64_t UNIT = 16;  // alignment and granularity of bulk copies

void read_source(AsyncOperation& a) {
  const std::byte* from = a.source();
  a.data.assign(from, from + a.size);
}

void copy_masked(std::byte* to, const std::byte* from, const AsyncOperation& a) {
  for (uint32_t k = 0; k < a.size; ++k)
    if (a.byte_mask >> k % UNIT & 1) to[k] = from[k];
}

// Source and destination may be the same memory.
void move_bytes(AsyncOperation& a) {
  const std::byte* from = a.source();
  std::byte* to = a.destination();
  if (a.reduction.combine)
    for (uint32_t k = 0; k < a.size; k += a.reduction.size) a.reduction.combine(to + k, from + k);
  else if (a.byte_mask != 0xffff)
    copy_masked(to, from, a);
  else
    std::memmove(to, from, a.size);
}

AsyncOperation issued(Warp& w, const Op& op, int lane) {
  AsyncOperation a;
  a.run = move_bytes;
  a.warp = &w;
  a.op = &op;
  a.function = w.frame->function;
  a.lane = lane;
  return a;
}

void check_units(const AsyncOperation& a) {
  if ((a.to.address | a.from.address | a.size) & (UNIT - 1))
    raise(*a.warp, *a.op, a.lane, CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address",
          "addresses and sizes of bulk copies are multiples of 16");
}

// Moves an address of shared memory to the same place in another block.
AsyncRange in_block(const AsyncRange& range, uint32_t rank) {
  const uint64_t window =
      range.region == Region::GENERIC ? AddressSpace::instance().shared_window() : 0;
  const uint64_t offset = (range.address - window) & OFFSET_MASK;
  return {window + (uint64_t{rank + 1} << RANK_SHIFT | offset), range.region};
}

bool has_no_global_memory(const Warp& w) {
  return w.worker->counts && w.worker->counts->launch.ghost;
}

void set_barrier(AsyncOperation& a, const AsyncRange& place) {
  a.barrier = find_mbarrier(*a.warp, *a.op, a.lane, place.address, place.region);
}

void issue_bulk_lane(Warp& w, const Op& op, const AsyncSite& site, int lane) {
  AsyncOperation a = issued(w, op, lane);
  a.read = read_source;
  a.to = {site.to.of(w, lane), site.to.region};
  a.from = {site.from.of(w, lane), site.from.region};
  a.size = w.at<uint32_t>(site.size)[lane];
  a.reduction = site.reduction;
  if (site.byte_mask != NO_SLOT) a.byte_mask = w.at<uint16_t>(site.byte_mask)[lane];
  check_units(a);
  if (a.size == 0) return;
  const bool has_barrier = site.barrier.base != NO_SLOT;
  const AsyncRange barrier =
      has_barrier ? AsyncRange{site.barrier.of(w, lane), site.barrier.region} : AsyncRange{};
  a.bytes = a.size;
  charge_copy(w, a.size);
  if (has_no_global_memory(w)) {  // global memory reads as zeros, and stores do nothing
    if (a.to.region == Region::GLOBAL) return;
    if (a.from.region == Region::GLOBAL) a.data.resize(a.size);
  }
  a.source();  // faults belong to the instruction, not to a wait
  if (site.blocks != NO_SLOT) return multicast(a, barrier, w.at<uint16_t>(site.blocks)[lane]);
  a.destination();
  if (has_barrier) set_barrier(a, barrier);
  w.block->cluster.async.add(std::move(a));
}

void issue_bulk(Warp& w, const Op& op) {
  const AsyncSite& site = w.frame->function->async[op.target];
  for (uint32_t m = w.mask; m; m &= m - 1) issue_bulk_lane(w, op, site, std::countr_zero(m));
}

// st.async, red.async: the values are those of the registers now.
void issue_values(Warp& w, const Op& op) {
  const AsyncSite& site = w.frame->function->async[op.target];
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    AsyncOperation a = issued(w, op, l);
    a.size = a.bytes = site.count * site.width;
    a.to = {site.to.of(w, l), site.to.region};
    a.reduction = site.reduction;
    const uint64_t window = AddressSpace::instance().shared_window();
    if (a.to.region == Region::GENERIC && a.to.address - window >= AddressSpace::WINDOW)
      raise(w, op, l, CUDA_ERROR_ILLEGAL_ADDRESS, "illegal address",
            "the destination " + hex_text(a.to.address) + " is not in shared memory");
    resolve(w, op, l, a.to.address, a.size, Access::WRITE, a.to.region);
    set_barrier(a, {site.barrier.of(w, l), site.barrier.region});
    a.data.resize(a.size);
    for (uint32_t v = 0; v < site.count; ++v)
      std::memcpy(a.data.data() + v * site.width,
                  w.at<std::byte>(site.values[v]) + size_t(l) * site.width, site.width);
    w.block->cluster.async.add(std::move(a));
  }
}

void wait(Warp& w, const Op& op, bool read_only) {
  const auto pending = uint32_t(std::min<uint64_t>(op.imm, UINT32_MAX));
  for (uint32_t m = w.mask; m; m &= m - 1)
    w.block->cluster.async.wait(w, std::countr_zero(m), pending, read_only);
}

}  // namespace

void charge_copy(Warp& w, uint64_t bytes) {
  constexpr uint64_t BYTES_OF_INSTRUCTION = 512;
  w.quantum -= int64_t(bytes / BYTES_OF_INSTRUCTION);
  w.worker->warp_instructions += bytes / BYTES_OF_INSTRUCTION;
}

void multicast(const AsyncOperation& prototype, const AsyncRange& barrier, uint32_t ranks) {
  Cluster& cluster = prototype.warp->block->cluster;
  for (uint32_t m = ranks; m; m &= m - 1) {
    const auto rank = uint32_t(std::countr_zero(m));
    AsyncOperation a = prototype;
    a.to = in_block(prototype.to, rank);
    a.destination();
    set_barrier(a, in_block(barrier, rank));
    cluster.async.add(std::move(a));
  }
}

void store_bulk(Warp& w, const Op& op) {
  constexpr uint64_t STORE_UNIT = 8;
  const AsyncSite& site = w.frame->function->async[op.target];
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const uint64_t address = site.to.of(w, l), size = w.at<uint64_t>(site.size)[l];
    if ((address | size) % STORE_UNIT)
      raise(w, op, l, CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address",
            "addresses and sizes of st.bulk are multiples of 8");
    const uint64_t window = AddressSpace::instance().shared_window();
    if (site.to.region == Region::GENERIC && address - window >= AddressSpace::WINDOW)
      raise(w, op, l, CUDA_ERROR_ILLEGAL_ADDRESS, "illegal address",
            "st.bulk at " + hex_text(address) + "; expected an address in shared memory");
    if (size == 0) continue;
    std::memset(resolve_bytes(w, op, l, address, size, Access::WRITE, site.to.region), 0, size);
    if (w.block->checks && w.block->checks->noting)
      note_access(w, op, l, address, size, Access::WRITE, site.to.region);
    charge_copy(w, size);
  }
}

// A response of zeros means that the request has failed. It arrives as a copy does.
void refuse_cancel(Warp& w, const Op& op) {
  constexpr uint32_t RESPONSE = 16;
  const AsyncSite& site = w.frame->function->async[op.target];
  const auto blocks = uint32_t(w.block->cluster.blocks.size());
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    AsyncOperation a = issued(w, op, l);
    a.size = a.bytes = RESPONSE;
    a.data.resize(RESPONSE);
    const auto reach = [&](Region region) {
      return op.imm && region == Region::SHARED ? Region::CLUSTER : region;
    };
    a.to = {site.to.of(w, l), reach(site.to.region)};
    const AsyncRange barrier{site.barrier.of(w, l), reach(site.barrier.region)};
    resolve(w, op, l, a.to.address, RESPONSE, Access::WRITE, a.to.region);
    if (op.imm) {
      multicast(a, barrier, blocks >= 32 ? ~uint32_t{0} : (uint32_t{1} << blocks) - 1);
      continue;
    }
    set_barrier(a, barrier);
    w.block->cluster.async.add(std::move(a));
  }
}

void test_canceled(Warp& w, const Op& op) { *w.at<uint32_t>(op[Regular::RESULT]) &= ~w.mask; }

void first_of_canceled(Warp& w, const Op& op) {
  for (uint32_t m = w.mask; m; m &= m - 1)
    for (size_t k = 0; k < op.imm; ++k)
      w.at<uint32_t>(op.at(Regular::RESULT, k))[std::countr_zero(m)] = 0;
}

void refuse_multicast(Warp& w, const Op& op) {
  raise(w, op, std::countr_zero(w.mask), CUDA_ERROR_ILLEGAL_ADDRESS, "illegal address",
        "multimem requires the address of a multicast object, and this device has none");
}

void bulk_commit(Warp& w, const Op&) {
  for (uint32_t m = w.mask; m; m &= m - 1) w.block->cluster.async.commit(w, std::countr_zero(m));
}
void bulk_wait(Warp& w, const Op& op) { wait(w, op, false); }
void bulk_wait_read(Warp& w, const Op& op) { wait(w, op, true); }

Handler select_async(ptx::Opcode opcode) {
  const bool has_values = opcode == ptx::Opcode::st_async || opcode == ptx::Opcode::red_async;
  return has_values ? issue_values : issue_bulk;
}

}  // namespace cucore::cpu
