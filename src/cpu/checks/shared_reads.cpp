// SPDX-License-Identifier: Apache-2.0
#include "cpu/checks/shared_reads.hpp"

#include <algorithm>

#include "cpu/checks/checks.hpp"
#include "cpu/checks/read_groups.hpp"
#include "cpu/checks/visitor.hpp"
#include "cpu/exec/cluster.hpp"

namespace cucore::cpu {
namespace {

// Whether all addresses and the bytes from them on are those that the instruction may access.
bool is_inside(const Warp& w, const CheckedOp& c, const NarrowRange& range, uint32_t bytes) {
  const uint64_t end = uint64_t{range.high} + bytes;
  if (!c.bounded) return end <= w.shared_size;
  if (c.dynamic) return range.low >= w.block->launch.kernel->static_shared && end <= w.shared_size;
  return range.low >= c.low && end <= c.high;
}

}  // namespace

void SharedReads::begin_block() {
  is_on_ = (checks_.launch.set & CHECK_RACE) && checks_.block.cluster.blocks.size() <= 1;
  has_writes_ = false;
  is_complete_ = !(checks_.launch.set & CHECK_INIT);
  count_ = 0;
}

bool SharedReads::is_initialised(const NarrowRange& range, uint32_t distance,
                                 uint32_t bytes) const {
  constexpr uint64_t MOST_AT_ONCE = 1024;
  const uint64_t all = uint64_t{range.high} - range.low + bytes;
  return all <= MOST_AT_ONCE &&
         all_set(checks_.initialised_bits(), uint64_t{range.low} + distance, all);
}

// Rows with padding have uninitialised bytes between them.
bool SharedReads::is_initialised(const NarrowRange& range, const ReadGroup& group) const {
  return std::all_of(group.members.begin(), group.members.end(), [&](auto& member) {
    return member.checked->unused || is_initialised(range, member.distance, member.checked->size());
  });
}

// Also makes room for further reads.
bool SharedReads::may_keep(const Warp& w, size_t more) {
  if (!is_on_ || has_writes_ || more > MOST || !checks_.clock.is_simple(w.index)) return false;
  if (count_ + more > MOST) record_all();
  if (count_ + more > reads_.size()) reads_.resize(count_ + more + MOST / 16);
  return true;
}

bool SharedReads::keep_one(Warp& w, const ReadGroup* group, const Op& op, const CheckedOp& c) {
  Read& read = reads_[count_];
  NarrowRange range;
  if (!checks_.launch.lanes->narrow(w, op, op.target & NARROW, read.addresses, range) ||
      !is_inside(w, c, range, group ? group->bytes : c.size()) || (range.any & (c.size() - 1)))
    return false;
  if (!is_complete_ &&
      !(group ? is_initialised(range, *group) : c.unused || is_initialised(range, 0, c.size())))
    return false;
  const Rule& rule = rule_of(w, true);
  if (rule.mine == 0) return false;
  if (count_ == 0) rule_ = rule;
  read.warp = &w;
  read.group = group;
  read.op = &op;
  read.checked = &c;
  read.mask = w.mask;
  read.mine = rule.mine;
  read.is_traced = w.frame->function->module == checks_.launch.traced;
  ++count_;
  return true;
}

bool SharedReads::keep(Warp& w, const Op& op, const CheckedOp& c) {
  return may_keep(w, 1) && keep_one(w, nullptr, op, c);
}

bool SharedReads::keep(Warp& w, std::span<const ReadGroup> groups) {
  if (!may_keep(w, groups.size())) return false;
  const size_t before = count_;
  for (const ReadGroup& group : groups) {
    if (keep_one(w, &group, *group.members[0].op, *group.members[0].checked)) continue;
    count_ = before;
    return false;
  }
  return true;
}

void SharedReads::record_one(const Read& read, const Op& op, const CheckedOp& checked,
                             uint32_t distance) {
  uint32_t addresses[LANES];
  for (int l = 0; l < LANES; ++l) addresses[l] = read.addresses[l] + distance;
  Lanes lanes;
  checks_.launch.lanes->widen(addresses, read.mask, checked.size(), lanes);
  rule_.mine = read.mine;
  const uint16_t site = read.is_traced && op.site < 65536 ? uint16_t(op.site) : 0;
  const Target target{nullptr, &checks_.shared_cells, 0, true, "shared"};
  Visitor(*read.warp, op, checked, lanes, target).record(read.mask, rule_, site);
}

void SharedReads::record_all() {
  const size_t count = count_;
  count_ = 0;
  for (const Read& read : std::span(reads_).first(count)) {
    if (!read.group) {
      record_one(read, *read.op, *read.checked, 0);
      continue;
    }
    for (const ReadGroup::Member& member : read.group->members)
      record_one(read, *member.op, *member.checked, member.distance);
  }
}

void SharedReads::pass_barrier() {
  count_ = 0;
  has_writes_ = false;
  if (is_complete_) return;
  const LaunchState& launch = checks_.block.launch;
  const uint64_t declared = launch.kernel->static_shared + launch.launch->dynamic_shared;
  is_complete_ = all_set(checks_.initialised_bits(), 0, declared);
}

}  // namespace cucore::cpu
