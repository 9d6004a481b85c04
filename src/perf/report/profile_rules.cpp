// SPDX-License-Identifier: Apache-2.0
#include "perf/report/profile_rules.hpp"

#include <algorithm>
#include <cmath>

#include "support/extent.hpp"

namespace cucore::perf {
namespace {

constexpr double LAUNCH_TIMES = 2;   // of an empty kernel, below which a launch dominates
constexpr double LEAST_KNOWN = 0.5;  // of the time

bool is_known(double value) { return std::isfinite(value); }

// Of one call. The amounts are those of all calls.
double rate_of(double amount, const KernelRow& row) {
  const double calls = static_cast<double>(row.calls);
  return amount / calls / row.seconds.mean;
}

// Percent of a peak; unknown without one.
double percent_of(double rate, double peak) { return peak > 0 ? rate / peak * 100 : UNKNOWN; }

double memory_percent(const KernelRow& row, const ReportRoof& roof) {
  const double read = row.bytes.read, written = row.bytes.written;
  if (!is_known(read) && !is_known(written)) return UNKNOWN;
  const double all = (is_known(read) ? read : 0) + (is_known(written) ? written : 0);
  const bool only_reads = !(written > 0), only_writes = !(read > 0);
  const double peak = only_reads && is_known(roof.read)     ? roof.read
                      : only_writes && is_known(roof.write) ? roof.write
                                                            : roof.copy;
  return percent_of(rate_of(all, row), peak);
}

// The slowest pipe that could do operations without a type at this rate.
double untyped_percent(double rate, const ReportRoof& roof) {
  for (const double peak : {roof.f32, roof.f16, roof.matrix})
    if (rate <= peak) return percent_of(rate, peak);
  return percent_of(rate, is_known(roof.matrix) ? roof.matrix : roof.f32);
}

double compute_percent(const KernelRow& row, const ReportRoof& roof) {
  const ReportOperations& operations = row.operations;
  double fullest = UNKNOWN;
  for (const auto& [amount, peak] : {std::pair{operations.f16, roof.f16},
                                     {operations.f32, roof.f32},
                                     {operations.f64, roof.f64},
                                     {operations.integer, roof.integer},
                                     {operations.matrix, roof.matrix}})
    if (is_known(amount)) fullest = std::fmax(fullest, percent_of(rate_of(amount, row), peak));
  if (is_known(fullest) || !is_known(operations.total)) return fullest;
  return untyped_percent(rate_of(operations.total, row), roof);
}

Bound bound_of(const KernelRow& row, const ReportData& data) {
  const double memory = row.percent.memory, compute = row.percent.compute;
  if (std::fmax(memory, compute) >= BOUND_PERCENT)
    return compute > memory || !is_known(memory) ? Bound::COMPUTE : Bound::MEMORY;
  if (row.seconds.mean < LAUNCH_TIMES * data.roof.launch) return Bound::LAUNCH;
  if (!is_known(row.seconds.mean)) return Bound::UNKNOWN;
  if (product_of(row.geometry.grid) < data.machine.multiprocessors) return Bound::GRID;
  return is_known(memory) && is_known(compute) ? Bound::LATENCY : Bound::UNKNOWN;
}

void complete_row(KernelRow& row, const ReportData& data) {
  row.percent.memory = memory_percent(row, data.roof);
  row.percent.compute = compute_percent(row, data.roof);
  const double bytes = row.bytes.read + row.bytes.written;
  if (bytes > 0) row.intensity = arithmetic_of(row) / bytes;
  row.bound = bound_of(row, data);
}

// The mean of the known percentages, as a fraction.
double mean_efficiency(const std::vector<KernelRow>& kernels, std::span<const RowTime> times,
                       double ReportPercent::*percent) {
  double all = 0, known = 0, weighted = 0;
  for (const RowTime& time : times) {
    if (!(time.seconds > 0)) continue;
    all += time.seconds;
    const double value = kernels[time.kernel].percent.*percent;
    if (!is_known(value)) continue;
    known += time.seconds;
    weighted += time.seconds * std::clamp(value / 100, 0.0, 1.0);
  }
  return known > 0 && known >= LEAST_KNOWN * all ? weighted / known : UNKNOWN;
}

}  // namespace

ReportRoof report_roof_of(const Roof& roof) {
  ReportRoof peaks;
  peaks.copy = roof.value(RoofKind::COPY);
  peaks.read = roof.value(RoofKind::READ);
  peaks.write = roof.value(RoofKind::WRITE);
  peaks.l2 = roof.value(RoofKind::L2);
  peaks.f16 = roof.value(RoofKind::F16);
  peaks.f32 = roof.value(RoofKind::F32);
  peaks.f64 = roof.value(RoofKind::F64);
  peaks.integer = roof.value(RoofKind::INTEGER);
  peaks.matrix = std::fmax(roof.value(RoofKind::MATRIX_F16), roof.value(RoofKind::MATRIX_BF16));
  peaks.launch = roof.value(RoofKind::LAUNCH);
  peaks.event_offset = roof.value(RoofKind::EVENT_OFFSET);
  return peaks;
}

void set_efficiency(ReportRange& range, const std::vector<KernelRow>& kernels,
                    std::span<const RowTime> times) {
  range.memory_efficiency = mean_efficiency(kernels, times, &ReportPercent::memory);
  range.compute_efficiency = mean_efficiency(kernels, times, &ReportPercent::compute);
}

void complete_report(ReportData& data) {
  std::vector<RowTime> times;
  for (KernelRow& row : data.kernels) {
    complete_row(row, data);
    times.push_back({times.size(), row.seconds.total});
  }
  if (!data.ranges.empty()) set_efficiency(data.ranges.front(), data.kernels, times);
}

double arithmetic_of(const KernelRow& row) {
  const ReportOperations& operations = row.operations;
  double real = 0;
  for (const double amount : {operations.f16, operations.f32, operations.f64, operations.matrix})
    if (is_known(amount)) real += amount;
  return real > 0 ? real : operations.total;
}

const char* bound_name(Bound bound) {
  static constexpr const char* NAMES[] = {"unknown", "memory", "compute",
                                          "launch",  "grid",   "latency"};
  return NAMES[static_cast<size_t>(bound)];
}

const char* profile_source_name(ProfileSource source) {
  static constexpr const char* NAMES[] = {"auto", "events", "activity", "counters", "emulated"};
  return NAMES[static_cast<size_t>(source)];
}

const char* amount_source_name(AmountSource source) {
  static constexpr const char* NAMES[] = {"none", "counter", "declared", "model"};
  return NAMES[static_cast<size_t>(source)];
}

}  // namespace cucore::perf
