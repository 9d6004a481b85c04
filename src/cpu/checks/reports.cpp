// SPDX-License-Identifier: Apache-2.0
// Stores reports and writes them.
#include "cpu/checks/reports.hpp"

#include <cstdio>

#include "cpu/exec/fault.hpp"
#include "support/counted.hpp"

namespace cucore::cpu {
namespace {

constexpr size_t MOST_REPORTS = 1000;

constexpr const char* KINDS[] = {"out-of-bounds", "use-after-free", "misaligned", "uninitialised",
                                 "shared-race",   "global-race",    "barrier",    "deadlock",
                                 "stream-race",   "fault"};

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

const char* kind_name(ReportKind kind) { return KINDS[size_t(kind)]; }

std::string json_text(const std::string& text) {
  std::string json(1, '"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      json += escaped;
    } else {
      json += c;
    }
  }
  return json + '"';
}

std::string Place::text() const {
  if (ptx_line == 0) return {};
  const std::string ptx = "PTX line " + std::to_string(ptx_line);
  return line == 0 ? ptx : file + ":" + std::to_string(line) + " (" + ptx + ")";
}

std::string Report::text() const {
  std::string text = std::string(kind_name(kind)) + ": " + kernel;
  if (has_thread) text += " block " + point(block) + " thread " + point(thread);
  text += ": " + message;
  if (!other.empty()) {
    text += "; " + other;
    if (other_place.ptx_line) text += " at " + other_place.text();
  }
  if (allocation_size)
    text += "; allocation of " + counted(allocation_size, "byte") + " at " + hex_text(allocation);
  if (!allocated_by.empty()) text += ", made by " + allocated_by;
  if (!freed_by.empty()) text += ", freed by " + freed_by;
  if (place.ptx_line) text += "; at " + place.text();
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
  field(json, "other", other);
  place_fields(json, "other_", other_place);
  if (!schedule.empty()) field(json, "schedule", schedule.substr(schedule.rfind(' ') + 1));
  field(json, "text", text());
  return json + "}";
}

Reports& Reports::instance() {
  static Reports* const reports = new Reports;  // never destroyed
  return *reports;
}

void Reports::add(Report report) {
  std::lock_guard lock(mutex_);
  const auto [found, is_new] = index_.try_emplace(key_of(report), reports_.size());
  if (!is_new) {
    if (found->second < reports_.size()) reports_[found->second].count += report.count;
    return;
  }
  if (reports_.size() >= MOST_REPORTS) {
    index_.erase(found);
    ++dropped_;
    return;
  }
  reports_.push_back(std::move(report));
}

void Reports::clear() {
  std::lock_guard lock(mutex_);
  reports_.clear();
  index_.clear();
  dropped_ = taken_ = 0;
}

size_t Reports::size() const {
  std::lock_guard lock(mutex_);
  return reports_.size();
}

uint64_t Reports::dropped() const {
  std::lock_guard lock(mutex_);
  return dropped_;
}

std::vector<Report> Reports::all() const {
  std::lock_guard lock(mutex_);
  return reports_;
}

std::string Reports::text() const {
  std::string text;
  for (const Report& r : all()) text += r.text() + '\n';
  if (const uint64_t n = dropped()) text += counted(n, "more report") + " not kept\n";
  return text;
}

std::string Reports::take_new_text() {
  std::lock_guard lock(mutex_);
  std::string text;
  for (; taken_ < reports_.size(); ++taken_) text += reports_[taken_].text() + '\n';
  return text;
}

void print_new_reports() {
  const std::string text = Reports::instance().take_new_text();
  if (!text.empty()) std::fputs(text.c_str(), stderr);
}

std::string Reports::json() const {
  std::string json = "{\"reports\":[";
  for (const Report& r : all()) {
    if (json.back() != '[') json += ',';
    json += r.json();
  }
  return json + "],\"dropped\":" + std::to_string(dropped()) + "}";
}

}  // namespace cucore::cpu
