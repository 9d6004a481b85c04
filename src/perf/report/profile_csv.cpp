// SPDX-License-Identifier: Apache-2.0
#include "perf/report/plain_text.hpp"
#include "perf/report/profile_findings.hpp"
#include "perf/report/profile_report.hpp"
#include "perf/report/profile_rules.hpp"
#include "support/concat.hpp"

namespace cucore::perf {
namespace {

std::string count_or_nothing(const std::optional<uint32_t>& count) {
  return count ? std::to_string(*count) : std::string();
}

// The finding that holds the kernel back, and its line.
std::string csv_finding(const ReportData& data, size_t index) {
  if (index == NO_INDEX) return ",,";
  const ReportFinding& finding = data.findings[index];
  return concat(",", finding.id, ",", csv_text(reason_place(finding.place)));
}

std::string csv_row(const ReportData& data, size_t index, size_t finding) {
  const KernelRow& row = data.kernels[index];
  const Resources& resources = row.resources;
  std::string line =
      concat(csv_text(row.name), ",", row.digest, ",", extent_text(row.geometry.grid), ",",
             extent_text(row.geometry.block), ",", row.geometry.dynamic_shared, ",",
             count_or_nothing(resources.registers), ",", count_or_nothing(resources.shared), ",",
             count_or_nothing(resources.spill_loads), ",", count_or_nothing(resources.spill_stores),
             ",", row.calls, ",", row.captured, ",", row.timed, ",", row.failed);
  for (const double value : {row.seconds.total, row.seconds.low, row.seconds.high, row.seconds.mean,
                             row.seconds.min, row.seconds.max, row.bytes.read, row.bytes.written,
                             row.bytes.requested, row.bytes.sector, row.bytes.compulsory})
    line += concat(",", csv_number(value));
  line += concat(",", amount_source_name(row.bytes.source));
  for (const double value :
       {row.operations.total, row.operations.f16, row.operations.f32, row.operations.f64,
        row.operations.integer, row.operations.matrix, row.sectors_per_request, row.intensity,
        row.percent.memory, row.percent.compute, row.occupancy})
    line += concat(",", csv_number(value));
  return concat(line, ",", bound_name(row.bound), csv_finding(data, finding), "\n");
}

}  // namespace

std::string profile_as_csv(const ReportData& data) {
  std::string text =
      "name,digest,grid,block,dynamic_shared,registers,shared,spill_loads,spill_stores,calls,"
      "captured,timed,failed,total,total_low,total_high,mean,min,max,bytes_read,bytes_written,"
      "bytes_requested,bytes_sector,bytes_compulsory,bytes_source,operations,operations_f16,"
      "operations_f32,operations_f64,operations_integer,operations_matrix,sectors_per_request,"
      "intensity,memory_percent,compute_percent,occupancy,bound,finding,place\n";
  const std::vector<size_t> findings = main_findings(data);
  for (size_t i = 0; i < data.kernels.size(); ++i) text += csv_row(data, i, findings[i]);
  return text;
}

}  // namespace cucore::perf
