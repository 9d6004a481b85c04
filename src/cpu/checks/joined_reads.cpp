// SPDX-License-Identifier: Apache-2.0
#include "cpu/checks/joined_reads.hpp"

#include <algorithm>

#include "cpu/checks/lane_checks.hpp"
#include "cpu/checks/segments.hpp"

namespace cucore::cpu {

JoinedReads::Joined JoinedReads::join(const OtherReads& others) {
  std::lock_guard lock(mutex_);
  if (first_ == 0) return {};
  const auto found = std::find(joined_.begin(), joined_.end(), others);
  const auto id = first_ + 1 + uint32_t(found - joined_.begin());
  if (found != joined_.end()) return {id, false};
  if (joined_.size() == MOST) return {};
  joined_.push_back(others);
  return {id, true};
}

OtherReads JoinedReads::others(uint32_t id) const {
  if (!has(id)) return {};
  std::lock_guard lock(mutex_);
  const uint32_t index = id - first_ - 1;
  return index < joined_.size() ? joined_[index] : OtherReads{};
}

namespace {

OtherReads unordered_reads(const StreamWork& work, const OtherRead& read, uint32_t joined) {
  const Segments& segments = Segments::instance();
  OtherReads reads;
  auto add = [&](const OtherRead& one) {
    const auto other = segments.operation(one.operation);
    const bool may_add = reads.size() < JoinedReads::MOST_READS;
    if (may_add && other && !other->is_host && !work.after(*other)) reads.push_back(one);
  };
  add(read);
  if (const auto owner = segments.operation(read.operation))
    for (const OtherRead& one : owner->joined.others(joined)) add(one);
  return reads;
}

uint32_t join_reads(const StreamWork& work, const OtherReads& others) {
  if (others.empty()) return 0;
  const auto [id, is_new] = work.joined.join(others);
  if (!is_new) return id;
  for (const OtherRead& read : others)
    if (const auto other = Segments::instance().operation(read.operation)) other->note_record(id);
  Segments::instance().name(id, work.number, NO_BLOCK, SEVERAL_WARPS);
  return id;
}

}  // namespace

// Workers write a record before its site, so that the site belongs to a record that remains.
uint32_t ReadJoiner::id_of(const StreamWork& work, const Records& records, uint64_t k,
                           uint32_t record) {
  const uint16_t site = __atomic_load_n(&records.reader_site[k], __ATOMIC_ACQUIRE);
  if (__atomic_load_n(&records.reader[k], __ATOMIC_ACQUIRE) != record) return 0;
  const uint32_t id = record >> SEGMENT_SHIFT;
  Segment segment;
  if (!Segments::instance().find(id, segment)) return 0;
  const bool is_joined = segment.block == NO_BLOCK && segment.warp == SEVERAL_WARPS;
  const Key key{{segment.operation, site, (record & CELL_STRONG) != 0}, is_joined ? id : 0};
  if (key == last_) return last_id_;
  last_ = key;
  last_id_ = join_reads(work, unordered_reads(work, key.read, key.joined));
  return last_id_;
}

}  // namespace cucore::cpu
