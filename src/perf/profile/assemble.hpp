// SPDX-License-Identifier: Apache-2.0
// Makes the rows of a report from what a session has recorded.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "perf/profile/launch_table.hpp"
#include "perf/profile/modelled_rows.hpp"
#include "perf/profile/operation_totals.hpp"
#include "perf/profile/range_table.hpp"
#include "perf/profile/session.hpp"

namespace cucore::perf {

struct SessionParts {
  const std::deque<LaunchEntry>& launches;
  std::vector<KernelRow>& counted;  // rows of the CPU device, which have the amounts
  const RangeTable& ranges;
  std::vector<TimelineRecord>& records;
  const OperationTable& operations;
  const CompiledPrograms& programs;
  const cucore_device* device = nullptr;  // null: none was used
  ModelUse model = ModelUse::AUTO;
  bool may_compile = true;
  bool may_wait = true;  // for the device
  // Changes the rows of the launches, and appends rows. `offset`: see measure_event_offset().
  std::function<void(std::vector<KernelRow>& rows, double offset)> adjust = {};
};

SessionResult assemble(SessionParts& parts, ProfileSource source);

}  // namespace cucore::perf
