// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "perf/report/plain_text.hpp"
#include "perf/report/profile_findings.hpp"
#include "perf/report/profile_report.hpp"
#include "perf/report/profile_rules.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::perf {
namespace {

constexpr size_t NAME_WIDTH = 34;
constexpr size_t TEXT_WIDTH = 100;
constexpr size_t MOST_ROWS = 20;  // of each table
constexpr size_t MOST_FINDINGS = 50;

std::string left(std::string text, size_t width) {
  if (text.size() > width) text = text.substr(0, width - 2) + "..";
  return text + std::string(width - text.size(), ' ');
}

std::string right(const std::string& text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

// Lines of at most 100 columns, each indented by two.
std::string paragraph(const std::string& words) {
  std::string text, line = " ";
  for (size_t at = 0; at < words.size();) {
    const size_t end = std::min(words.find(' ', at), words.size());
    if (line.size() > 1 && line.size() + 1 + end - at > TEXT_WIDTH)
      text += std::exchange(line, " ") + "\n";
    line += concat(" ", words.substr(at, end - at));
    at = end + 1;
  }
  return line.size() > 1 ? text + line + "\n" : text;
}

std::string known_seconds(double seconds) {
  return std::isfinite(seconds) ? seconds_text(seconds) : "-";
}

std::string known_percent(double percent) {
  return std::isfinite(percent) ? concat(digits_text(percent, 0), " %") : "-";
}

std::string known_fraction(double fraction) {
  return std::isfinite(fraction) ? digits_text(fraction, 2) : "unknown";
}

std::string share_text(double seconds, double total) {
  return known_percent(total > 0 ? seconds / total * 100 : UNKNOWN);
}

std::string title_of(const KernelRow& row) { return visible(kernel_title(row.name)); }

void add_head(std::string& text, const ReportData& data) {
  const double kernels = kernel_seconds_of(data);
  text += concat(data.name.empty() ? "profile" : visible(data.name), " on ",
                 visible(data.machine.device), " (", data.machine.arch,
                 "): ", seconds_text(data.seconds));
  if (has_counts_only(data)) {
    text += ", counted without times\n";
    return;
  }
  text += concat(", kernels ", seconds_text(kernels), " (", share_text(kernels, data.seconds),
                 "), measured by ", profile_source_name(data.source), "\n");
  if (!data.ranges.empty())
    text +=
        concat("memory efficiency ", known_fraction(data.ranges[0].memory_efficiency),
               ", compute efficiency ", known_fraction(data.ranges[0].compute_efficiency), "\n");
}

void add_headline(std::string& text, const ReportData& data) {
  const Headline headline = headline_of(data);
  if (headline.title.empty()) return;
  text += concat("\n", visible(headline.title), "\n");
  if (!headline.message.empty()) text += paragraph(visible(headline.message) + ".");
  text += paragraph(visible(headline.advice));
}

std::string geometry_text(const KernelRow& row) {
  return concat(extent_text(row.geometry.grid), " x ", extent_text(row.geometry.block));
}

void add_row(std::string& text, const KernelRow& row, double total) {
  text += concat(
      left(title_of(row), NAME_WIDTH), " ", left(geometry_text(row), 18),
      right(std::to_string(row.calls), 9), right(known_seconds(row.seconds.total), 10),
      right(share_text(row.seconds.total, total), 6), right(known_seconds(row.seconds.mean), 10),
      right(known_percent(row.percent.memory), 7), right(known_percent(row.percent.compute), 8),
      "  ", row.bound == Bound::UNKNOWN ? "-" : bound_name(row.bound), "\n");
}

std::string known_amount(double amount, const char* unit) {
  return std::isfinite(amount) ? scaled_text(amount, unit) : "-";
}

void add_counted_kernels(std::string& text, const ReportData& data) {
  text += concat("\n", left("kernel", NAME_WIDTH), " ", left("grid x block", 18), right("calls", 9),
                 right("instructions", 14), right("requested", 11), right("moved", 11),
                 right("sectors/request", 17), "\n");
  for (size_t i = 0; i < std::min(data.kernels.size(), MOST_ROWS); ++i) {
    const KernelRow& row = data.kernels[i];
    const auto instructions = row.counters.find("cpu.instructions");
    const bool has_sectors = std::isfinite(row.sectors_per_request);
    text += concat(
        left(title_of(row), NAME_WIDTH), " ", left(geometry_text(row), 18),
        right(std::to_string(row.calls), 9),
        right(instructions == row.counters.end() ? "-" : known_amount(instructions->second, ""),
              14),
        right(known_amount(row.bytes.requested, "B"), 11),
        right(known_amount(row.bytes.sector, "B"), 11),
        right(has_sectors ? digits_text(row.sectors_per_request, 1) : "-", 17), "\n");
  }
}

void add_timed_kernels(std::string& text, const ReportData& data) {
  text += concat("\n", left("kernel", NAME_WIDTH), " ", left("grid x block", 18), right("calls", 9),
                 right("total", 10), right("share", 6), right("mean", 10), right("memory", 7),
                 right("compute", 8), "  bound\n");
  const double total = kernel_seconds_of(data);
  for (size_t i = 0; i < std::min(data.kernels.size(), MOST_ROWS); ++i)
    add_row(text, data.kernels[i], total);
}

void add_kernels(std::string& text, const ReportData& data) {
  if (data.kernels.empty()) {
    text += concat("\n", no_kernel_text(data), ".\n");
    return;
  }
  has_counts_only(data) ? add_counted_kernels(text, data) : add_timed_kernels(text, data);
  if (data.kernels.size() > MOST_ROWS)
    text += concat("and ", counted(data.kernels.size() - MOST_ROWS, "other"), "\n");
}

void add_ranges(std::string& text, const ReportData& data) {
  if (data.ranges.size() < 2) return;
  text += concat("\n", left("range", NAME_WIDTH), right("calls", 9), right("time", 10),
                 right("kernels", 10), right("memory", 8), right("compute", 9), "\n");
  for (size_t i = 1; i < std::min(data.ranges.size(), MOST_ROWS + 1); ++i) {
    const ReportRange& range = data.ranges[i];
    size_t depth = 0;
    for (size_t up = range.parent; up != NO_INDEX && up != 0 && depth < 8; ++depth)
      up = data.ranges[up].parent;
    text += concat(left(std::string(2 * depth, ' ') + visible(range.name), NAME_WIDTH),
                   right(std::to_string(range.calls), 9), right(known_seconds(range.seconds), 10),
                   right(known_seconds(range.kernel_seconds), 10),
                   right(known_percent(range.memory_efficiency * 100), 8),
                   right(known_percent(range.compute_efficiency * 100), 9), "\n");
  }
}

void add_operations(std::string& text, const ReportData& data) {
  if (data.operations.empty()) return;
  text += concat("\n", left("operation", NAME_WIDTH), right("calls", 9), right("bytes", 11),
                 right("device", 10), right("host", 10), "\n");
  for (const OperationRow& row : data.operations)
    text += concat(left(visible(row.kind), NAME_WIDTH), right(std::to_string(row.calls), 9),
                   right(row.bytes ? scaled_text(static_cast<double>(row.bytes), "B") : "-", 11),
                   right(known_seconds(row.seconds), 10),
                   right(known_seconds(row.host_seconds), 10), "\n");
}

std::string at_place(const ReportFinding& finding) {
  const std::string place = reason_place(finding.place);
  return place.empty() ? place : concat(" at ", place);
}

void add_findings(std::string& text, const ReportData& data) {
  if (data.findings.empty()) return;
  text += "\nfindings\n";
  for (size_t i = 0; i < std::min(data.findings.size(), MOST_FINDINGS); ++i) {
    const ReportFinding& finding = data.findings[i];
    const std::string where = finding.kernel < data.kernels.size()
                                  ? concat(title_of(data.kernels[finding.kernel]), ": ")
                                  : std::string();
    text += concat(finding.id, " ", severity_name(finding.severity), ": ", where, finding.name,
                   visible(at_place(finding)), "\n");
    text += paragraph(visible(finding.message) + ".") + paragraph(visible(finding.advice));
  }
  if (data.findings.size() > MOST_FINDINGS)
    text += concat("and ", counted(data.findings.size() - MOST_FINDINGS, "other"), "\n");
}

void add_row_notes(std::string& text, const ReportData& data) {
  size_t count = 0;
  for (const KernelRow& row : data.kernels) {
    const std::string note = note_of(row);
    if (note.empty() || count++ >= MOST_ROWS) continue;
    if (count == 1) text += "\nnotes\n";
    text += concat(title_of(row), ": ", visible(note), "\n");
  }
  if (count > MOST_ROWS) text += concat("and ", counted(count - MOST_ROWS, "other"), "\n");
}

}  // namespace

std::string extent_text(const uint32_t (&extent)[3]) {
  std::string text = std::to_string(extent[0]);
  if (extent[1] > 1 || extent[2] > 1) text += concat("x", extent[1]);
  if (extent[2] > 1) text += concat("x", extent[2]);
  return text;
}

double kernel_seconds_of(const ReportData& data) {
  double total = 0;
  for (const KernelRow& row : data.kernels)
    if (row.seconds.total > 0) total += row.seconds.total;
  return total;
}

bool has_counts_only(const ReportData& data) {
  return data.source == ProfileSource::EMULATED && !(kernel_seconds_of(data) > 0);
}

std::string reason_place(const Place& place) {
  if (place.line != 0) return concat(place.file, ":", place.line);
  return place.ptx_line != 0 ? concat("line ", place.ptx_line, " of the PTX") : std::string();
}

std::string note_of(const KernelRow& row) {
  if (!row.bytes.is_reuse_unknown) return row.note;
  return concat(row.note, row.note.empty() ? "" : " ", "Memory moves between ",
                scaled_text(row.bytes.compulsory, "B"), " and ", scaled_text(row.bytes.sector, "B"),
                ", because the reuse in the L2 cache is unknown.");
}

namespace {

// Returns what the counts of a kernel without findings show.
Headline counted_headline(const std::string& title, const KernelRow& row) {
  std::string counts;
  const auto add = [&](double value, int digits, const char* unit) {
    if (std::isfinite(value))
      counts += concat(counts.empty() ? "" : ", ", digits_text(value, digits), unit);
  };
  add(row.sectors_per_request, 1, " sectors per request");
  add(active_threads_of(row) * 100, 0, " % of the threads of its warps active");
  return {concat(title, ": its counts show nothing wasteful"), counts,
          "Counts do not show what limits a kernel. Its times on a GPU do."};
}

}  // namespace

std::string no_kernel_text(const ReportData& data) {
  for (const OperationRow& row : data.operations)
    if (row.kind == "graph_launch" && row.calls != 0)
      return concat("No kernel was launched one by one; ",
                    counted(row.calls, "launch of a graph", "launches of graphs"));
  return "No kernel was launched";
}

Headline headline_of(const ReportData& data) {
  if (data.kernels.empty()) return {};
  const KernelRow& row = data.kernels.front();
  const double total = kernel_seconds_of(data);
  std::string title = kernel_title(row.name);
  if (total > 0)
    title += concat(" takes ", share_text(row.seconds.total, total), " of the time of the kernels");
  const size_t index = main_findings(data).front();
  if (index == NO_INDEX) {
    if (has_counts_only(data)) return counted_headline(title, row);
    const bool is_bound = row.bound != Bound::UNKNOWN;
    return {
        is_bound ? concat(title, ": bound by ", bound_name(row.bound))
                 : concat(title, "; what holds it back is unknown"),
        "",
        is_bound ? "" : "Declare its bytes and operations, or profile with the source COUNTERS."};
  }
  const ReportFinding& finding = data.findings[index];
  return {concat(title, ": ", finding.name, at_place(finding), " (", finding.id, ")"),
          finding.message, finding.advice};
}

std::string profile_as_text(const ReportData& data) {
  std::string text;
  add_head(text, data);
  add_headline(text, data);
  add_kernels(text, data);
  add_ranges(text, data);
  add_operations(text, data);
  add_findings(text, data);
  add_row_notes(text, data);
  return text;
}

}  // namespace cucore::perf
