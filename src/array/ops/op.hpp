// SPDX-License-Identifier: Apache-2.0
// The table of operations, which gen.py makes of ops.json.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace cucore::array {

// The numbers are those of cucore_array_op_info.family.
enum class Family : uint8_t { UNARY = 1, BINARY = 2, MORE = 3, REDUCE = 4, SCAN = 5 };

// How the types of operands and results follow from the operands; rules.cpp defines each.
enum class Rule : uint8_t {
#define RULE(name) name,
#include "array/ops/rules.inc"
#undef RULE
};

// The classes of types that an expression is written for. MIXED compares int64 and uint64.
enum class ExpressionClass : uint8_t { BOOL, SIGNED, UNSIGNED, REAL, COMPLEX, MIXED, COUNT };

struct Op {
  int32_t number;  // permanent
  Family family;
  uint8_t arity;
  uint8_t outputs;
  uint8_t scalars;  // parameters s0, s1, ... of the expression
  Rule rule;
  uint16_t weight;  // the cost of an element; an addition costs 1
  std::string_view name;
  std::string_view numpy_name;     // empty: NumPy has no such function of arrays alone
  std::string_view standard_name;  // of the Array API; empty: none
  std::string_view doc;
  // Over x, y, z; {sin} is the function of the type, sinf or sin. Empty: not defined for the class.
  std::array<std::string_view, size_t(ExpressionClass::COUNT)> expressions;
};

std::span<const Op> all_ops() noexcept;
const Op* find_op(int32_t number) noexcept;         // nullptr: unknown
const Op* find_op(std::string_view name) noexcept;  // also by a name of NumPy or the Array API

}  // namespace cucore::array
