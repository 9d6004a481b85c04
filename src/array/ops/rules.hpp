// SPDX-License-Identifier: Apache-2.0
// The types in which an operation computes, and those of its results.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "array/model/dtype.hpp"
#include "array/ops/op.hpp"

namespace cucore::array {

struct OperandType {
  Dtype dtype = Dtype::DEFAULT;  // DEFAULT: a weak number
  Weak weak = Weak::BOOL;
};

constexpr size_t MOST_OPERANDS = 3;
constexpr size_t MOST_RESULTS = 2;

struct Types {
  std::array<Dtype, MOST_OPERANDS> operands;  // each operand is cast to its type first
  std::array<Dtype, MOST_RESULTS> results;
};

// Throws DTYPE if the operation is not defined for these operands.
Types types_of(const Op& op, std::span<const OperandType> operands, const Defaults& defaults = {});

// The class of the expression that computes with these operands.
ExpressionClass class_of(const Op& op, const Types& types) noexcept;

}  // namespace cucore::array
