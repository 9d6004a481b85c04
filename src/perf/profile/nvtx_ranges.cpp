// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/nvtx_ranges.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "support/concat.hpp"

namespace cucore::perf {
namespace {

// Of ranges that overlap in part; further ones are inside the session alone.
constexpr size_t MOST_OPEN = 256;

struct OpenRange {
  size_t index;  // in the table
  double end;
};

// Returns the index of the shortest open range that contains one; 0: the session. `open` has them
// in the order of their begins.
size_t container_of(std::vector<OpenRange>& open, double begin, double end) {
  std::erase_if(open, [&](const OpenRange& each) { return each.end <= begin; });
  for (size_t i = open.size(); i-- > 0;)
    if (open[i].end >= end) return open[i].index;
  return 0;
}

}  // namespace

void NvtxRanges::add(const Activity& activity, double time) {
  if (activity.kind == ActivityKind::RANGE_END) {
    const auto found = open_.find(activity.range);
    if (found == open_.end()) return;  // it began before the records
    found->second.end = time;
    ended_.push_back(found->second);
    open_.erase(found);
    return;
  }
  if (open_.size() + ended_.size() >= most_) {
    ++dropped_;
    return;
  }
  std::string name =
      *activity.domain ? concat(activity.domain, ": ", activity.name) : std::string(activity.name);
  const std::string& kept = *names_.insert(std::move(name)).first;
  open_.insert_or_assign(activity.range, Range{&kept, activity.thread, time, time});
}

std::vector<TimelineRecord> NvtxRanges::place(RangeTable& table, double now) {
  for (auto& [number, range] : open_) {
    range.end = std::max(now, range.begin);
    ended_.push_back(range);
  }
  open_.clear();
  std::sort(ended_.begin(), ended_.end(), [](const Range& a, const Range& b) {
    return std::tuple(a.thread, a.begin, -a.end) < std::tuple(b.thread, b.begin, -b.end);
  });
  std::vector<TimelineRecord> records;
  std::vector<OpenRange> open;
  uint32_t thread = 0;
  for (const Range& range : ended_) {
    if (range.thread != thread) open.clear();
    thread = range.thread;
    std::optional<TimelineRecord> record =
        table.add(container_of(open, range.begin, range.end), *range.name, range.thread,
                  range.begin, range.end);
    if (!record) continue;  // the table has reached its limit
    if (open.size() < MOST_OPEN) open.push_back({record->row, range.end});
    records.push_back(std::move(*record));
  }
  return records;
}

}  // namespace cucore::perf
