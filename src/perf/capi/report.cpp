// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "perf/capi/guard.hpp"
#include "perf/capi/handles.hpp"
#include "perf/capi/structs.hpp"
#include "perf/report/profile_report.hpp"
#include "support/concat.hpp"
#include "support/options.hpp"
#include "support/require.hpp"

using namespace cucore;
using namespace cucore::perf;

namespace {

constexpr size_t FIRST_KERNEL_ROW = sizeof(cucore_kernel_row);
constexpr size_t FIRST_REPORT_FINDING = sizeof(cucore_finding);

static_assert(CUCORE_KERNEL_BOUND_LATENCY == static_cast<int>(Bound::LATENCY));
static_assert(CUCORE_AMOUNT_SOURCE_MODEL == static_cast<int>(AmountSource::MODEL));
static_assert(CUCORE_PROFILER_SOURCE_EMULATED == static_cast<int>(ProfileSource::EMULATED));

template <class Row>
const Row& row_at(const std::vector<Row>& rows, size_t index, const char* argument) {
  if (index >= rows.size())
    throw Error(Status::INVALID_ARGUMENT,
                concat(argument, " is ", index, "; expected less than ", rows.size()));
  return rows[index];
}

const ReportRange& range_of(const ReportData& data, std::string_view name) {
  for (const ReportRange& range : data.ranges)
    if (range.name == name) return range;
  throw Error(Status::NOT_FOUND, concat("range is ", name, ", which the report does not have"));
}

int32_t sum_or_minus_one(const std::optional<uint32_t>& a, uint32_t b) {
  return a ? static_cast<int32_t>(*a + b) : -1;
}

cucore_kernel_row row_of(const KernelRow& row) {
  cucore_kernel_row info{};
  info.name = row.name.c_str();
  std::ranges::copy(row.geometry.grid, info.grid);
  std::ranges::copy(row.geometry.block, info.block);
  info.registers = or_minus_one(row.resources.registers);
  info.shared = sum_or_minus_one(row.resources.shared, row.geometry.dynamic_shared);
  info.spills = sum_or_minus_one(row.resources.spill_loads, row.resources.spill_stores.value_or(0));
  info.bound = static_cast<cucore_kernel_bound>(row.bound);
  info.bytes_source = static_cast<cucore_amount_source>(row.bytes.source);
  info.calls = row.calls;
  info.timed = row.timed;
  info.total = row.seconds.total;
  info.mean = row.seconds.mean;
  info.min = row.seconds.min;
  info.max = row.seconds.max;
  info.bytes_read = row.bytes.read;
  info.bytes_written = row.bytes.written;
  info.sectors_per_request = row.sectors_per_request;
  info.operations = row.operations.total;
  info.memory_percent = row.percent.memory;
  info.compute_percent = row.percent.compute;
  info.intensity = row.intensity;
  info.occupancy = row.occupancy;
  return info;
}

cucore_finding finding_of(const ReportData& data, const ReportFinding& finding) {
  const bool has_kernel = finding.kernel < data.kernels.size();
  cucore_finding info{};
  info.id = finding.id.c_str();
  info.name = finding.name.c_str();
  info.kernel = has_kernel ? data.kernels[finding.kernel].name.c_str() : "";
  info.arch = data.machine.arch.c_str();
  info.file = finding.place.file.c_str();
  info.message = finding.message.c_str();
  info.advice = finding.advice.c_str();
  info.severity = static_cast<cucore_finding_severity>(finding.severity);
  info.line = finding.place.line;
  info.ptx_line = finding.place.ptx_line;
  info.count = 1;
  return info;
}

std::string report_as(cucore_report_format format, const ReportData& data) {
  switch (format) {
    case CUCORE_REPORT_FORMAT_TEXT:
      return profile_as_text(data);
    case CUCORE_REPORT_FORMAT_JSON:
      return profile_as_json(data);
    case CUCORE_REPORT_FORMAT_CSV:
      return profile_as_csv(data);
    case CUCORE_REPORT_FORMAT_GNUPLOT:
      return profile_as_gnuplot(data);
    case CUCORE_REPORT_FORMAT_TRACE:
      return profile_as_trace(data);
    case CUCORE_REPORT_FORMAT_HTML:
      return profile_as_html(data);
    default:
      break;
  }
  throw Error(Status::INVALID_ARGUMENT, concat("format is ", int{format}, "; expected 1 to 6"));
}

}  // namespace

extern "C" {

CUCORE_PERF_API cucore_report* cucore_report_retain(const cucore_report* report) {
  return retain(report);
}

CUCORE_PERF_API void cucore_report_release(cucore_report* report) { release(report); }

CUCORE_PERF_API int32_t cucore_report_source(const cucore_report* report) {
  const FinishedReport* const self = peek(report);
  return self ? static_cast<int32_t>(self->data().source) : 0;
}

CUCORE_PERF_API cucore_status cucore_report_efficiency(const cucore_report* report,
                                                       const char* range, double* memory,
                                                       double* compute, cucore_error** error) {
  return guard(error, [&] {
    clear(memory, compute);
    const ReportRange& found = range_of(use(report, "report").data(), range ? range : "");
    if (memory) *memory = found.memory_efficiency;
    if (compute) *compute = found.compute_efficiency;
  });
}

CUCORE_PERF_API size_t cucore_report_kernel_count(const cucore_report* report) {
  const FinishedReport* const self = peek(report);
  return self ? self->data().kernels.size() : 0;
}

CUCORE_PERF_API cucore_status cucore_report_kernel_at(const cucore_report* report, size_t index,
                                                      cucore_kernel_row* out,
                                                      cucore_error** error) {
  return guard(error, [&] {
    clear_info(require(out, "out"), FIRST_KERNEL_ROW);
    const KernelRow& row = row_at(use(report, "report").data().kernels, index, "index");
    write_info(out, row_of(row), FIRST_KERNEL_ROW, "cucore_kernel_row");
  });
}

CUCORE_PERF_API cucore_status cucore_report_counter(const cucore_report* report, size_t kernel,
                                                    const char* name, double* out,
                                                    cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    const KernelRow& row = row_at(use(report, "report").data().kernels, kernel, "kernel");
    const auto found = row.counters.find(require(name, "name"));
    if (found == row.counters.end())
      throw Error(Status::NOT_FOUND,
                  concat("name is ", name, ", which is not a counter of ", row.name));
    *out = found->second;
  });
}

CUCORE_PERF_API size_t cucore_report_finding_count(const cucore_report* report) {
  const FinishedReport* const self = peek(report);
  return self ? self->data().findings.size() : 0;
}

CUCORE_PERF_API cucore_status cucore_report_finding_at(const cucore_report* report, size_t index,
                                                       cucore_finding* out, cucore_error** error) {
  return guard(error, [&] {
    clear_info(require(out, "out"), FIRST_REPORT_FINDING);
    const ReportData& data = use(report, "report").data();
    write_info(out, finding_of(data, row_at(data.findings, index, "index")), FIRST_REPORT_FINDING,
               "cucore_finding");
  });
}

CUCORE_PERF_API cucore_status cucore_report_write(const cucore_report* report,
                                                  cucore_report_format format, char* buffer,
                                                  size_t capacity, size_t* size,
                                                  cucore_error** error) {
  return guard(error, [&] {
    clear(size);
    const FinishedReport& self = use(report, "report");
    require(size, "size");
    if (capacity != 0) require(buffer, "buffer");
    const std::string text = report_as(format, self.data());
    *size = text.size() + 1;
    if (capacity == 0) return;
    if (capacity < *size)
      throw Error(Status::BUFFER_TOO_SMALL, concat("capacity is ", capacity, "; the text has ",
                                                   *size, " bytes with its NUL"));
    std::memcpy(buffer, text.c_str(), *size);
  });
}

}  // extern "C"
