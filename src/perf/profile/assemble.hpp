// SPDX-License-Identifier: Apache-2.0
// Makes the rows of a report from what a session has recorded.
#pragma once

#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "perf/profile/launch_table.hpp"
#include "perf/profile/range_table.hpp"
#include "perf/profile/session.hpp"

namespace cucore::perf {

struct SessionParts {
  const std::deque<LaunchEntry>& launches;
  std::vector<KernelRow>& counted;  // rows of the CPU device, which have the amounts
  const RangeTable& ranges;
  std::vector<TimelineRecord>& records;
  std::vector<std::pair<uint32_t, OperationRow>> operations = {};  // by kind, in its order
  const cucore_device* device = nullptr;                           // null: none was used
  // Changes the rows of the launches, and appends rows. `offset`: see measure_event_offset().
  std::function<void(std::vector<KernelRow>& rows, double offset)> adjust = {};
};

SessionResult assemble(SessionParts& parts, ProfileSource source);

const char* operation_name(cucore_operation_kind kind);  // "graph_launch"

}  // namespace cucore::perf
