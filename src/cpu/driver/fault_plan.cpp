// SPDX-License-Identifier: Apache-2.0
// Parses fault plans and decides which calls fail.
#include "cpu/driver/fault_plan.hpp"

#include <charconv>
#include <cstdlib>

#include "cpu/driver/calls.hpp"
#include "cpu/driver/settings.hpp"

namespace cucore::cpu {
namespace {

std::string_view trimmed(std::string_view s) {
  size_t first = s.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\n") - first + 1);
}

bool number(std::string_view text, uint64_t& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

// A hash of seed and count selects the same calls in every run; a generator would need state.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

bool is_function(std::string_view name) {
  for (size_t i = 0; i < CALL_COUNT; ++i) {
    const CallInfo& call = call_info(static_cast<CallId>(i));
    if (name == call.name || name == call.base) return true;
  }
  return false;
}

}  // namespace

FaultPlan& FaultPlan::instance() {
  static FaultPlan& plan = *new FaultPlan;  // never destroyed
  return plan;
}

bool FaultPlan::parse_code(std::string_view text, Strike& strike) {
  constexpr std::string_view STICKY = "sticky:";
  strike.sticky = text.substr(0, STICKY.size()) == STICKY;
  if (strike.sticky) text.remove_prefix(STICKY.size());
  uint64_t code = 0;
  if (!number(trimmed(text), code) || code == 0 || code > 999) return false;
  strike.code = static_cast<CUresult>(code);
  return true;
}

bool FaultPlan::parse_when(std::string_view text, Rule& rule) {
  if (text == "*") {
    rule.last = UINT64_MAX;
    return true;
  }
  if (text.substr(0, 2) == "p=") {
    size_t comma = text.find(",seed=");
    rule.probability = std::strtod(std::string(text.substr(2, comma - 2)).c_str(), nullptr);
    rule.last = UINT64_MAX;
    bool seeded = comma == std::string_view::npos || number(text.substr(comma + 6), rule.seed);
    return seeded && rule.probability > 0 && rule.probability <= 1;
  }
  bool open = !text.empty() && text.back() == '+';
  if (open) text.remove_suffix(1);
  if (!number(text, rule.first) || rule.first == 0) return false;
  rule.last = open ? UINT64_MAX : rule.first;
  return true;
}

std::optional<FaultPlan::Rule> FaultPlan::parse_rule(std::string_view text) {
  constexpr std::string_view LAUNCH = "launch:";
  Rule rule;
  size_t at = text.find('@'), equals = text.rfind('=');
  if (at == std::string_view::npos || equals == std::string_view::npos || equals < at)
    return std::nullopt;
  std::string_view subject = trimmed(text.substr(0, at));
  rule.launch = subject.substr(0, LAUNCH.size()) == LAUNCH;
  if (rule.launch) subject.remove_prefix(LAUNCH.size());
  rule.subject = subject;
  bool good = (rule.launch ? !subject.empty() : is_function(subject)) &&
              parse_when(trimmed(text.substr(at + 1, equals - at - 1)), rule) &&
              parse_code(trimmed(text.substr(equals + 1)), rule.strike);
  return good ? std::optional(std::move(rule)) : std::nullopt;
}

bool FaultPlan::parse(std::string_view text, std::vector<Rule>& rules,
                      std::optional<uint64_t>& limit) {
  constexpr std::string_view LIMIT = "mem.limit=";
  while (!text.empty()) {
    size_t end = text.find(';');
    std::string_view part = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (part.empty()) continue;
    if (part.substr(0, LIMIT.size()) == LIMIT) {
      limit = parse_size(trimmed(part.substr(LIMIT.size())));
      if (!limit) return false;
    } else if (auto rule = parse_rule(part)) {
      rules.push_back(std::move(*rule));
    } else {
      return false;
    }
  }
  return true;
}

bool FaultPlan::is_plan(std::string_view text) {
  std::vector<Rule> rules;
  std::optional<uint64_t> limit;
  return parse(text, rules, limit);
}

bool FaultPlan::set(std::string_view text) {
  std::vector<Rule> rules;
  std::optional<uint64_t> limit;
  if (!parse(text, rules, limit)) return false;
  std::lock_guard lock(mutex_);
  rules_ = std::move(rules);
  memory_limit_ = limit;
  active_.store(!rules_.empty(), std::memory_order_release);
  return true;
}

bool FaultPlan::hits(Rule& rule) {
  uint64_t n = ++rule.seen;
  if (n < rule.first || n > rule.last) return false;
  if (rule.probability < 0) return true;
  return static_cast<double>(mix(rule.seed * 0x10001 + n) >> 11) * 0x1p-53 < rule.probability;
}

std::optional<FaultPlan::Strike> FaultPlan::strike(std::string_view name, std::string_view base) {
  if (!active()) return std::nullopt;
  std::lock_guard lock(mutex_);
  std::optional<Strike> struck;
  for (Rule& rule : rules_) {
    bool meant = !rule.launch && (rule.subject == name || rule.subject == base);
    if (meant && hits(rule) && !struck) struck = rule.strike;
  }
  return struck;
}

std::optional<CUresult> FaultPlan::strike_launch(std::string_view kernel) {
  if (!active()) return std::nullopt;
  std::lock_guard lock(mutex_);
  std::optional<CUresult> struck;
  for (Rule& rule : rules_) {
    bool meant = rule.launch && (rule.subject == kernel || rule.subject == "*");
    if (meant && hits(rule) && !struck) struck = rule.strike.code;
  }
  return struck;
}

std::optional<uint64_t> FaultPlan::memory_limit() const {
  std::lock_guard lock(mutex_);
  return memory_limit_;
}

}  // namespace cucore::cpu
