// SPDX-License-Identifier: Apache-2.0
#include "perf/report/measurement_report.hpp"
#include "perf/report/plain_text.hpp"
#include "support/concat.hpp"

namespace cucore::perf {
namespace {

constexpr size_t MOST_POINTS = 5000;  // of a series; more are thinned out

std::string micros_text(double seconds) { return short_text(seconds * 1e6, 6); }

void add_data(std::string& script, size_t number, const std::vector<double>& samples) {
  script += concat("$samples", number, " << END\n");
  const size_t step = samples.size() / MOST_POINTS + 1;
  for (size_t i = 0; i < samples.size(); i += step)
    script += concat(i, " ", micros_text(samples[i]), "\n");
  script += "END\n";
}

}  // namespace

std::string measurements_as_gnuplot(const Measurements& list) {
  std::string script = "# gnuplot\n";
  for (size_t i = 0; i < list.size(); ++i) add_data(script, i, list[i]->series.samples);
  script += "set xlabel \"sample\"\nset ylabel \"time, microseconds\"\nset yrange [0:*]\n";
  script += "set key outside below noenhanced\nset grid ytics\nplot";
  for (size_t i = 0; i < list.size(); ++i) {
    const Measurement& measurement = *list[i];
    const std::string title =
        concat(measurement.name, ", median ", micros_text(measurement.summary.median), " us");
    script +=
        concat(i == 0 ? " " : ", ", "$samples", i, " using 1:2 with points pt 7 ps 0.4 lc ", i + 1,
               " title ", plot_text(title), ", ", micros_text(measurement.summary.median),
               " with lines lw 1 lc ", i + 1, " notitle");
  }
  return script + "\n";
}

}  // namespace cucore::perf
