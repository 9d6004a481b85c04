// SPDX-License-Identifier: Apache-2.0
// The table of the findings.
#pragma once

#include <span>
#include <string_view>

#include "perf/analyze/kernel.hpp"

namespace cucore::perf {

enum class RuleId : uint16_t {
#define RULE(number, id, name, advice) id = number,
#include "perf/analyze/rules.inc"
#undef RULE
};

std::span<const Rule> all_rules();
const Rule& rule_of(RuleId id);
// Accepts "A103". Returns nullptr for anything else.
const Rule* find_rule(std::string_view id);

}  // namespace cucore::perf
