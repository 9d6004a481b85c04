// SPDX-License-Identifier: Apache-2.0
// Reads reports from the JSON of the control table.
#include "check_device.hpp"

namespace cucore::cpu::kernels {
namespace {

// Returns the value of a field of one report, without quotes; "" if the report lacks it.
std::string field(const std::string& json, const std::string& name) {
  const std::string key = "\"" + name + "\":";
  size_t at = json.find(key);
  if (at == std::string::npos) return "";
  at += key.size();
  const bool quoted = json[at] == '"';
  std::string value;
  for (at += quoted; at < json.size(); ++at) {
    if (quoted ? json[at] == '"' : json[at] == ',' || json[at] == '}') break;
    if (json[at] == '\\') ++at;
    value += json[at];
  }
  return value;
}

unsigned number(const std::string& json, const char* name) {
  const std::string text = field(json, name);
  return text.empty() ? 0 : unsigned(std::stoul(text));
}

}  // namespace

const cucore_cpu_control* control() {
  static const CUuuid id = CUCORE_CPU_CONTROL_ID;
  static const cucore_cpu_control* const table = [] {
    const cucore_cpu_control* found = nullptr;
    calls().cuGetExportTable(reinterpret_cast<const void**>(&found), &id);
    return found;
  }();
  return table;
}

std::vector<FoundReport> take_reports() {
  size_t length = 0;
  control()->check_json(nullptr, 0, &length);
  std::string json(length + 1, '\0');
  control()->check_json(json.data(), json.size(), nullptr);
  control()->clear_checks();
  std::vector<FoundReport> reports;
  for (size_t at = json.find("{\"kind\""); at != std::string::npos;) {
    const size_t next = json.find("{\"kind\"", at + 1);
    const std::string one = json.substr(at, next - at);
    reports.push_back(
        {field(one, "kind"), field(one, "text"), number(one, "line"), number(one, "other_line")});
    at = next;
  }
  return reports;
}

Checking::Checking(const char* checks) {
  control()->clear_checks();
  check(control()->set_checks(checks, 0), "set_checks");
}
Checking::~Checking() {
  control()->set_checks("", 0);
  control()->clear_checks();
}

}  // namespace cucore::cpu::kernels
