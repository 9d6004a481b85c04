// SPDX-License-Identifier: Apache-2.0
// The lanes of a timeline. Viewers accept two events of a lane only if they follow each other or
// one contains the other.
#pragma once

#include <cstdint>
#include <vector>

#include "perf/profile/report_data.hpp"

namespace cucore::perf {

struct LanePlace {
  uint64_t process = 0;  // ordinal of the device; HOST_PROCESS for ranges
  uint64_t lane = 0;     // below 2^32, which viewers need; mostly the stream or thread
  uint64_t stream = 0;   // of the record
  bool is_further = false;
  int64_t start = 0;     // nanoseconds
  int64_t duration = 0;  // nanoseconds
};

constexpr uint64_t HOST_PROCESS = 1000;

// Returns the place of each record, in the order of the records, which is that of their start.
// Kernels of a stream begin after the earlier ones, apart from the resolution of events. Calls of
// the host that overlap a kernel in part have further lanes.
std::vector<LanePlace> trace_lanes(const std::vector<TimelineRecord>& records);

}  // namespace cucore::perf
