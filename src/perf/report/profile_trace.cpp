// SPDX-License-Identifier: Apache-2.0
// Chrome's trace events: processes are devices, threads are streams. The ranges of the host are a
// process of their own, with a thread for each thread.
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "perf/report/plain_text.hpp"
#include "perf/report/profile_findings.hpp"
#include "perf/report/profile_report.hpp"
#include "perf/report/profile_rules.hpp"
#include "perf/report/trace_lanes.hpp"
#include "support/concat.hpp"
#include "support/json_text.hpp"

namespace cucore::perf {
namespace {

std::string trace_number(double value) {
  char digits[40];
  return {digits,
          std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 3).ptr};
}

// Microseconds with three digits.
std::string micros_text(int64_t nanoseconds) {
  const std::string rest = std::to_string(1000 + nanoseconds % 1000);
  return concat(nanoseconds / 1000, ".", rest.substr(1));
}

const char* category_of(RecordKind kind) {
  static constexpr const char* NAMES[] = {"kernel", "operation", "range"};
  return NAMES[static_cast<size_t>(kind)];
}

// Marks that all lanes have in common, at the begin.
constexpr size_t MOST_MARKS = 8;

std::string mark_of(const ReportFinding& finding, const ReportData& data) {
  std::string name = concat(finding.id, " ");
  if (finding.kernel < data.kernels.size())
    name += concat(kernel_title(data.kernels[finding.kernel].name), ": ");
  name += finding.name;
  if (const std::string place = reason_place(finding.place); !place.empty())
    name += concat(" at ", place);
  return concat("{\"ph\": \"i\", \"s\": \"g\", \"name\": ", json_text(name),
                ", \"cat\": \"finding\", \"pid\": 0, \"tid\": 0, \"ts\": 0.000, \"args\": {",
                "\"advice\": ", json_text(finding.advice),
                ", \"message\": ", json_text(finding.message), "}}");
}

// `findings` are the main ones of the rows.
std::string arguments_of(const TimelineRecord& record, const ReportData& data,
                         const std::vector<size_t>& findings) {
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
  if (const size_t finding = findings[record.row]; finding != NO_INDEX)
    add("finding", json_text(data.findings[finding].id));
  if (row.bound != Bound::UNKNOWN) add("bound", json_text(bound_name(row.bound)));
  if (std::isfinite(row.percent.memory)) add("memory_percent", trace_number(row.percent.memory));
  if (std::isfinite(row.percent.compute)) add("compute_percent", trace_number(row.percent.compute));
  return text;
}

std::string event_of(const TimelineRecord& record, const LanePlace& place, const ReportData& data,
                     const std::vector<size_t>& findings) {
  const std::string name =
      record.kind == RecordKind::KERNEL ? kernel_title(record.name) : record.name;
  return concat("{\"ph\": \"X\", \"name\": ", json_text(name), ", \"cat\": \"",
                category_of(record.kind), "\", \"pid\": ", place.process, ", \"tid\": ", place.lane,
                ", \"ts\": ", micros_text(place.start), ", \"dur\": ", micros_text(place.duration),
                ", \"args\": {", arguments_of(record, data, findings), "}}");
}

std::string label_of(const char* what, uint64_t process, uint64_t thread, std::string_view label) {
  return concat("{\"ph\": \"M\", \"name\": \"", what, "\", \"pid\": ", process,
                ", \"tid\": ", thread, ", \"args\": {\"name\": ", json_text(label), "}}");
}

std::string name_of_lane(const LanePlace& place) {
  if (place.process == HOST_PROCESS) return concat("thread ", place.stream);
  return concat("stream ", place.stream, place.is_further ? ", calls of the host" : "");
}

// The names of the processes and threads of the timeline.
std::vector<std::string> labels_of(const std::vector<LanePlace>& places, const ReportData& data) {
  std::map<std::pair<uint64_t, uint64_t>, std::string> lanes;
  std::set<uint64_t> processes;
  for (const LanePlace& place : places) {
    processes.insert(place.process);
    const auto [found, is_new] = lanes.try_emplace({place.process, place.lane});
    if (is_new) found->second = name_of_lane(place);
  }
  std::vector<std::string> labels;
  for (const uint64_t process : processes)
    labels.push_back(label_of("process_name", process, 0,
                              process == HOST_PROCESS
                                  ? std::string("ranges of the host")
                                  : concat("device ", process, ", ", data.machine.device)));
  for (const auto& [key, name] : lanes)
    labels.push_back(label_of("thread_name", key.first, key.second, name));
  return labels;
}

}  // namespace

std::string profile_as_trace(const ReportData& data) {
  std::string text = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
  bool is_first = true;
  const auto add = [&](const std::string& event) {
    text += concat(std::exchange(is_first, false) ? "\n" : ",\n", event);
  };
  const std::vector<LanePlace> places = trace_lanes(data.records);
  for (const std::string& label : labels_of(places, data)) add(label);
  size_t marks = 0;
  for (const ReportFinding& finding : data.findings)
    if (finding.severity != Severity::NOTE && marks++ < MOST_MARKS) add(mark_of(finding, data));
  const std::vector<size_t> findings = main_findings(data);
  for (size_t i = 0; i < places.size(); ++i)
    add(event_of(data.records[i], places[i], data, findings));
  return text + "\n]}\n";
}

}  // namespace cucore::perf
