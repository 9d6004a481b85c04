// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/range_table.hpp"

#include <unistd.h>

#include <utility>

#include "support/error.hpp"

namespace cucore::perf {

RangeTable::RangeTable() : ranges_(1), calls_(1) { ranges_[0].calls = 1; }

RangeTable::Thread& RangeTable::of_this_thread() {
  const auto [found, is_new] = threads_.try_emplace(std::this_thread::get_id());
  if (is_new) found->second.number = number_of(static_cast<uint32_t>(gettid()));
  return found->second;
}

uint64_t RangeTable::number_of(uint32_t thread) {
  return numbers_.try_emplace(thread, numbers_.size() + 1).first->second;
}

size_t RangeTable::find(size_t parent, const std::string& name) {
  const auto [found, is_new] = indices_.try_emplace({parent, name}, ranges_.size());
  if (!is_new) return found->second;
  ReportRange range;
  range.name = name;
  range.parent = parent;
  calls_.emplace_back();
  ranges_.push_back(range);
  return ranges_.size() - 1;
}

void RangeTable::begin(const std::string& name, double now) {
  Thread& thread = of_this_thread();
  const size_t range = find(thread.open.empty() ? 0 : thread.open.back().range, name);
  thread.open.push_back({range, now});
  ++ranges_[range].calls;
}

TimelineRecord RangeTable::end(double now) {
  Thread& thread = of_this_thread();
  if (thread.open.empty())
    throw Error(Status::INVALID_STATE,
                "the thread has no range to end; begin one with cucore_profiler_begin_range()");
  const Open ended = thread.open.back();
  thread.open.pop_back();
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
      ranges_[thread.open.back().range].seconds += now - thread.open.back().begin;
  ranges_[0].seconds = now;
}

TimelineRecord RangeTable::add(size_t parent, const std::string& name, uint32_t thread,
                               double begin, double end) {
  const size_t index = find(parent, name);
  ReportRange& range = ranges_[index];
  ++range.calls;
  range.seconds += end - begin;
  TimelineRecord record;
  record.kind = RecordKind::RANGE;
  record.name = name;
  record.start = begin;
  record.duration = end - begin;
  record.stream = number_of(thread);
  record.row = index;
  return record;
}

void RangeTable::set_counters(const std::string& name, std::map<std::string, double> counters) {
  const Thread& thread = of_this_thread();
  const size_t range = find(thread.open.empty() ? 0 : thread.open.back().range, name);
  ranges_[range].counters = std::move(counters);
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
