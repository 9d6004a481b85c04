// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/range_table.hpp"

#include <unistd.h>

#include <atomic>
#include <utility>

#include "support/error.hpp"

namespace cucore::perf {

uint64_t number_of_this_thread() {
  static constinit std::atomic<uint64_t> last{0};
  static thread_local const uint64_t number = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return number;
}

RangeTable::RangeTable(size_t max_ranges) : max_ranges_(max_ranges), ranges_(1), calls_(1) {
  ranges_[0].calls = 1;
}

RangeTable::Thread& RangeTable::of_this_thread() {
  const auto [found, is_new] = threads_.try_emplace(number_of_this_thread());
  if (is_new) found->second.number = number_of(static_cast<uint32_t>(gettid()));
  return found->second;
}

uint64_t RangeTable::number_of(uint32_t thread) {
  return numbers_.try_emplace(thread, numbers_.size() + 1).first->second;
}

std::optional<size_t> RangeTable::find_inside(const Thread& thread, const std::string& name) {
  if (thread.open.empty()) return find(0, name);
  return thread.open.back().has_row ? find(thread.open.back().range, name) : std::nullopt;
}

std::optional<size_t> RangeTable::find(size_t parent, const std::string& name) {
  if (const auto found = indices_.find({parent, name}); found != indices_.end())
    return found->second;
  if (indices_.size() >= max_ranges_) return std::nullopt;
  indices_.try_emplace({parent, name}, ranges_.size());
  ReportRange range;
  range.name = name;
  range.parent = parent;
  calls_.emplace_back();
  ranges_.push_back(range);
  return ranges_.size() - 1;
}

void RangeTable::begin(const std::string& name, double now) {
  Thread& thread = of_this_thread();
  const std::optional<size_t> range = find_inside(thread, name);
  thread.open.push_back({range.value_or(innermost()), now, range.has_value()});
  ++(range ? ranges_[*range].calls : dropped_);
}

std::optional<TimelineRecord> RangeTable::end(double now) {
  Thread& thread = of_this_thread();
  if (thread.open.empty())
    throw Error(Status::INVALID_STATE,
                "the thread has no range to end; begin one with cucore_profiler_begin_range()");
  const Open ended = thread.open.back();
  thread.open.pop_back();
  if (!ended.has_row) return std::nullopt;
  ReportRange& range = ranges_[ended.range];
  range.seconds += now - ended.begin;
  TimelineRecord record;
  record.kind = RecordKind::RANGE;
  record.name = range.name;
  record.start = ended.begin;
  record.duration = now - ended.begin;
  record.stream = thread.number;
  record.row = ended.range;
  return record;
}

void RangeTable::end_all(double now) {
  for (auto& [id, thread] : threads_)
    for (; !thread.open.empty(); thread.open.pop_back())
      if (thread.open.back().has_row)
        ranges_[thread.open.back().range].seconds += now - thread.open.back().begin;
  ranges_[0].seconds = now;
}

std::optional<TimelineRecord> RangeTable::add(size_t parent, const std::string& name,
                                              uint32_t thread, double begin, double end) {
  const std::optional<size_t> index = find(parent, name);
  if (!index) {
    ++dropped_;
    return std::nullopt;
  }
  ReportRange& range = ranges_[*index];
  ++range.calls;
  range.seconds += end - begin;
  TimelineRecord record;
  record.kind = RecordKind::RANGE;
  record.name = name;
  record.start = begin;
  record.duration = end - begin;
  record.stream = number_of(thread);
  record.row = *index;
  return record;
}

void RangeTable::set_counters(const std::string& name, std::map<std::string, double> counters) {
  if (const std::optional<size_t> range = find_inside(of_this_thread(), name))
    ranges_[*range].counters = std::move(counters);
}

size_t RangeTable::innermost() {
  const Thread& thread = of_this_thread();
  return thread.open.empty() ? 0 : thread.open.back().range;
}

void RangeTable::add_calls(size_t range, size_t entry, uint64_t calls) {
  if (calls != 0) calls_[range][entry] += calls;
}

// A range comes before the ranges inside it.
std::vector<RangeTable::EntryCalls> RangeTable::calls() const {
  std::vector<EntryCalls> all = calls_;
  for (size_t i = all.size(); i-- > 1;)
    for (const auto& [entry, count] : all[i]) all[ranges_[i].parent][entry] += count;
  return all;
}

}  // namespace cucore::perf
