// SPDX-License-Identifier: Apache-2.0
// Bytes and operations from the metrics of hardware counters.
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "perf/profile/counted_launches.hpp"

namespace cucore::perf {
namespace {

constexpr double SECTOR_BYTES = 32;

// Sums are totals of the calls. Rates, averages and percentages are means.
bool is_total(std::string_view metric) { return metric.ends_with(".sum"); }

double value_of(const KernelRow& row, const char* metric) {
  const auto found = row.counters.find(metric);
  return found == row.counters.end() ? UNKNOWN : found->second;
}

// The names of one metric on different chips.
double first_of(const KernelRow& row, std::initializer_list<const char*> metrics) {
  for (const char* const metric : metrics)
    if (const double value = value_of(row, metric); !std::isnan(value)) return value;
  return UNKNOWN;
}

void set_bytes(KernelRow& row) {
  const double read = first_of(row, {"dram__bytes_read.sum", "dram__bytes_op_read.sum"});
  const double written = first_of(row, {"dram__bytes_write.sum", "dram__bytes_op_write.sum"});
  if (!std::isnan(read) || !std::isnan(written)) {
    row.bytes.read = read;
    row.bytes.written = written;
    row.bytes.source = AmountSource::COUNTER;
  }
  const double requests = value_of(row, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") +
                          value_of(row, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum");
  const double sectors = value_of(row, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") +
                         value_of(row, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
  if (std::isnan(sectors)) return;
  row.bytes.sector = sectors * SECTOR_BYTES;
  if (requests > 0) row.sectors_per_request = sectors / requests;
}

void set_operations(KernelRow& row) {
  ReportOperations& operations = row.operations;
  const double f32 = value_of(row, "sm__sass_thread_inst_executed_ops_fadd_fmul_ffma_pred_on.sum");
  const double f64 = value_of(row, "sm__sass_thread_inst_executed_ops_dadd_dmul_dfma_pred_on.sum");
  const double f16 = value_of(row, "sm__sass_thread_inst_executed_ops_hadd_hmul_hfma_pred_on.sum");
  if (std::isnan(f32 + f64 + f16)) return;
  operations = {};
  operations.f32 = f32;
  operations.f64 = f64;
  operations.f16 = f16;
  operations.total = f32 + f64 + f16;
  operations.source = AmountSource::COUNTER;
}

}  // namespace

void apply_counts(KernelRow& row, const LaunchCounts& counts) {
  if (counts.launches == 0) return;
  const auto counted = static_cast<double>(counts.launches);
  const double calls = static_cast<double>(row.calls);
  for (const auto& [metric, sum] : counts.sums)
    row.counters[metric] = is_total(metric) ? sum / counted * calls : sum / counted;
  set_bytes(row);
  set_operations(row);
  row.timed = counts.times.count();
  row.seconds = counts.times.seconds(row.calls, 0);
}

}  // namespace cucore::perf
