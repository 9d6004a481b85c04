// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <limits>

#include "perf/report/measurement_report.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::perf {
namespace {

// Control characters of names must not reach a terminal.
std::string visible(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  return text;
}

std::string digits_text(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// Four digits and a prefix of the unit: "102.3 us".
std::string scaled_text(double value, const char* unit) {
  static constexpr struct {
    double factor;
    const char* prefix;
  } PREFIXES[] = {{1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},
                  {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
  const auto* chosen = &PREFIXES[7];
  for (const auto& each : PREFIXES)
    if (std::abs(value) >= each.factor) {
      chosen = &each;
      break;
    }
  const double part = value / chosen->factor;
  const int digits = part >= 999.95 ? 0 : part >= 99.995 ? 1 : part >= 9.9995 ? 2 : 3;
  return concat(digits_text(part, digits), " ", chosen->prefix, unit);
}

std::string seconds_text(double seconds) { return scaled_text(seconds, "s"); }

void add_rates(std::string& text, const Measurement& measurement) {
  std::string line;
  const auto add = [&](double amount, const char* unit, double percent) {
    const double rate = measurement.per_second(amount);
    if (!std::isfinite(rate)) return;
    line += concat(line.empty() ? "" : ", ", scaled_text(rate, unit));
    if (std::isfinite(percent)) line += concat(" (", digits_text(percent, 1), " % of the roof)");
  };
  add(measurement.bytes, "B/s", measurement.memory_percent());
  add(measurement.operations, "operations/s", measurement.compute_percent());
  add(measurement.items, "items/s", std::numeric_limits<double>::quiet_NaN());
  if (!line.empty()) text += concat("  ", line, " at the median\n");
}

const char* shape_note(Shape shape) {
  switch (shape) {
    case Shape::DRIFTING:
      return "the times rise or fall; measure again, or compare in pairs";
    case Shape::STEPPED:
      return "the times changed once; measure again";
    case Shape::BIMODAL:
      return "the times lie in two groups; the median is in one of them";
    case Shape::THROTTLED:
      return "the clock of the device fell below 75 %; let it cool down";
    default:
      return "";
  }
}

void add_notes(std::string& text, const Measurement& measurement) {
  const Shape shape = measurement.series.shape;
  if (shape != Shape::STEADY)
    text += concat("  ", shape_name(shape), ": ", shape_note(shape), "\n");
  if (measurement.series.throttled != 0)
    text +=
        concat("  ", counted(measurement.series.throttled, "sample"), " of a low clock dropped\n");
  if (measurement.synchronises)
    text += concat("  the work waits for the device; measured unblocked, by ",
                   measurement.clock == ClockKind::HOST ? "the host's clock" : "events", "\n");
  if (measurement.series.stop == StopReason::MAX_TIME)
    text += concat("  the time limit of ", seconds_text(measurement.limits.max_time),
                   " ended the measurement before its criterion was met\n");
}

void add_measurement(std::string& text, const Measurement& measurement) {
  const Summary& summary = measurement.summary;
  text += concat(visible(measurement.name), " on ", visible(measurement.machine.device), " (",
                 measurement.machine.arch, ")\n");
  text += concat("  median ", seconds_text(summary.median), ", 95 % interval ",
                 seconds_text(summary.interval.low), " to ", seconds_text(summary.interval.high),
                 measurement.is_flushed ? ", cold" : "", "\n");
  text += concat("  ", counted(measurement.series.samples.size(), "sample"), ", ",
                 seconds_text(summary.min), " to ", seconds_text(summary.max), ", deviation ",
                 digits_text(measurement.noise * 100, 2), " %, ",
                 counted(summary.outliers, "outlier"), "\n");
  if (measurement.batch != 0)
    text += concat("  ", seconds_text(measurement.hot), " in batches of ", measurement.batch, "\n");
  add_rates(text, measurement);
  add_notes(text, measurement);
}

std::string csv_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) (c == '"' ? quoted += '"' : quoted) += c;
  return quoted + '"';
}

// Empty if the number is unknown.
std::string csv_number(double value) {
  if (!std::isfinite(value)) return {};
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

}  // namespace

std::string measurements_as_text(const Measurements& list) {
  std::string text;
  for (const Measurement* measurement : list) add_measurement(text, *measurement);
  return text;
}

std::string measurements_as_csv(const Measurements& list) {
  std::string text =
      "name,device,median,low,high,mean,deviation,min,max,p05,p95,hot,batch,samples,outliers,"
      "throttled,shape,stop,clock,bytes_per_second,operations_per_second\n";
  for (const Measurement* measurement : list) {
    const Summary& summary = measurement->summary;
    text += concat(csv_text(measurement->name), ",", csv_text(measurement->machine.device));
    for (const double value :
         {summary.median, summary.interval.low, summary.interval.high, summary.mean,
          summary.deviation, summary.min, summary.max, summary.p05, summary.p95, measurement->hot})
      text += concat(",", csv_number(value));
    text += concat(",", measurement->batch, ",", measurement->series.samples.size(), ",",
                   summary.outliers, ",", measurement->series.throttled, ",",
                   shape_name(measurement->series.shape), ",", stop_name(measurement->series.stop),
                   ",", clock_name(measurement->clock), ",",
                   csv_number(measurement->per_second(measurement->bytes)), ",",
                   csv_number(measurement->per_second(measurement->operations)), "\n");
  }
  return text;
}

}  // namespace cucore::perf
