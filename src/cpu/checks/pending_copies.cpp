// SPDX-License-Identifier: Apache-2.0
#include "cpu/checks/pending_copies.hpp"

#include <algorithm>
#include <bit>

#include "cpu/checks/check_report.hpp"
#include "cpu/checks/checks.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

constexpr uint32_t LANE_BITS = 5;
constexpr uint32_t COPY_KEY = uint32_t{1} << 31;  // not a site
constexpr size_t MOST_ISSUES = size_t{1} << 20;   // further copies are not checked

}  // namespace

void PendingCopies::clear() {
  if (count_ != 0) std::fill(owners_.begin(), owners_.end(), 0);
  issues_.clear();
  count_ = 0;
}

void PendingCopies::begin(const Warp& w, const Op& op, int lane, uint64_t offset, uint32_t size) {
  if (owners_.empty()) owners_.resize((w.block->launch.shared_bytes + 3) / 4);
  const bool is_same =
      !issues_.empty() && issues_.back().op == &op && issues_.back().warp == w.index;
  if (!is_same && issues_.size() >= MOST_ISSUES) return;
  if (!is_same) issues_.push_back({&op, w.frame->function, w.index});
  const auto number = uint32_t(issues_.size() - 1);
  for (uint64_t word = offset / 4; word < (offset + size) / 4 && word < owners_.size(); ++word) {
    count_ += owners_[word] == 0;
    owners_[word] = 1 + (number << LANE_BITS | uint32_t(lane));
  }
}

void PendingCopies::end(uint64_t offset, uint32_t size) {
  for (uint64_t word = offset / 4; word < (offset + size) / 4 && word < owners_.size(); ++word) {
    count_ -= owners_[word] != 0;
    owners_[word] = 0;
  }
  if (count_ == 0) issues_.clear();
}

void PendingCopies::check(Warp& w, const Op& op, const CheckedOp& c) const {
  const bool is_shared = c.region == Region::SHARED || c.region == Region::CLUSTER;
  if (!is_shared && c.region != Region::GENERIC) return;
  const uint64_t window = is_shared ? 0 : AddressSpace::instance().shared_window();
  Lanes lanes;
  w.block->checks->launch.lanes->addresses(w, op, c.size(), op.target & NARROW, 0, lanes);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    check_lane(w, op, c, l, lanes.addresses[l] - window, c.size());
  }
}

void PendingCopies::check_lane(Warp& w, const Op& op, const CheckedOp& c, int lane, uint64_t offset,
                               uint64_t size) const {
  if (offset / 4 >= owners_.size() || size == 0) return;
  const uint64_t last = std::min<uint64_t>((offset + size - 1) / 4, owners_.size() - 1);
  uint32_t owner = 0;
  for (uint64_t word = offset / 4; word <= last && owner == 0; ++word) owner = owners_[word];
  if (owner == 0) return;
  const Issue& issue = issues_[(owner - 1) >> LANE_BITS];
  const Place place = place_of(*issue.function, size_t(issue.op - issue.function->ops.data()));
  LaunchChecks& launch = w.block->checks->launch;
  const LaunchChecks::Key key{ReportKind::SHARED_RACE, &op, COPY_KEY | place.ptx_line};
  if (!launch.is_first(key)) return;
  Report report = access_report(w, op, c, lane, offset, "shared");
  report.kind = key.kind;
  const uint32_t thread = issue.warp * LANES + ((owner - 1) & (LANES - 1));
  report.other = "the asynchronous copy of " + thread_name(w.block->launch, report.block, thread) +
                 " writes it";
  report.other_place = place;
  report.missing = "without a wait for the copy";
  keep_report(launch, key, std::move(report));
}

}  // namespace cucore::cpu
