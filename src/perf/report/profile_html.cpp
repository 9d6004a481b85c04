// SPDX-License-Identifier: Apache-2.0
// The page shows its tables without a script. The script draws the roofline and the timeline.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "perf/report/page/page.hpp"
#include "perf/report/plain_text.hpp"
#include "perf/report/profile_findings.hpp"
#include "perf/report/profile_report.hpp"
#include "perf/report/profile_rules.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"
#include "support/json_text.hpp"

namespace cucore::perf {
namespace {

constexpr size_t MOST_DRAWN = 50'000;  // records of the timeline

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '"')
      escaped += "&quot;";
    else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
      escaped += '?';
    else
      escaped += c;
  }
  return escaped;
}

// JSON inside a script element, which "</script>" in a name must not end.
std::string script_data(const char* id, std::string_view json) {
  std::string safe;
  for (const char c : json) (c == '<' ? safe += "\\u003c" : safe += c);
  return concat("<script type=\"application/json\" id=\"", id, "\">", safe, "</script>\n");
}

std::string short_number(double value) {
  char digits[40];
  return {digits,
          std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 7).ptr};
}

// A cell that sorts by its number.
std::string number_cell(double value, const std::string& text) {
  if (!std::isfinite(value)) return "<td data-v=\"-1\">-</td>";
  return concat("<td data-v=\"", short_number(value), "\">", text, "</td>");
}

std::string seconds_cell(double seconds) { return number_cell(seconds, seconds_text(seconds)); }

std::string count_cell(uint64_t count) {
  return number_cell(static_cast<double>(count), std::to_string(count));
}

// A cell with a bar behind its number.
std::string percent_cell(double percent) {
  if (!std::isfinite(percent)) return "<td data-v=\"-1\">-</td>";
  return concat(
      "<td class=\"bar\" style=\"--part:", digits_text(std::clamp(percent, 0.0, 100.0), 1),
      "%\" data-v=\"", short_number(percent), "\">", digits_text(percent, 0), " %</td>");
}

std::string figure(const char* title, const std::string& value) {
  return concat("<div class=\"figure\"><b>", value, "</b>", title, "</div>\n");
}

std::string efficiency_text(double value) {
  return std::isfinite(value) ? concat(digits_text(value * 100, 0), " %") : "unknown";
}

void add_top(std::string& page, const ReportData& data) {
  const double kernels = kernel_seconds_of(data);
  page += concat("<h1>", html_text(data.name.empty() ? "Profile" : data.name), "</h1>\n",
                 "<div class=\"sub\">", html_text(data.machine.device), " (",
                 html_text(data.machine.arch), "), driver ", html_text(data.machine.driver), ", ",
                 html_text(data.machine.date), "; ", seconds_text(data.seconds), ", ",
                 has_counts_only(data) ? "counted without times"
                                       : concat("measured by ", profile_source_name(data.source)),
                 "</div>\n<div class=\"top\">\n");
  const Headline headline = headline_of(data);
  page +=
      concat("<div class=\"main\"><b>",
             html_text(headline.title.empty() ? no_kernel_text(data) : headline.title), ".</b>");
  if (!headline.message.empty()) page += concat("<div>", html_text(headline.message), ".</div>");
  if (!headline.advice.empty()) page += concat("<div>", html_text(headline.advice), "</div>");
  page += "</div>\n";
  if (has_counts_only(data)) {
    page += "</div>\n";
    return;
  }
  if (!data.ranges.empty())
    page += figure("memory efficiency", efficiency_text(data.ranges[0].memory_efficiency)) +
            figure("compute efficiency", efficiency_text(data.ranges[0].compute_efficiency));
  page += figure("time of all kernels",
                 efficiency_text(data.seconds > 0 ? kernels / data.seconds : UNKNOWN));
  page += "</div>\n";
}

std::string head_row(std::initializer_list<const char*> names) {
  std::string row = "<thead><tr>";
  bool is_first = true;
  for (const char* name : names)
    row += concat(std::exchange(is_first, false) ? "<th class=\"name\">" : "<th>", name, "</th>");
  return row + "</tr></thead>\n<tbody>\n";
}

// The name, with the finding and the notes, and the geometry.
std::string kernel_cells(const ReportData& data, size_t index, size_t finding) {
  const KernelRow& row = data.kernels[index];
  std::string name = concat("<code>", html_text(kernel_title(row.name)), "</code>");
  if (finding != NO_INDEX)
    name += concat("<span class=\"why\">", html_text(data.findings[finding].name), "</span>");
  if (const std::string note = note_of(row); !note.empty())
    name += concat("<div class=\"sub\">", html_text(note), "</div>");
  return concat("<tr><td class=\"name\" title=\"", html_text(row.name), "\">", name, "</td><td>",
                extent_text(row.geometry.grid), " &times; ", extent_text(row.geometry.block),
                "</td>");
}

std::string amount_cell(double amount, const char* unit) {
  return number_cell(amount, scaled_text(amount, unit));
}

// A row of counts, which have no times.
std::string counted_html(const ReportData& data, size_t index, size_t finding) {
  const KernelRow& row = data.kernels[index];
  const auto counter = [&](const char* name) {
    const auto found = row.counters.find(name);
    return found == row.counters.end() ? UNKNOWN : found->second;
  };
  return concat(kernel_cells(data, index, finding), percent_cell(row.occupancy * 100),
                count_cell(row.calls), amount_cell(counter("cpu.instructions"), ""),
                percent_cell(active_threads_of(row) * 100), amount_cell(row.bytes.requested, "B"),
                amount_cell(row.bytes.sector, "B"),
                number_cell(row.sectors_per_request, digits_text(row.sectors_per_request, 1)),
                amount_cell(counter("cpu.shared_load_bank_conflicts") +
                                counter("cpu.shared_store_bank_conflicts"),
                            ""),
                amount_cell(counter("cpu.local_bytes"), "B"), "</tr>\n");
}

std::string kernel_html(const ReportData& data, size_t index, size_t finding, double total) {
  const KernelRow& row = data.kernels[index];
  const auto registers = row.resources.registers;
  return concat(
      kernel_cells(data, index, finding),
      number_cell(registers ? *registers : UNKNOWN, registers ? std::to_string(*registers) : ""),
      percent_cell(row.occupancy * 100), count_cell(row.calls), seconds_cell(row.seconds.total),
      percent_cell(total > 0 ? row.seconds.total / total * 100 : UNKNOWN),
      seconds_cell(row.seconds.mean),
      number_cell(row.bytes.read + row.bytes.written,
                  concat(scaled_text(row.bytes.read + row.bytes.written, "B"),
                         row.bytes.is_lower_bound ? " at least" : "")),
      percent_cell(row.percent.memory), percent_cell(row.percent.compute), "<td>",
      row.bound == Bound::UNKNOWN ? "-" : bound_name(row.bound), "</td></tr>\n");
}

void add_kernel_table(std::string& page, const ReportData& data) {
  if (data.kernels.empty()) return;
  const std::vector<size_t> findings = main_findings(data);
  page += "<h2>Kernels</h2>\n<div class=\"scroll\"><table>\n";
  if (has_counts_only(data)) {
    page += head_row({"kernel", "grid &times; block", "occupancy", "calls", "instructions",
                      "active threads", "requested", "moved", "sectors/request", "conflicts",
                      "local memory"});
    for (size_t i = 0; i < data.kernels.size(); ++i) page += counted_html(data, i, findings[i]);
  } else {
    page += head_row({"kernel", "grid &times; block", "registers", "occupancy", "calls", "total",
                      "share", "mean", "bytes", "memory", "compute", "bound"});
    const double total = kernel_seconds_of(data);
    for (size_t i = 0; i < data.kernels.size(); ++i)
      page += kernel_html(data, i, findings[i], total);
  }
  page += "</tbody></table></div>\n";
}

void add_finding_list(std::string& page, const ReportData& data) {
  if (data.findings.empty()) return;
  page += "<h2>Findings</h2>\n";
  for (const ReportFinding& finding : data.findings) {
    const std::string where =
        finding.kernel < data.kernels.size()
            ? concat("<code>", html_text(kernel_title(data.kernels[finding.kernel].name)),
                     "</code>: ")
            : std::string();
    const std::string place = reason_place(finding.place);
    page += concat("<div class=\"finding ", severity_name(finding.severity), "\"><b>", finding.id,
                   " ", html_text(finding.name), "</b> ", where,
                   place.empty() ? "" : concat("<code>", html_text(place), "</code>: "),
                   html_text(finding.message), ". ", html_text(finding.advice), "</div>\n");
  }
}

void add_range_table(std::string& page, const ReportData& data) {
  if (data.ranges.size() < 2) return;
  page += "<h2>Ranges</h2>\n<div class=\"scroll\"><table>\n";
  page += head_row({"range", "calls", "time", "kernels", "memory", "compute"});
  for (size_t i = 1; i < data.ranges.size(); ++i) {
    const ReportRange& range = data.ranges[i];
    const bool is_nested = range.parent != NO_INDEX && range.parent != 0;
    const std::string name =
        is_nested ? concat(data.ranges[range.parent].name, " / ", range.name) : range.name;
    page += concat("<tr><td class=\"name\">", html_text(name), "</td>", count_cell(range.calls),
                   seconds_cell(range.seconds), seconds_cell(range.kernel_seconds),
                   percent_cell(range.memory_efficiency * 100),
                   percent_cell(range.compute_efficiency * 100), "</tr>\n");
  }
  page += "</tbody></table></div>\n";
}

void add_operation_table(std::string& page, const ReportData& data) {
  if (data.operations.empty()) return;
  page += "<h2>Other operations</h2>\n<div class=\"scroll\"><table>\n";
  page += head_row({"operation", "calls", "bytes", "time on the device", "time on the host"});
  for (const OperationRow& row : data.operations)
    page += concat("<tr><td class=\"name\">", html_text(row.kind), "</td>", count_cell(row.calls),
                   row.bytes == 0 ? "<td data-v=\"0\">-</td>"
                                  : number_cell(static_cast<double>(row.bytes),
                                                scaled_text(static_cast<double>(row.bytes), "B")),
                   seconds_cell(row.seconds), seconds_cell(row.host_seconds), "</tr>\n");
  page += "</tbody></table></div>\n";
}

// The lanes of the timeline, each with [start, duration, row, name] in microseconds.
class Lanes {
 public:
  void add(const TimelineRecord& record) {
    const auto key =
        std::pair{record.kind == RecordKind::RANGE ? UINT32_MAX : record.device, record.stream};
    const bool is_kernel = record.kind == RecordKind::KERNEL;
    const std::string row = is_kernel && record.row != NO_INDEX ? std::to_string(record.row) : "-1";
    std::string& lane = lanes_[key];
    lane += concat(lane.empty() ? "" : ",", "[", micros(record.start), ",", micros(record.duration),
                   ",", row, ",", number_of(record), "]");
  }

  std::string json(const ReportData& data) const {
    std::string text = "{\"titles\": [";
    for (size_t i = 0; i < data.kernels.size(); ++i)
      text += concat(i ? "," : "", json_text(kernel_title(data.kernels[i].name)));
    text += "],\n\"names\": [";
    for (size_t i = 0; i < names_.size(); ++i) text += concat(i ? "," : "", json_text(names_[i]));
    text += "],\n\"lanes\": [";
    bool is_first = true;
    for (const auto& [key, records] : lanes_)
      text +=
          concat(std::exchange(is_first, false) ? "\n" : ",\n",
                 "{\"name\": ", json_text(title_of_lane(key)), ", \"records\": [", records, "]}");
    return text + "]}\n";
  }

 private:
  using Key = std::pair<uint32_t, uint64_t>;

  static std::string title_of_lane(const Key& key) {
    if (key.first == UINT32_MAX) return concat("ranges ", key.second);
    return concat("device ", key.first, ", stream ", key.second);
  }

  static std::string micros(double seconds) {
    char digits[40];
    const double value = std::round(seconds * 1e9) / 1e3;
    return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
  }

  // Names repeat, so that each is written once.
  size_t number_of(const TimelineRecord& record) {
    const auto [found, is_new] = numbers_.try_emplace(record.name, names_.size());
    if (is_new)
      names_.push_back(record.kind == RecordKind::KERNEL ? kernel_title(record.name) : record.name);
    return found->second;
  }

  std::map<Key, std::string> lanes_;
  std::map<std::string, size_t> numbers_;
  std::vector<std::string> names_;
};

void add_drawings(std::string& page, const ReportData& data) {
  page +=
      "<section id=\"roofline\"><h2>Roofline</h2><svg></svg></section>\n"
      "<section id=\"timelines\"><h2>Timeline</h2><div class=\"sub\">The wheel zooms, a drag "
      "moves.";
  if (data.records.size() > MOST_DRAWN)
    page += concat(" The first ", MOST_DRAWN, " of ", data.records.size(), " records are drawn.");
  page += "</div><canvas></canvas></section>\n<div id=\"tip\"></div>\n";
}

std::string timeline_json(const ReportData& data) {
  Lanes lanes;
  const bool has_other = std::ranges::any_of(data.records, [](const TimelineRecord& record) {
    return record.kind != RecordKind::OPERATION;
  });
  // Without times of kernels, a lane of waits of the host shows nothing.
  if (has_counts_only(data) && !has_other) return lanes.json(data);
  for (size_t i = 0; i < std::min(data.records.size(), MOST_DRAWN); ++i) lanes.add(data.records[i]);
  return lanes.json(data);
}

}  // namespace

std::string profile_as_html(const ReportData& data) {
  std::string page = concat(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
      html_text(data.name.empty() ? "Profile" : data.name), "</title>\n<style>\n", PAGE_CSS,
      "</style></head>\n<body>\n");
  add_top(page, data);
  add_kernel_table(page, data);
  add_drawings(page, data);
  add_finding_list(page, data);
  add_range_table(page, data);
  add_operation_table(page, data);
  page +=
      script_data("report", profile_as_json(data)) + script_data("timeline", timeline_json(data));
  return concat(page, "<script>\n", PAGE_JS, "</script>\n</body></html>\n");
}

}  // namespace cucore::perf
