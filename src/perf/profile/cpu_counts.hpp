// SPDX-License-Identifier: Apache-2.0
// The counts of all launches on the CPU device while a session runs.
#pragma once

#include <memory>

#include "cpu/driver/kernel_trace.hpp"
#include "perf/profile/report_data.hpp"

namespace cucore::perf {

struct CpuTraceTable;

class CpuCounts {
 public:
  // Begins to count, after the work of the device. Keeps at most `max_launches`.
  // @throws Error UNSUPPORTED unless the CPU device is the driver in use, INVALID_STATE while
  // another trace is running
  static std::unique_ptr<CpuCounts> begin(uint32_t max_launches, bool wants_sectors);
  ~CpuCounts();
  CpuCounts(const CpuCounts&) = delete;
  CpuCounts& operator=(const CpuCounts&) = delete;

  // Waits for the work of the device, and returns a row per kernel and geometry, in the order of
  // their first launches. `dropped` receives the launches that are not in the rows.
  std::vector<KernelRow> end(uint64_t& dropped);

 private:
  explicit CpuCounts(const CpuTraceTable& table) : table_(table) {}

  const CpuTraceTable& table_;
  bool is_running_ = true;
};

// Adds the counts of one launch to a row.
void add_counts(KernelRow& row, const cucore_cpu_counts& counts);

}  // namespace cucore::perf
