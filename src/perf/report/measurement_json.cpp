// SPDX-License-Identifier: Apache-2.0
#include "perf/report/measurement_report.hpp"
#include "support/json_writer.hpp"

namespace cucore::perf {
namespace {

void write_machine(JsonWriter& json, const MeasuredMachine& machine) {
  json.begin_object("machine");
  json.text("arch", machine.arch);
  json.real("clock_limit_mhz", machine.clock_limit_mhz);
  json.text("date", machine.date);
  json.text("device", machine.device);
  json.text("driver", machine.driver);
  json.text("library", machine.library);
  json.text("uuid", machine.uuid);
  json.end_object();
}

void write_options(JsonWriter& json, const Measurement& measurement) {
  const SeriesLimits& limits = measurement.limits;
  json.begin_object("options");
  json.flag("batch", measurement.batches);
  json.flag("check_clock", measurement.checks_clock);
  json.text("criterion", criterion_name(limits.criterion));
  json.flag("flush", measurement.is_flushed);
  json.count("max_samples", limits.max_samples);
  json.real("max_time", limits.max_time);
  json.count("min_samples", limits.min_samples);
  json.real("min_time", limits.min_time);
  json.real("noise", limits.noise);
  json.end_object();
}

void write_seconds(JsonWriter& json, const Summary& summary) {
  json.begin_object("seconds");
  json.real("deviation", summary.deviation);
  json.real("high", summary.interval.high);
  json.real("low", summary.interval.low);
  json.real("max", summary.max);
  json.real("mean", summary.mean);
  json.real("median", summary.median);
  json.real("min", summary.min);
  json.real("p05", summary.p05);
  json.real("p95", summary.p95);
  json.end_object();
}

// Of what the device can do; unknown without a roof.
void write_percent(JsonWriter& json, const Measurement& measurement) {
  json.begin_object("percent");
  json.real("compute", measurement.compute_percent());
  json.real("memory", measurement.memory_percent());
  json.end_object();
}

void write_known(JsonWriter& json, const char* name, double amount) {
  json.real(name, amount > 0 ? amount : std::numeric_limits<double>::quiet_NaN());
}

void write_measurement(JsonWriter& json, const Measurement& measurement) {
  json.begin_object();
  json.text("schema", "cucore.measurement/1");
  json.count("batch", measurement.batch);
  write_known(json, "bytes", measurement.bytes);
  json.text("clock", clock_name(measurement.clock));
  json.real("clock_mhz", measurement.clock_mhz);
  json.real("event_offset", measurement.event_offset);
  json.real("hot", measurement.hot);
  json.flag("is_blocked", measurement.is_blocked);
  write_known(json, "items", measurement.items);
  write_machine(json, measurement.machine);
  json.text("name", measurement.name);
  json.text("operation_type", operation_type_name(measurement.operation_type));
  write_known(json, "operations", measurement.operations);
  write_options(json, measurement);
  json.count("outliers", measurement.summary.outliers);
  write_percent(json, measurement);
  json.begin_array("samples");
  for (const double sample : measurement.series.samples) json.real({}, sample);
  json.end_array();
  write_seconds(json, measurement.summary);
  json.text("shape", shape_name(measurement.series.shape));
  json.text("stop", stop_name(measurement.series.stop));
  json.flag("synchronises", measurement.synchronises);
  json.count("throttled", measurement.series.throttled);
  json.end_object();
}

}  // namespace

std::string measurements_as_json(const Measurements& list) {
  JsonWriter json;
  json.begin_array();
  for (const Measurement* measurement : list) write_measurement(json, *measurement);
  json.end_array();
  return json.take();
}

}  // namespace cucore::perf
