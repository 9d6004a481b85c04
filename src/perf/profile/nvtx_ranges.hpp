// SPDX-License-Identifier: Apache-2.0
// Ranges of NVTX, as CUPTI records them: a begin and an end with one number.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "perf/cupti/activity.hpp"
#include "perf/profile/range_table.hpp"

namespace cucore::perf {

class NvtxRanges {
 public:
  // Keeps that many ranges.
  explicit NvtxRanges(size_t most) : most_(most) {}

  // `time`: of the begin or end, in seconds since the begin of the session.
  void add(const Activity& activity, double time);

  // Adds the ranges to the table, those that did not end as well. A range is inside the shortest
  // one of its thread that contains it. Returns their records. Call once.
  std::vector<TimelineRecord> place(RangeTable& table, double now);

  uint64_t dropped() const { return dropped_; }

 private:
  struct Range {
    const std::string* name;
    uint32_t thread;
    double begin, end;
  };

  const size_t most_;
  uint64_t dropped_ = 0;
  std::set<std::string> names_;
  std::unordered_map<uint32_t, Range> open_;
  std::vector<Range> ended_;
};

}  // namespace cucore::perf
