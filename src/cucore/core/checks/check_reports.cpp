// SPDX-License-Identifier: Apache-2.0
#include "core/checks/check_reports.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "support/concat.hpp"
#include "support/error.hpp"
#include "support/suppressions.hpp"

namespace cucore::core {
namespace {

using Json = nlohmann::json;

struct TextField {
  std::string_view key;
  std::string CheckReport::*field;
};
constexpr TextField TEXTS[] = {{"kind", &CheckReport::kind},
                               {"kernel", &CheckReport::kernel},
                               {"message", &CheckReport::message},
                               {"file", &CheckReport::file},
                               {"space", &CheckReport::space},
                               {"allocated_by", &CheckReport::allocated_by},
                               {"freed_by", &CheckReport::freed_by},
                               {"other", &CheckReport::other},
                               {"other_file", &CheckReport::other_file},
                               {"schedule", &CheckReport::schedule},
                               {"text", &CheckReport::text}};
struct NumberField {
  std::string_view key;
  uint64_t CheckReport::*field;
};
constexpr NumberField NUMBERS[] = {{"address", &CheckReport::address},
                                   {"size", &CheckReport::size},
                                   {"allocation", &CheckReport::allocation},
                                   {"allocation_size", &CheckReport::allocation_size},
                                   {"count", &CheckReport::count}};
struct LineField {
  std::string_view key;
  int32_t CheckReport::*field;
};
constexpr LineField LINES[] = {{"line", &CheckReport::line},
                               {"ptx_line", &CheckReport::ptx_line},
                               {"other_line", &CheckReport::other_line},
                               {"other_ptx_line", &CheckReport::other_ptx_line}};

// The events of a line of JSON. Events alone, because a tree of values allocates in its destructor.
class Handler : public Json::json_sax_t {
 public:
  bool key(std::string& name) override {
    key_ = name;
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(Json::number_integer_t) override { return true; }
  bool number_unsigned(Json::number_unsigned_t value) override {
    number(value);
    ++element_;
    return true;
  }
  bool number_float(Json::number_float_t, const std::string&) override { return true; }
  bool string(std::string& value) override {
    text(value);
    return true;
  }
  bool binary(Json::binary_t&) override { return true; }
  bool start_object(size_t) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override {
    element_ = 0;
    return true;
  }
  bool end_array() override { return true; }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 protected:
  virtual void number(uint64_t value) = 0;
  virtual void text(std::string&) {}

  std::string key_;
  size_t element_ = 0;  // of the present array
};

// The first line: numbers of the session, and its calls.
class SessionHandler final : public Handler {
 public:
  explicit SessionHandler(CheckReports& out) : out_(out) {}
  uint64_t dropped = 0;

 private:
  void number(uint64_t value) override {
    if (key_ == "dropped")
      dropped = value;
    else if (key_ == "faults")
      out_.faults = value;
    else
      out_.calls.emplace(key_, value);
  }
  void text(std::string& value) override {
    if (key_ == "schedule") out_.schedule = std::move(value);
  }
  CheckReports& out_;
};

class ReportHandler final : public Handler {
 public:
  explicit ReportHandler(CheckReport& out) : out_(out) {}

 private:
  void text(std::string& value) override {
    for (const TextField& row : TEXTS)
      if (row.key == key_) out_.*row.field = std::move(value);
  }
  void number(uint64_t value) override {
    for (const NumberField& row : NUMBERS)
      if (row.key == key_) out_.*row.field = value;
    for (const LineField& row : LINES)
      if (row.key == key_) out_.*row.field = static_cast<int32_t>(value);
    if (element_ >= 3) return;
    if (key_ == "block") out_.block[element_] = static_cast<uint32_t>(value);
    if (key_ == "thread") out_.thread[element_] = static_cast<uint32_t>(value);
    out_.has_thread |= key_ == "thread";
  }
  CheckReport& out_;
};

void parse_line(std::string_view line, Handler& handler) {
  if (!Json::sax_parse(line.begin(), line.end(), &handler))
    throw Error(Status::INTERNAL,
                concat("the CPU device has written '", line, "'; expected an object of JSON"));
}

// "random:7" has the seed 7.
uint64_t seed_of(std::string_view schedule) {
  uint64_t seed = 0;
  const size_t colon = schedule.find(':');
  if (colon != std::string_view::npos)
    std::from_chars(schedule.data() + colon + 1, schedule.data() + schedule.size(), seed);
  return seed;
}

CheckReport parse_report(std::string_view line) {
  CheckReport report;
  ReportHandler handler(report);
  parse_line(line, handler);
  report.seed = seed_of(report.schedule);
  report.json = line;
  return report;
}

std::string place(const std::string& file, int32_t line, int32_t ptx_line) {
  if (line) return concat(file, ":", line);
  return ptx_line ? concat("ptx:", ptx_line) : std::string();
}

bool is_suppressed(const CheckReport& r, const Suppressions& suppressions) {
  return suppressions.match({r.kind, r.kernel, place(r.file, r.line, r.ptx_line),
                             place(r.other_file, r.other_line, r.other_ptx_line)});
}

std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

void add(CheckReports& all, CheckReport report) {
  all.text += report.text + '\n';
  if (!all.reports.empty()) all.json += ',';
  all.json += report.json;
  all.reports.push_back(std::move(report));
}

// "cuMemAlloc" of "cuMemAlloc_v2".
std::string_view base_name(std::string_view name) {
  const size_t at = name.rfind("_v");
  const bool has_version = at != std::string_view::npos && at + 2 < name.size() &&
                           name.find_first_not_of("0123456789", at + 2) == std::string_view::npos;
  return has_version ? name.substr(0, at) : name;
}

}  // namespace

uint64_t CheckReports::call_count(std::string_view name) const {
  uint64_t sum = 0;
  for (const auto& [call, count] : calls)
    if (call == name || base_name(call) == name) sum += count;
  return sum;
}

CheckReports parse_reports(std::string_view lines, const Suppressions& suppressions) {
  CheckReports all;
  SessionHandler session(all);
  parse_line(take_line(lines), session);
  all.json = "{\"reports\":[";
  while (!lines.empty()) {
    CheckReport report = parse_report(take_line(lines));
    if (!is_suppressed(report, suppressions)) add(all, std::move(report));
  }
  if (session.dropped != 0) all.text += concat(session.dropped, " more reports were not kept\n");
  all.json += concat("],\"dropped\":", session.dropped);
  if (!all.schedule.empty()) all.json += concat(",\"schedule\":\"", all.schedule, "\"");
  all.json += '}';
  return all;
}

}  // namespace cucore::core
