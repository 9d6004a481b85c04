// SPDX-License-Identifier: Apache-2.0
// Stores reports and writes them.
#include "cpu/checks/reports.hpp"

#include <utility>

#include "cpu/checks/check_set.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/memory.hpp"
#include "support/counted.hpp"
#include "support/json_text.hpp"
#include "support/suppressions.hpp"

namespace cucore::cpu {
namespace {

constexpr size_t MOST_REPORTS = 1000;

static_assert(REPORT_KINDS.size() == size_t(ReportKind::FAULT) + 1);

std::string point(const uint32_t (&v)[3]) {
  return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}
std::string array(const uint32_t (&v)[3]) {
  return "[" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + "]";
}

std::string key_of(const Report& r) {
  return std::string(kind_name(r.kind)) + '\n' + r.kernel + '\n' + r.place.text() + '\n' +
         (r.place.ptx_line ? std::string() : r.message) + '\n' + r.other_place.text();
}

void field(std::string& json, const char* name, const std::string& value) {
  if (value.empty()) return;
  json += std::string(",\"") + name + "\":" + json_text(value);
}
void number(std::string& json, const char* name, uint64_t value) {
  json += std::string(",\"") + name + "\":" + std::to_string(value);
}
void place_fields(std::string& json, const std::string& prefix, const Place& p) {
  if (p.line) {
    field(json, (prefix + "file").c_str(), p.file);
    number(json, (prefix + "line").c_str(), p.line);
  }
  if (p.ptx_line) number(json, (prefix + "ptx_line").c_str(), p.ptx_line);
}

}  // namespace

const char* kind_name(ReportKind kind) { return REPORT_KINDS[size_t(kind)]; }

std::string Place::text() const {
  if (ptx_line == 0) return {};
  const std::string ptx = "PTX line " + std::to_string(ptx_line);
  return line == 0 ? ptx : file + ":" + std::to_string(line) + " (" + ptx + ")";
}

namespace {

std::string at_place(const Place& place) {
  return place.ptx_line ? " at " + place.text() : std::string();
}

}  // namespace

void Report::add_allocation() {
  const auto history = AddressSpace::instance().history(address);
  if (!history) return;
  allocation = history->base;
  allocation_size = history->size;
  allocated_by = history->made.text();
  if (history->freed) freed_by = history->ended.text();
}

// The place of each access of a race follows its access.
std::string Report::text() const {
  const std::string subject = is_kernel ? "kernel '" + kernel + "'" : kernel;
  std::string text = std::string(kind_name(kind)) + ": ";
  if (!message.starts_with(subject)) text += subject;  // the text of a fault begins with it
  if (has_thread) text += " block " + point(block) + " thread " + point(thread);
  text += (text.ends_with(' ') ? "" : ": ") + message;
  if (!other.empty()) {
    text += at_place(place) + "; " + other + at_place(other_place);
    if (!missing.empty()) text += ", " + missing;
  }
  if (allocation_size)
    text += "; allocation of " + counted(allocation_size, "byte") + " at " + hex_text(allocation);
  if (!allocated_by.empty()) text += ", made by " + allocated_by;
  if (!freed_by.empty()) text += ", freed by " + freed_by;
  if (other.empty() && place.ptx_line) text += ";" + at_place(place);
  if (count > 1) text += "; " + std::to_string(count) + " times";
  return text + schedule;
}

std::string Report::json() const {
  std::string json = "{\"kind\":" + json_text(kind_name(kind));
  field(json, "kernel", kernel);
  field(json, "message", message);
  number(json, "count", count);
  place_fields(json, "", place);
  if (has_thread) json += ",\"block\":" + array(block) + ",\"thread\":" + array(thread);
  if (!space.empty()) {
    field(json, "space", space);
    number(json, "address", address);
    number(json, "size", size);
  }
  if (allocation_size) {
    number(json, "allocation", allocation);
    number(json, "allocation_size", allocation_size);
    if (address >= allocation) number(json, "offset", address - allocation);
  }
  field(json, "allocated_by", allocated_by);
  field(json, "freed_by", freed_by);
  field(json, "other", missing.empty() ? other : other + " " + missing);
  place_fields(json, "other_", other_place);
  if (!schedule.empty()) field(json, "schedule", schedule.substr(schedule.rfind(' ') + 1));
  field(json, "text", text());
  return json + "}";
}

Reports& Reports::instance() {
  static Reports* const reports = new Reports;  // never destroyed
  return *reports;
}

namespace {

std::string identity_of(const Place& place) {
  if (place.line) return place.file + ":" + std::to_string(place.line);
  return place.ptx_line ? "ptx:" + std::to_string(place.ptx_line) : std::string();
}

bool matches(const std::shared_ptr<const Suppressions>& suppressions, const Report& r) {
  return suppressions && suppressions->match({kind_name(r.kind), r.kernel, identity_of(r.place),
                                              identity_of(r.other_place)});
}

}  // namespace

void Reports::suppress(std::shared_ptr<const Suppressions> suppressions) {
  std::lock_guard lock(mutex_);
  now_.suppressions = std::move(suppressions);
}

bool Reports::suppresses(const Report& report) const {
  std::lock_guard lock(mutex_);
  return matches(now_.suppressions, report);
}

void Reports::add(Report report) {
  std::lock_guard lock(mutex_);
  if (matches(now_.suppressions, report)) return;
  auto& reports = now_.reports;
  const auto [found, is_new] = now_.index.try_emplace(key_of(report), reports.size());
  if (!is_new) {
    if (found->second < reports.size()) reports[found->second].count += report.count;
    return;
  }
  if (reports.size() >= MOST_REPORTS) {
    now_.index.erase(found);
    ++now_.dropped;
    return;
  }
  reports.push_back(std::move(report));
}

Reports::Contents Reports::exchange(Contents next) {
  std::lock_guard lock(mutex_);
  return std::exchange(now_, std::move(next));
}

void Reports::clear() {
  std::lock_guard lock(mutex_);
  Contents none;
  none.suppressions = now_.suppressions;
  now_ = std::move(none);
}

size_t Reports::size() const {
  std::lock_guard lock(mutex_);
  return now_.reports.size();
}

Reports::Contents Reports::contents() const {
  std::lock_guard lock(mutex_);
  return now_;
}

std::string Reports::text() const {
  const Contents all = contents();
  std::string text;
  for (const Report& r : all.reports) text += r.text() + '\n';
  if (all.dropped) text += counted(all.dropped, "more report") + " not kept\n";
  return text;
}

std::string Reports::take_new_text() {
  std::lock_guard lock(mutex_);
  std::string text;
  for (; now_.taken < now_.reports.size(); ++now_.taken)
    text += now_.reports[now_.taken].text() + '\n';
  return text;
}

std::string Reports::Contents::json_lines() const {
  std::string json;
  for (const Report& r : reports) json += r.json() + '\n';
  return json;
}

std::string Reports::json() const {
  const Contents all = contents();
  std::string json = "{\"reports\":[";
  for (const Report& r : all.reports) {
    if (json.back() != '[') json += ',';
    json += r.json();
  }
  json += "],\"dropped\":" + std::to_string(all.dropped);
  field(json, "schedule", random_text(schedule()));
  return json + "}";
}

}  // namespace cucore::cpu
