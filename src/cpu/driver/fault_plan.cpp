// SPDX-License-Identifier: Apache-2.0
// Parses fault plans and decides which calls fail.
#include "cpu/driver/fault_plan.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "cpu/driver/calls.hpp"
#include "cpu/driver/settings.hpp"

namespace cucore::cpu {
namespace {

std::string_view trimmed(std::string_view s) {
  size_t first = s.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\n") - first + 1);
}

template <class T>
bool number(std::string_view text, T& value) {
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

constexpr std::string_view ALLOCATION = "allocation";
constexpr std::string_view ALLOCATING[] = {
    "cuMemAlloc",        "cuMemAllocPitch", "cuMemAllocHost",          "cuMemHostAlloc",
    "cuMemAllocManaged", "cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemCreate",
    "cuArrayCreate",     "cuArray3DCreate", "cuMipmappedArrayCreate"};

bool allocates(std::string_view base) {
  return std::find(std::begin(ALLOCATING), std::end(ALLOCATING), base) != std::end(ALLOCATING);
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
    rule.last = UINT64_MAX;
    const bool is_seeded =
        comma == std::string_view::npos || number(text.substr(comma + 6), rule.seed);
    return is_seeded && number(text.substr(2, comma - 2), rule.probability) &&
           rule.probability > 0 && rule.probability <= 1;
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
  bool good = (rule.launch ? !subject.empty() : subject == ALLOCATION || is_function(subject)) &&
              parse_when(trimmed(text.substr(at + 1, equals - at - 1)), rule) &&
              parse_code(trimmed(text.substr(equals + 1)), rule.strike);
  return good ? std::optional(std::move(rule)) : std::nullopt;
}

std::optional<FaultPlan::State> FaultPlan::parse(std::string_view text) {
  constexpr std::string_view LIMIT = "mem.limit=";
  State state;
  while (!text.empty()) {
    size_t end = text.find(';');
    std::string_view part = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (part.empty()) continue;
    if (part.substr(0, LIMIT.size()) == LIMIT) {
      state.memory_limit = parse_size(trimmed(part.substr(LIMIT.size())));
      if (!state.memory_limit) return std::nullopt;
    } else if (auto rule = parse_rule(part)) {
      state.rules.push_back(std::move(*rule));
    } else {
      return std::nullopt;
    }
  }
  return state;
}

bool FaultPlan::is_plan(std::string_view text) { return parse(text).has_value(); }

FaultPlan::State FaultPlan::exchange(State next) {
  std::lock_guard lock(mutex_);
  State previous = std::exchange(state_, std::move(next));
  active_.store(!state_.rules.empty(), std::memory_order_release);
  return previous;
}

bool FaultPlan::set(std::string_view text) {
  auto state = parse(text);
  if (state) exchange(std::move(*state));
  return state.has_value();
}

uint64_t FaultPlan::struck() const {
  std::lock_guard lock(mutex_);
  return state_.struck;
}

bool FaultPlan::hits(Rule& rule) {
  uint64_t n = ++rule.seen;
  if (n < rule.first || n > rule.last) return false;
  if (rule.probability < 0) return true;
  return static_cast<double>(mix(rule.seed * 0x10001 + n) >> 11) * 0x1p-53 < rule.probability;
}

std::optional<FaultPlan::Strike> FaultPlan::strike(std::string_view name, std::string_view base) {
  if (!active()) return std::nullopt;
  const auto is_meant = [&](const Rule& rule) {
    return rule.subject == name || rule.subject == base ||
           (rule.subject == ALLOCATION && allocates(base));
  };
  std::lock_guard lock(mutex_);
  std::optional<Strike> struck;
  for (Rule& rule : state_.rules)
    if (!rule.launch && is_meant(rule) && hits(rule) && !struck) struck = rule.strike;
  state_.struck += struck.has_value();
  return struck;
}

std::optional<CUresult> FaultPlan::strike_launch(std::string_view kernel) {
  if (!active()) return std::nullopt;
  std::lock_guard lock(mutex_);
  std::optional<CUresult> struck;
  for (Rule& rule : state_.rules) {
    bool meant = rule.launch && (rule.subject == kernel || rule.subject == "*");
    if (meant && hits(rule) && !struck) struck = rule.strike.code;
  }
  state_.struck += struck.has_value();
  return struck;
}

std::optional<uint64_t> FaultPlan::memory_limit() const {
  std::lock_guard lock(mutex_);
  return state_.memory_limit;
}

}  // namespace cucore::cpu
