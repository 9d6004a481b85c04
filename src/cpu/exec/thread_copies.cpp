// SPDX-License-Identifier: Apache-2.0
// cp.async: issue, groups and waits.
#include "cpu/exec/thread_copies.hpp"

#include <bit>
#include <cstring>

#include "cpu/checks/checks.hpp"
#include "cpu/counts/counts.hpp"
#include "cpu/exec/access.hpp"
#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"

namespace cucore::cpu {
namespace {

constexpr size_t MAX_PENDING = 512;  // copies of a warp

// Returns the source; most warps hit the allocation that the site contains.
const std::byte* source_at(Warp& w, const Op& op, int lane, uint64_t from, uint32_t size) {
  const Site& site = w.sites[op.site];
  const uint64_t offset = from - site.base;
  if (offset <= site.size && size <= site.size - offset &&
      w.sites[0].base == w.generation->load(std::memory_order_relaxed))
    return reinterpret_cast<const std::byte*>(from + site.delta);
  return resolve_bytes(w, op, lane, from, size, Access::READ, Region::GLOBAL);
}

std::byte* destination_at(Warp& w, const Op& op, int lane, uint64_t to, uint32_t size) {
  if (to <= w.shared_size && size <= w.shared_size - to && !(to & (size - 1))) return w.shared + to;
  return resolve(w, op, lane, to, size, Access::WRITE, Region::SHARED);
}

void copy_lane(Warp& w, const ThreadCopy& copy, int lane, bool waits) {
  std::byte* d = destination_at(w, *copy.op, lane, copy.to[lane], copy.size);
  const uint32_t wanted = copy.wanted[lane];
  if (w.block->checks) on_copy_end(w, copy.to[lane], copy.size);
  if (w.block->checks) note_write(w, copy.to[lane], copy.size, Region::SHARED);
  // An arrival at an mbarrier, not the thread, may complete the copy: it then orders the copy.
  if (w.block->checks && waits) {
    note_access(w, *copy.op, lane, copy.to[lane], copy.size, Access::WRITE, Region::SHARED);
    if (wanted)
      note_access(w, *copy.op, lane, copy.from[lane], wanted, Access::READ, Region::GLOBAL);
  }
  if (wanted) std::memcpy(d, source_at(w, *copy.op, lane, copy.from[lane], wanted), wanted);
  std::memset(d + wanted, 0, copy.size - wanted);
}

}  // namespace

template <class Lanes>
void ThreadCopies::complete(Warp& w, Lanes lanes_of, bool waits) {
  size_t kept = 0;
  for (ThreadCopy& copy : pending_) {
    const uint32_t ready = copy.lanes & lanes_of(copy);
    if (ready) {
      const Issuer issuer(w, *copy.function);
      for (uint32_t m = ready; m; m &= m - 1) copy_lane(w, copy, std::countr_zero(m), waits);
      copy.lanes &= ~ready;
    }
    if (copy.lanes == 0) continue;
    if (&pending_[kept] != &copy) pending_[kept] = copy;
    ++kept;
  }
  w.block->give_back((pending_.size() - kept) * sizeof(ThreadCopy));
  pending_.resize(kept);
}

void ThreadCopies::add(Warp& w, const ThreadCopy& copy) {
  if (pending_.size() >= MAX_PENDING || !w.block->take(sizeof(ThreadCopy))) {
    wait_all(w, FULL_MASK);
    if (!w.block->take(sizeof(ThreadCopy))) {
      for (uint32_t m = copy.lanes; m; m &= m - 1) copy_lane(w, copy, std::countr_zero(m), true);
      return;
    }
  }
  pending_.push_back(copy);
  pending_.back().number = next_++;
  std::memcpy(pending_.back().group, committed_, sizeof committed_);
}

void ThreadCopies::commit(uint32_t lanes) {
  for (uint32_t m = lanes; m; m &= m - 1) ++committed_[std::countr_zero(m)];
}

void ThreadCopies::wait_group(Warp& w, uint32_t lanes, uint32_t pending) {
  complete(
      w,
      [&](const ThreadCopy& copy) {
        uint32_t ready = 0;
        for (uint32_t m = lanes & copy.lanes; m; m &= m - 1) {
          const int l = std::countr_zero(m);
          ready |= uint32_t{uint64_t{copy.group[l]} + pending < committed_[l]} << l;
        }
        return ready;
      },
      true);
}

void ThreadCopies::finish(Warp& w, uint32_t lanes, uint64_t number) {
  complete(
      w, [&](const ThreadCopy& copy) { return copy.number < number ? lanes : 0; },
      number == ~uint64_t{0});
}

bool ThreadCopies::has_pending(int lane) const {
  for (const ThreadCopy& copy : pending_)
    if (copy.lanes >> lane & 1) return true;
  return false;
}

void ThreadCopies::clear(Block& block) {
  block.give_back(pending_.size() * sizeof(ThreadCopy));
  pending_.clear();
}

// ---- handlers

namespace {

ThreadCopies& copies_of(Warp& w) {
  auto& copies = w.block->copies;
  if (copies.empty()) copies.resize(w.block->launch.warp_count);
  return copies[w.index];
}

}  // namespace

uint32_t copy_size(const Warp& w, const Op& op) { return w.at<uint32_t>(op[CopyAsync::SIZE])[0]; }

uint32_t copy_source_size(const Warp& w, const Op& op, int lane) {
  const uint32_t size = copy_size(w, op);
  const Slot slot = op[CopyAsync::SOURCE_SIZE];
  const uint32_t wanted = slot == NO_SLOT ? size : w.at<uint32_t>(slot)[lane];
  if (op[CopyAsync::IGNORE] == NO_SLOT) return std::min(wanted, size);
  const bool holds = *w.at<uint32_t>(op[CopyAsync::IGNORE]) >> lane & 1;
  const bool negated = op.target & COPY_IGNORE_NEGATED;
  return holds != negated ? 0 : std::min(wanted, size);
}

// imm contains the offset of the destination.
uint64_t copy_destination(const Warp& w, const Op& op, int lane) {
  if (op.target & NARROW)
    return uint32_t(w.at<uint32_t>(op[CopyAsync::ADDRESS])[lane] + uint32_t(op.imm));
  return w.at<uint64_t>(op[CopyAsync::ADDRESS])[lane] + op.imm;
}

uint64_t copy_source(const Warp& w, const Op& op, int lane) {
  return w.at<uint64_t>(op[CopyAsync::SOURCE])[lane] +
         w.at<uint64_t>(op[CopyAsync::SOURCE_OFFSET])[lane];
}

// The addresses are checked now, so that a fault does not depend on the wait.
void copy_async(Warp& w, const Op& op) {
  ThreadCopy copy;
  copy.op = &op;
  copy.function = w.frame->function;
  copy.lanes = w.mask;
  copy.size = copy_size(w, op);
  const bool reads_zeros = w.worker->counts && w.worker->counts->launch.ghost;
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    copy.to[l] = copy_destination(w, op, l);
    copy.from[l] = copy_source(w, op, l);
    copy.wanted[l] = reads_zeros ? 0 : uint8_t(copy_source_size(w, op, l));
    destination_at(w, op, l, copy.to[l], copy.size);
    if (copy.wanted[l] == 0) continue;
    // The source must be aligned to the size of the copy, even if only a part is read.
    if (copy.from[l] & (copy.size - 1))
      resolve(w, op, l, copy.from[l], copy.size, Access::READ, Region::GLOBAL);
    source_at(w, op, l, copy.from[l], copy.wanted[l]);
  }
  for (uint32_t m = w.block->checks ? w.mask : 0; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    on_copy_begin(w, op, l, copy.to[l], copy.size);
  }
  copies_of(w).add(w, copy);
}

void copy_async_commit(Warp& w, const Op&) {
  if (!w.block->copies.empty()) copies_of(w).commit(w.mask);
}
void copy_async_wait_group(Warp& w, const Op& op) {
  if (!w.block->copies.empty())
    copies_of(w).wait_group(w, w.mask, uint32_t(std::min<uint64_t>(op.imm, UINT32_MAX)));
}
void copy_async_wait_all(Warp& w, const Op&) {
  if (!w.block->copies.empty()) copies_of(w).wait_all(w, w.mask);
}

}  // namespace cucore::cpu
