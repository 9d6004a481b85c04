// SPDX-License-Identifier: Apache-2.0
// Chrome's trace events: processes are devices, threads are streams. The ranges of the host are a
// process of their own, with a thread for each thread.
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "perf/report/plain_text.hpp"
#include "perf/report/profile_report.hpp"
#include "perf/report/profile_rules.hpp"
#include "support/concat.hpp"
#include "support/json_text.hpp"

namespace cucore::perf {
namespace {

constexpr uint64_t HOST_PROCESS = 1000;

std::string trace_number(double value) {
  char digits[40];
  return {digits,
          std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 3).ptr};
}

uint64_t process_of(const TimelineRecord& record) {
  return record.kind == RecordKind::RANGE ? HOST_PROCESS : record.device;
}

const char* category_of(RecordKind kind) {
  static constexpr const char* NAMES[] = {"kernel", "operation", "range"};
  return NAMES[static_cast<size_t>(kind)];
}

std::string arguments_of(const TimelineRecord& record, const ReportData& data) {
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    text += concat(text.empty() ? "" : ", ", "\"", name, "\": ", value);
  };
  if (std::isfinite(record.bytes)) add("bytes", trace_number(record.bytes));
  if (record.kind != RecordKind::KERNEL || record.row >= data.kernels.size()) return text;
  const KernelRow& row = data.kernels[record.row];
  add("row", std::to_string(record.row));
  add("grid", json_text(extent_text(row.geometry.grid)));
  add("block", json_text(extent_text(row.geometry.block)));
  if (row.bound != Bound::UNKNOWN) add("bound", json_text(bound_name(row.bound)));
  if (std::isfinite(row.percent.memory)) add("memory_percent", trace_number(row.percent.memory));
  if (std::isfinite(row.percent.compute)) add("compute_percent", trace_number(row.percent.compute));
  return text;
}

std::string event_of(const TimelineRecord& record, const ReportData& data) {
  const std::string name =
      record.kind == RecordKind::KERNEL ? kernel_title(record.name) : record.name;
  return concat("{\"ph\": \"X\", \"name\": ", json_text(name), ", \"cat\": \"",
                category_of(record.kind), "\", \"pid\": ", process_of(record),
                ", \"tid\": ", record.stream, ", \"ts\": ", trace_number(record.start * 1e6),
                ", \"dur\": ", trace_number(record.duration * 1e6), ", \"args\": {",
                arguments_of(record, data), "}}");
}

std::string label_of(const char* what, uint64_t process, uint64_t thread, std::string_view label) {
  return concat("{\"ph\": \"M\", \"name\": \"", what, "\", \"pid\": ", process,
                ", \"tid\": ", thread, ", \"args\": {\"name\": ", json_text(label), "}}");
}

// The names of the processes and threads of the timeline.
std::vector<std::string> labels_of(const ReportData& data) {
  std::set<std::pair<uint64_t, uint64_t>> lanes;
  std::set<uint64_t> processes;
  for (const TimelineRecord& record : data.records) {
    processes.insert(process_of(record));
    lanes.emplace(process_of(record), record.stream);
  }
  std::vector<std::string> labels;
  for (const uint64_t process : processes)
    labels.push_back(label_of("process_name", process, 0,
                              process == HOST_PROCESS
                                  ? std::string("ranges of the host")
                                  : concat("device ", process, ", ", data.machine.device)));
  for (const auto& [process, lane] : lanes)
    labels.push_back(label_of("thread_name", process, lane,
                              concat(process == HOST_PROCESS ? "thread " : "stream ", lane)));
  return labels;
}

}  // namespace

std::string profile_as_trace(const ReportData& data) {
  std::string text = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
  bool is_first = true;
  const auto add = [&](const std::string& event) {
    text += concat(std::exchange(is_first, false) ? "\n" : ",\n", event);
  };
  for (const std::string& label : labels_of(data)) add(label);
  for (const TimelineRecord& record : data.records) add(event_of(record, data));
  return text + "\n]}\n";
}

}  // namespace cucore::perf
