// SPDX-License-Identifier: Apache-2.0
// Happens-before within a block, and knowledge that passes between blocks through atomics.
#include "cpu/checks/clocks.hpp"

#include <algorithm>
#include <functional>

namespace cucore::cpu {
namespace {

constexpr size_t MOST_BLOCKS = 64;  // of one Knowledge
constexpr size_t MOST_UNRELEASED = 4096;

Known collapsed(Knowledge&& k) {
  if (k.blocks.size() > MOST_BLOCKS) {
    for (const auto& [block, tick] : k.blocks) k.all = std::max(k.all, tick);
    k.blocks.clear();
  }
  return std::make_shared<const Knowledge>(std::move(k));
}

}  // namespace

uint32_t Knowledge::of(uint32_t block) const {
  const auto found = std::lower_bound(blocks.begin(), blocks.end(), std::pair(block, uint32_t{0}));
  return found != blocks.end() && found->first == block ? std::max(all, found->second) : all;
}

Known merged(const Known& a, const Known& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  Knowledge k;
  k.all = std::max(a->all, b->all);
  auto x = a->blocks.begin(), y = b->blocks.begin();
  while (x != a->blocks.end() || y != b->blocks.end()) {
    if (y == b->blocks.end() || (x != a->blocks.end() && x->first < y->first)) {
      k.blocks.push_back(*x++);
    } else if (x == a->blocks.end() || y->first < x->first) {
      k.blocks.push_back(*y++);
    } else {
      k.blocks.emplace_back(x->first, std::max(x->second, y->second));
      ++x, ++y;
    }
  }
  return collapsed(std::move(k));
}

Known with(const Known& known, uint32_t block, uint32_t tick) {
  Knowledge one;
  one.blocks.emplace_back(block, tick);
  return merged(known, std::make_shared<const Knowledge>(std::move(one)));
}

void SyncVariables::publish(uint64_t address, const Known& known) {
  std::lock_guard lock(mutex_);
  if (known_.size() >= MOST && !known_.count(address)) {
    overflow_ = merged(overflow_, known);
    return;
  }
  Known& here = known_[address];
  here = merged(here, known);
  count_.store(known_.size(), std::memory_order_relaxed);
}

Known SyncVariables::at(uint64_t address) const {
  if (empty()) return nullptr;
  std::lock_guard lock(mutex_);
  const auto found = known_.find(address);
  return found == known_.end() ? overflow_ : merged(found->second, overflow_);
}

void SyncVariables::clear() {
  if (empty()) return;
  std::lock_guard lock(mutex_);
  known_.clear();
  overflow_ = nullptr;
  count_.store(0, std::memory_order_relaxed);
}

uint32_t SegmentSource::take() {
  if (next_ == end_) {
    const uint32_t first = Segments::instance().take_chunk();
    if (first == 0) return 0;
    if (first != end_) chunk_ = first;
    next_ = first;
    end_ = first + Segments::CHUNK;
  }
  return last_ = next_++;
}

BlockClock::BlockClock(uint32_t warps, SegmentSource& source) : warps_(warps), source_(source) {}

void BlockClock::begin(uint32_t operation, uint32_t block) {
  ++version_;
  operation_ = operation;
  block_ = block;
  several_ = 0;
  first_id_ = source_.last() + 1;
  fenced_any_ = has_narrow_ = has_table_ = partial_ = false;
  seen_by_all_ = source_.last();
  for (uint32_t w = 0; w < warps_; ++w) {
    floor_[w] = source_.last();
    first_[w] = current_[w] = last_[w] = fenced_[w] = fenced_in_block_[w] = 0;
  }
  std::fill_n(known_, warps_, nullptr);
  std::fill_n(wide_, warps_, nullptr);
  barriers_.clear();
  unreleased_.clear();
}

uint32_t BlockClock::segment(uint32_t warp) {
  uint32_t& current = current_[warp];
  if (current != 0) return current;
  current = source_.take();
  if (current == 0) return 0;
  last_[warp] = current;
  if (first_[warp] == 0) first_[warp] = current;
  Segments::instance().name(current, operation_, block_, warp);
  if (unreleased_.size() >= MOST_UNRELEASED) {  // the oldest count as released
    for (size_t i = 0; i < MOST_UNRELEASED / 2; ++i)
      Segments::instance().release(unreleased_[i].first, 1);
    unreleased_.erase(unreleased_.begin(), unreleased_.begin() + MOST_UNRELEASED / 2);
  }
  unreleased_.emplace_back(current, warp);
  return current;
}

uint32_t BlockClock::several() {
  if (several_ != 0) return several_;
  several_ = source_.take();
  ++version_;
  if (several_) Segments::instance().name(several_, operation_, block_, SEVERAL_WARPS);
  return several_;
}

bool BlockClock::ordered(uint32_t warp, uint32_t id, const Segment& segment) const {
  if (segment.block == block_) {
    // The warps are unknown, so any other order than barriers of all may apply.
    if (segment.warp == SEVERAL_WARPS) return id <= floor_[warp] || partial_ || known_[warp];
    if (segment.warp == warp) return id != current_[warp];
    if (segment.warp < warps_ && id <= seen(warp, segment.warp)) return true;
  }
  if (segment.block == NO_BLOCK) return known_[warp] != nullptr;
  return segment.released && known_[warp] && segment.released <= known_[warp]->of(segment.block);
}

// A warp whose accesses all happened before does not lower the floor.
void BlockClock::set_floor(uint32_t warp) {
  uint32_t floor = source_.last();
  for (uint32_t x = 0; x < warps_; ++x)
    if (x != warp && seen(warp, x) < last_[x]) floor = std::min(floor, seen(warp, x));
  floor_[warp] = floor;
}

void BlockClock::begin_table() {
  if (has_table_) return;
  has_table_ = true;
  for (uint32_t w = 0; w < warps_; ++w) std::fill_n(seen_ + w * WARPS, warps_, seen_by_all_);
}

void BlockClock::arrive(uint32_t warp, uint32_t barrier) {
  ++arrivals_[warp];
  Gathering& g = barriers_[barrier];
  g.warps |= uint32_t{1} << warp;
  const uint32_t* const seen = seen_ + warp * WARPS;
  for (uint32_t x = 0; x < warps_ && has_table_; ++x) g.seen[x] = std::max(g.seen[x], seen[x]);
  if (!has_table_) g.all = std::max(g.all, seen_by_all_);
  g.seen[warp] = std::max(g.seen[warp], source_.last());
  if (known_[warp]) g.known = merged(g.known, known_[warp]);
  if (wide_[warp]) g.wide = merged(g.wide, wide_[warp]);
  current_[warp] = 0;
}

void BlockClock::release(uint32_t barrier, uint32_t waiting) {
  ++version_;
  const auto found = barriers_.find(barrier);
  if (found == barriers_.end() || found->second.warps == 0) return;
  Gathering& g = found->second;
  for (uint32_t x = 0; x < warps_; ++x) g.seen[x] = std::max(g.seen[x], g.all);
  const bool is_of_all = uint64_t{waiting} + 1 == uint64_t{1} << warps_ &&
                         std::equal(last_, last_ + warps_, g.seen, std::less_equal<>());
  if (is_of_all) {
    seen_by_all_ = source_.last();
    has_table_ = false;
  } else {
    begin_table();
  }
  for (uint32_t w = 0; w < warps_; ++w) {
    if (!(waiting >> w & 1)) continue;
    uint32_t* const seen = seen_ + w * WARPS;
    for (uint32_t x = 0; x < warps_ && has_table_; ++x) seen[x] = std::max(seen[x], g.seen[x]);
    if (g.known) known_[w] = merged(known_[w], g.known);
    if (g.wide) wide_[w] = merged(wide_[w], g.wide);
    if (is_of_all)
      floor_[w] = source_.last();
    else
      set_floor(w);
    first_[w] = 0;
    partial_ |= floor_[w] != source_.last();
  }
  several_ = 0;
  g = {};
}

void BlockClock::warp_barrier(uint32_t warp) {
  ++version_;
  current_[warp] = 0;
  if (warps_ == 1) first_[warp] = 0, set_floor(warp);
}

// The device may see what the warps have acquired so far.
void BlockClock::begin_narrow() {
  if (has_narrow_) return;
  has_narrow_ = true;
  std::copy_n(known_, warps_, wide_);
  for (auto& [number, gathering] : barriers_) gathering.wide = gathering.known;
}

void BlockClock::fence(uint32_t warp, bool is_narrow) {
  ++version_;
  if (is_narrow) begin_narrow();
  fenced_any_ = true;
  auto make_visible = [&](uint32_t* fenced) {
    for (uint32_t x = 0; x < warps_; ++x) fenced[x] = std::max(fenced[x], seen(warp, x));
    fenced[warp] = std::max(fenced[warp], source_.last());
  };
  make_visible(fenced_in_block_);
  if (is_narrow) return;
  make_visible(fenced_);
  if (has_narrow_) wide_[warp] = known_[warp];
}

void BlockClock::acquire(uint32_t warp, const SyncVariables& variables, uint64_t address,
                         bool is_narrow) {
  const Known known = variables.at(address);
  if (!known || known == known_[warp]) return;
  if (!known_[warp]) ++version_;
  known_[warp] = merged(known_[warp], known);
  if (has_narrow_ && !is_narrow) wide_[warp] = merged(wide_[warp], known);
}

void BlockClock::publish(uint32_t warp, SyncVariables& variables, uint64_t address,
                         bool is_narrow) {
  if (!fenced_any_) return;
  const uint32_t* const fenced = is_narrow ? fenced_in_block_ : fenced_;
  auto may_release = [&](const std::pair<uint32_t, uint32_t>& entry) {
    const auto& [id, of] = entry;
    return id <= (of == warp ? last_[warp] : seen(warp, of)) && id <= fenced[of];
  };
  if (std::any_of(unreleased_.begin(), unreleased_.end(), may_release)) {
    const uint32_t tick = Segments::instance().next_tick();
    for (const auto& entry : unreleased_)
      if (may_release(entry)) Segments::instance().release(entry.first, tick);
    std::erase_if(unreleased_, may_release);
    current_[warp] = 0;
    ++version_;
    known_[warp] = with(known_[warp], block_, tick);
    if (has_narrow_ && !is_narrow) wide_[warp] = with(wide_[warp], block_, tick);
  }
  const Known& visible = has_narrow_ && !is_narrow ? wide_[warp] : known_[warp];
  if (visible) variables.publish(address, visible);
}

}  // namespace cucore::cpu
