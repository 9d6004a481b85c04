// SPDX-License-Identifier: Apache-2.0
#include "cpu/checks/kept_accesses.hpp"

#include <algorithm>
#include <iterator>

#include "cpu/checks/checks.hpp"
#include "cpu/checks/read_groups.hpp"
#include "cpu/checks/visitor.hpp"
#include "cpu/exec/cluster.hpp"

namespace cucore::cpu {
namespace {

constexpr uint64_t MOST_AT_ONCE = 1024;  // bytes whose initialisation one test covers

// Whether all addresses and the bytes from them on are those that the instruction may access.
bool is_inside(const Warp& w, const CheckedOp& c, const NarrowRange& range, uint32_t bytes) {
  const uint64_t end = uint64_t{range.high} + bytes;
  if (!c.bounded) return end <= w.shared_size;
  if (c.dynamic) return range.low >= w.block->launch.kernel->static_shared && end <= w.shared_size;
  return range.low >= c.low && end <= c.high;
}

}  // namespace

void KeptAccesses::begin_block() {
  is_on_ = (checks_.launch.set & CHECK_RACE) && checks_.block.cluster.blocks.size() <= 1;
  has_writes_ = has_others_ = false;
  std::fill(std::begin(verified_), std::end(verified_), Verified{});
  is_complete_ = !(checks_.launch.set & CHECK_INIT);
  count_ = 0;
}

bool KeptAccesses::is_initialised(const NarrowRange& range, uint32_t distance,
                                  uint32_t bytes) const {
  const uint64_t all = uint64_t{range.high} - range.low + bytes;
  return all <= MOST_AT_ONCE &&
         all_set(checks_.initialised_bits(), uint64_t{range.low} + distance, all);
}

// Rows with padding have uninitialised bytes between them.
bool KeptAccesses::are_initialised(const NarrowRange& range, const ReadGroup& group) const {
  if (is_initialised(range, 0, group.bytes)) return true;
  return std::all_of(group.members.begin(), group.members.end(), [&](auto& member) {
    return member.checked->unused || is_initialised(range, member.distance, member.checked->size());
  });
}

bool KeptAccesses::is_verified(const NarrowRange& range, const ReadGroup& group) {
  const size_t hash = (reinterpret_cast<uintptr_t>(&group) / sizeof group) ^ (range.low / 64);
  Verified& last = verified_[hash % VERIFIED];
  if (last.group == &group && last.low == range.low && last.high == range.high) return true;
  if (!are_initialised(range, group)) return false;
  last = {&group, range.low, range.high};
  return true;
}

// Also makes room for further accesses. Order through an atomic needs its full check.
bool KeptAccesses::may_keep(const Warp& w, Hook hook, size_t more) {
  const bool excluded = hook == Hook::LOAD ? has_writes_ : has_others_;
  if (!is_on_ || excluded || more > MOST || !checks_.clock.is_simple(w.index)) return false;
  if (hook == Hook::ATOMIC && !checks_.shared_variables.empty()) return false;
  if (count_ + more > MOST) record_all();
  if (count_ + more > kept_.size()) kept_.resize(count_ + more + MOST / 16);
  return true;
}

bool KeptAccesses::keep_one(Warp& w, const ReadGroup* group, const Op& op, const CheckedOp& c) {
  Kept& kept = kept_[count_];
  NarrowRange range;
  if (!checks_.launch.lanes->narrow(w, op, op.target & NARROW, kept.addresses, range) ||
      !is_inside(w, c, range, group ? group->bytes : c.size()) || (range.any & (c.size() - 1)))
    return false;
  if (!is_complete_ &&
      !(group ? is_verified(range, *group) : c.unused || is_initialised(range, 0, c.size())))
    return false;
  const Rule& rule = rule_of(w, true);
  if (rule.mine == 0) return false;
  if (count_ == 0) rule_ = rule;
  kept.warp = &w;
  kept.group = group;
  kept.op = &op;
  kept.checked = &c;
  kept.mask = w.mask;
  kept.mine = rule.mine;
  kept.is_traced = w.frame->function->module == checks_.launch.traced;
  ++count_;
  return true;
}

bool KeptAccesses::keep(Warp& w, const Op& op, const CheckedOp& c) {
  if (!may_keep(w, c.hook, 1) || !keep_one(w, nullptr, op, c)) return false;
  note(c.hook);
  return true;
}

bool KeptAccesses::keep(Warp& w, std::span<const ReadGroup> groups) {
  if (!may_keep(w, Hook::LOAD, groups.size())) return false;
  const size_t before = count_;
  for (const ReadGroup& group : groups) {
    if (keep_one(w, &group, *group.members[0].op, *group.members[0].checked)) continue;
    count_ = before;
    return false;
  }
  note(Hook::LOAD);
  return true;
}

void KeptAccesses::record_one(const Kept& kept, const Op& op, const CheckedOp& checked,
                              uint32_t distance) {
  uint32_t addresses[LANES];
  for (int l = 0; l < LANES; ++l) addresses[l] = kept.addresses[l] + distance;
  Lanes lanes;
  checks_.launch.lanes->widen(addresses, kept.mask, checked.size(), lanes);
  rule_.mine = kept.mine;
  const uint16_t site = kept.is_traced && op.site < 65536 ? uint16_t(op.site) : 0;
  const Target target{nullptr, &checks_.shared_cells, 0, true, "shared"};
  Visitor(*kept.warp, op, checked, lanes, target).record(kept.mask, rule_, site);
}

void KeptAccesses::record_all() {
  const size_t count = count_;
  count_ = 0;
  for (const Kept& kept : std::span(kept_).first(count)) {
    if (!kept.group) {
      record_one(kept, *kept.op, *kept.checked, 0);
      continue;
    }
    for (const ReadGroup::Member& member : kept.group->members)
      record_one(kept, *member.op, *member.checked, member.distance);
  }
}

void KeptAccesses::pass_barrier() {
  count_ = 0;
  has_writes_ = has_others_ = false;
  if (is_complete_) return;
  const LaunchState& launch = checks_.block.launch;
  const uint64_t declared = launch.kernel->static_shared + launch.launch->dynamic_shared;
  is_complete_ = all_set(checks_.initialised_bits(), 0, declared);
}

}  // namespace cucore::cpu
