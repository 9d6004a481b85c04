// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "perf/report/measurement_report.hpp"
#include "perf/report/plain_text.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::perf {
namespace {

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
