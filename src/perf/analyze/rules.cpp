// SPDX-License-Identifier: Apache-2.0
#include "perf/analyze/rules.hpp"

#include <algorithm>

namespace cucore::perf {
namespace {

constexpr Rule RULES[] = {
#define RULE(number, id, name, advice) {number, "A" #number, name, advice},
#include "perf/analyze/rules.inc"
#undef RULE
};
constexpr const char* SEVERITIES[] = {"none", "note", "warning", "error"};

}  // namespace

std::span<const Rule> all_rules() { return RULES; }

const Rule& rule_of(RuleId id) {
  return *std::ranges::find(RULES, static_cast<uint16_t>(id), &Rule::number);
}

const Rule* find_rule(std::string_view id) {
  for (const Rule& rule : RULES)
    if (rule.id == id) return &rule;
  return nullptr;
}

std::string source_name(std::string_view recorded) {
  // libcucore puts sources without a folder there.
  constexpr std::string_view FOLDER = "/.cucore/";
  if (recorded.starts_with(FOLDER)) recorded.remove_prefix(FOLDER.size());
  std::string name(recorded);
  for (size_t at = name.find("/./"); at != name.npos; at = name.find("/./", at)) name.erase(at, 2);
  return name;
}

const char* severity_name(Severity severity) { return SEVERITIES[static_cast<size_t>(severity)]; }
const char* level_name(Level level) { return level == Level::MACHINE ? "machine" : "ptx"; }

}  // namespace cucore::perf
