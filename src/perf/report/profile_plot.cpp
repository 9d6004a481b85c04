// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "perf/report/plain_text.hpp"
#include "perf/report/profile_report.hpp"
#include "perf/report/profile_rules.hpp"
#include "support/concat.hpp"

namespace cucore::perf {
namespace {

constexpr size_t MOST_BARS = 15;
constexpr size_t MOST_LETTERS = 32;
constexpr double LEAST_INTENSITY = 1e-3, MOST_INTENSITY = 1e4;  // of the roofline

std::string plot_number(double value) { return short_text(value, 6); }

// Long names leave no room for the plot.
std::string short_title(const KernelRow& row) {
  std::string title = kernel_title(row.name);
  if (title.size() > MOST_LETTERS) title = title.substr(0, MOST_LETTERS - 2) + "..";
  return title;
}

double operation_rate(const KernelRow& row) {
  return arithmetic_of(row) / static_cast<double>(row.calls) / row.seconds.mean;
}

bool has_point(const KernelRow& row) {
  return row.intensity > 0 && std::isfinite(row.intensity) && operation_rate(row) > 0 &&
         std::isfinite(operation_rate(row));
}

// The length of the bar of a kernel.
double bar_of(const KernelRow& row, bool counts_only) {
  const auto instructions = row.counters.find("cpu.instructions");
  const double length = !counts_only                         ? row.seconds.total * 1e3
                        : instructions == row.counters.end() ? UNKNOWN
                                                             : instructions->second;
  return length > 0 ? length : 0;
}

// Returns whether a bar has a length.
bool add_bars(std::string& script, const ReportData& data, bool counts_only) {
  bool has_length = false;
  script += "$times << END\n";
  const size_t count = std::min(data.kernels.size(), MOST_BARS);
  for (size_t i = 0; i < count; ++i) {
    const KernelRow& row = data.kernels[i];
    const double bar = bar_of(row, counts_only);
    has_length |= bar > 0;
    script += concat(count - 1 - i, " ", plot_number(bar), " ", plot_text(short_title(row)), "\n");
  }
  script += "END\n";
  return has_length;
}

void add_points(std::string& script, const ReportData& data) {
  script += "$points << END\n";
  for (const KernelRow& row : data.kernels)
    if (has_point(row))
      script += concat(plot_number(row.intensity), " ", plot_number(operation_rate(row)), " ",
                       plot_text(short_title(row)), "\n");
  script += "END\n";
}

// The lower one of the memory's line and the peak of a type.
void add_roofs(std::string& script, const ReportData& data) {
  const auto add = [&](const char* title, double peak) {
    if (peak > 0 && std::isfinite(peak))
      script += concat(", ", plot_number(data.roof.copy), "*x < ", plot_number(peak), " ? ",
                       plot_number(data.roof.copy), "*x : ", plot_number(peak),
                       " with lines lw 2 title \"", title, "\"");
  };
  add("f32", data.roof.f32);
  add("f64", data.roof.f64);
  add("tensor cores", data.roof.matrix);
}

bool has_roofline(const ReportData& data) {
  return data.roof.copy > 0 && std::any_of(data.kernels.begin(), data.kernels.end(), has_point);
}

}  // namespace

std::string profile_as_gnuplot(const ReportData& data) {
  if (data.kernels.empty())
    return "# gnuplot\nset title \"no kernel was launched\"\nset xrange [0:1]\n"
           "set yrange [0:1]\nplot 2 notitle\n";
  const bool roofline = has_roofline(data);
  std::string script = "# gnuplot\n";
  const bool counts_only = has_counts_only(data);
  const bool has_length = add_bars(script, data, counts_only);
  if (roofline) add_points(script, data);
  script += concat("set multiplot layout 1,", roofline ? 2 : 1, "\nset title \"",
                   counts_only ? "instructions" : "time", " of kernels\" noenhanced\nset xlabel \"",
                   counts_only ? "instructions of threads" : "milliseconds",
                   "\"\nset xtics rotate by -40\nset xrange [0:", has_length ? "*" : "1",
                   "]\nset yrange [-1:", std::min(data.kernels.size(), MOST_BARS),
                   "]\nset ytics noenhanced\nunset key\nset grid xtics\n"
                   "plot $times using (0):1:(0):2:($1-0.35):($1+0.35):ytic(3) with boxxyerror "
                   "fill solid 0.6\n");
  if (roofline) {
    script += concat(
        "set title \"roofline\" noenhanced\nset xlabel \"operations per byte\"\n"
        "set ylabel \"operations per second\"\nset logscale xy\nset ytics auto enhanced\nset xtics "
        "norotate\n"
        "set xrange [",
        plot_number(LEAST_INTENSITY), ":", plot_number(MOST_INTENSITY),
        "]\nset yrange [*:*]\nset key below\nset format y \"10^{%L}\"\n"
        "plot $points using 1:2:3 with labels point pt 7 offset 1,0.5 left noenhanced "
        "notitle");
    add_roofs(script, data);
    script += "\n";
  }
  return script + "unset multiplot\n";
}

}  // namespace cucore::perf
