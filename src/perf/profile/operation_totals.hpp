// SPDX-License-Identifier: Apache-2.0
// The operations of one kind that a session has seen, apart from launches.
#pragma once

#include <cstdint>
#include <map>

#include "perf/measure/device.hpp"
#include "perf/profile/report_data.hpp"
#include "perf/profile/sampling.hpp"

namespace cucore::perf {

struct OperationTotals {
  OperationRow row;
  double host = 0;     // seconds
  uint64_t begun = 0;  // timings
  CallTimes times;     // on the device
};

using OperationTable = std::map<uint32_t, OperationTotals>;  // by kind

// Whether the size of an operation is that of data that it moves or reserves.
constexpr bool has_bytes(cucore_operation_kind kind) {
  constexpr uint32_t KINDS = CUCORE_OPERATION_COPY | CUCORE_OPERATION_FILL |
                             CUCORE_OPERATION_WRITE | CUCORE_OPERATION_READ |
                             CUCORE_OPERATION_ALLOCATE | CUCORE_OPERATION_FREE;
  return (KINDS & static_cast<uint32_t>(kind)) != 0;
}

// Whether the operation is work of a stream, which events can time.
constexpr bool is_work(cucore_operation_kind kind) {
  constexpr uint32_t KINDS = CUCORE_OPERATION_COPY | CUCORE_OPERATION_FILL |
                             CUCORE_OPERATION_WRITE | CUCORE_OPERATION_READ |
                             CUCORE_OPERATION_GRAPH_LAUNCH;
  return (KINDS & static_cast<uint32_t>(kind)) != 0;
}

const char* operation_name(cucore_operation_kind kind);  // "graph_launch"

// Returns the row of a kind. `offset` is the time of two events without work between them.
inline OperationRow operation_row(uint32_t kind, const OperationTotals& totals, double offset) {
  OperationRow row = totals.row;
  row.kind = operation_name(static_cast<cucore_operation_kind>(kind));
  row.host_seconds = totals.host;
  if (row.timed != 0) return row;  // by activity
  row.timed = totals.times.count();
  row.seconds = totals.times.seconds(row.calls, offset).total;
  return row;
}

}  // namespace cucore::perf
