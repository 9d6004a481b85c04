// SPDX-License-Identifier: Apache-2.0
// The keys of each object are sorted, except for the schema, which comes first.
#include "perf/report/profile_json.hpp"

#include "perf/report/profile_report.hpp"
#include "perf/report/profile_rules.hpp"

namespace cucore::perf {
namespace {

void write_report_machine(JsonWriter& json, const ReportMachine& machine) {
  json.begin_object("machine");
  json.text("arch", machine.arch);
  json.real("clock_limit_mhz", machine.clock_limit_mhz);
  json.text("date", machine.date);
  json.text("device", machine.device);
  json.text("driver", machine.driver);
  json.flag("is_emulated", machine.is_emulated);
  json.count("l2_cache_size", machine.l2_cache_size);
  json.text("library", machine.library);
  json.count("memory_size", machine.memory_size);
  json.count("multiprocessors", machine.multiprocessors);
  json.text("uuid", machine.uuid);
  json.end_object();
}

void write_roof(JsonWriter& json, const ReportRoof& roof) {
  json.begin_object("roof");
  json.real("copy", roof.copy);
  json.real("event_offset", roof.event_offset);
  json.real("f16", roof.f16);
  json.real("f32", roof.f32);
  json.real("f64", roof.f64);
  json.real("integer", roof.integer);
  json.real("l2", roof.l2);
  json.real("launch", roof.launch);
  json.real("matrix", roof.matrix);
  json.real("read", roof.read);
  json.real("write", roof.write);
  json.end_object();
}

// The parent of a range, or the row of a finding.
void write_index(JsonWriter& json, const char* name, size_t index) {
  json.real(name, index == NO_INDEX ? UNKNOWN : static_cast<double>(index));
}

void write_range(JsonWriter& json, const ReportRange& range) {
  json.begin_object();
  json.count("calls", range.calls);
  json.real("compute_efficiency", range.compute_efficiency);
  if (!range.counters.empty()) {
    json.begin_object("counters");
    for (const auto& [name, value] : range.counters) json.real(name, value);
    json.end_object();
  }
  json.real("kernel_seconds", range.kernel_seconds);
  json.real("memory_efficiency", range.memory_efficiency);
  json.text("name", range.name);
  write_index(json, "parent", range.parent);
  json.real("seconds", range.seconds);
  json.end_object();
}

void write_extent(JsonWriter& json, const char* name, const uint32_t (&extent)[3]) {
  json.begin_array(name);
  for (const uint32_t each : extent) json.count({}, each);
  json.end_array();
}

void write_geometry(JsonWriter& json, const LaunchGeometry& geometry) {
  json.begin_object("geometry");
  write_extent(json, "block", geometry.block);
  write_extent(json, "cluster", geometry.cluster);
  json.count("dynamic_shared", geometry.dynamic_shared);
  write_extent(json, "grid", geometry.grid);
  json.end_object();
}

void write_report_resources(JsonWriter& json, const Resources& resources) {
  json.begin_object("resources");
  json.number("constant", resources.constant);
  json.number("local", resources.local);
  json.number("parameters", resources.parameters);
  json.number("registers", resources.registers);
  json.number("shared", resources.shared);
  json.number("spill_loads", resources.spill_loads);
  json.number("spill_stores", resources.spill_stores);
  json.number("stack", resources.stack);
  json.end_object();
}

void write_report_bytes(JsonWriter& json, const ReportBytes& bytes) {
  json.begin_object("bytes");
  json.real("compulsory", bytes.compulsory);
  json.flag("is_lower_bound", bytes.is_lower_bound);
  json.flag("is_reuse_unknown", bytes.is_reuse_unknown);
  json.real("read", bytes.read);
  json.real("requested", bytes.requested);
  json.real("sector", bytes.sector);
  json.text("source", amount_source_name(bytes.source));
  json.real("written", bytes.written);
  json.end_object();
}

void write_report_operations(JsonWriter& json, const ReportOperations& operations) {
  json.begin_object("operations");
  json.real("f16", operations.f16);
  json.real("f32", operations.f32);
  json.real("f64", operations.f64);
  json.real("integer", operations.integer);
  json.real("matrix", operations.matrix);
  json.text("source", amount_source_name(operations.source));
  json.real("total", operations.total);
  json.end_object();
}

void write_report_seconds(JsonWriter& json, const ReportSeconds& seconds) {
  json.begin_object("seconds");
  json.real("high", seconds.high);
  json.real("low", seconds.low);
  json.real("max", seconds.max);
  json.real("mean", seconds.mean);
  json.real("min", seconds.min);
  json.real("total", seconds.total);
  json.end_object();
}

void write_kernel_row(JsonWriter& json, const KernelRow& row) {
  json.begin_object();
  json.text("bound", bound_name(row.bound));
  write_report_bytes(json, row.bytes);
  json.count("calls", row.calls);
  json.count("captured", row.captured);
  json.begin_object("counters");
  for (const auto& [name, value] : row.counters) json.real(name, value);
  json.end_object();
  json.text("digest", row.digest);
  json.count("failed", row.failed);
  write_geometry(json, row.geometry);
  json.real("intensity", row.intensity);
  json.text("name", row.name);
  json.text("note", row.note);
  json.real("occupancy", row.occupancy);
  json.text("occupancy_limiter", row.occupancy_limiter);
  write_report_operations(json, row.operations);
  json.begin_object("percent");
  json.real("compute", row.percent.compute);
  json.real("memory", row.percent.memory);
  json.end_object();
  write_report_resources(json, row.resources);
  write_report_seconds(json, row.seconds);
  json.real("sectors_per_request", row.sectors_per_request);
  json.count("timed", row.timed);
  json.end_object();
}

void write_operation(JsonWriter& json, const OperationRow& row) {
  json.begin_object();
  json.count("bytes", row.bytes);
  json.count("calls", row.calls);
  json.count("captured", row.captured);
  json.count("failed", row.failed);
  json.real("host_seconds", row.host_seconds);
  json.text("kind", row.kind);
  json.real("seconds", row.seconds);
  json.count("timed", row.timed);
  json.end_object();
}

void write_report_finding(JsonWriter& json, const ReportFinding& finding) {
  json.begin_object();
  json.text("advice", finding.advice);
  json.text("file", finding.place.file);
  json.text("id", finding.id);
  write_index(json, "kernel", finding.kernel);
  json.count("line", finding.place.line);
  json.text("message", finding.message);
  json.text("name", finding.name);
  json.count("ptx_line", finding.place.ptx_line);
  json.text("severity", severity_name(finding.severity));
  json.end_object();
}

void write_missing(JsonWriter& json, const MissingPart& part) {
  json.begin_object();
  json.text("remedy", part.remedy);
  json.text("what", part.what);
  json.text("why", part.why);
  json.end_object();
}

template <class Row>
void write_rows(JsonWriter& json, const char* name, const std::vector<Row>& rows,
                void (*write)(JsonWriter&, const Row&)) {
  json.begin_array(name);
  for (const Row& row : rows) write(json, row);
  json.end_array();
}

}  // namespace

void write_profile(JsonWriter& json, const ReportData& data) {
  json.begin_object();
  json.text("schema", "cucore.report/1");
  json.count("dropped_records", data.dropped_records);
  write_rows(json, "findings", data.findings, write_report_finding);
  write_rows(json, "kernels", data.kernels, write_kernel_row);
  write_report_machine(json, data.machine);
  write_rows(json, "missing", data.missing, write_missing);
  json.text("name", data.name);
  write_rows(json, "operations", data.operations, write_operation);
  json.begin_object("overhead");
  json.real("budget", data.overhead.budget);
  json.real("measured", data.overhead.measured);
  json.end_object();
  write_rows(json, "ranges", data.ranges, write_range);
  write_roof(json, data.roof);
  json.real("seconds", data.seconds);
  json.text("source", profile_source_name(data.source));
  json.end_object();
}

std::string profile_as_json(const ReportData& data) {
  JsonWriter json;
  write_profile(json, data);
  return json.take();
}

}  // namespace cucore::perf
