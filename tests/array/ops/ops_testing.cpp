// SPDX-License-Identifier: Apache-2.0
// The table of operations for tests in Python.
#include <cstdint>
#include <string>
#include <vector>

#include "array/codegen/expression.hpp"
#include "array/ops/op.hpp"
#include "array/ops/rules.hpp"
#include "support/error.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

thread_local std::string failure;

}  // namespace

extern "C" {

int32_t ops_find(const char* name) {
  const Op* op = find_op(name);
  return op ? op->number : 0;
}
const char* ops_name(int32_t number) {
  const Op* op = find_op(number);
  return op ? op->name.data() : "";
}
const char* ops_failure() { return failure.c_str(); }

// A negative operand is a weak number: -1 - Weak. Writes two results and the expression's class.
// Returns 1 if the operation is refused.
int32_t ops_types(int32_t number, const int32_t* operands, int32_t count, int32_t* results,
                  int32_t* expression_class, const char** expression) {
  std::vector<OperandType> all;
  for (int32_t at = 0; at < count; ++at)
    all.push_back(operands[at] < 0 ? OperandType{Dtype::DEFAULT, Weak(-1 - operands[at])}
                                   : OperandType{Dtype(operands[at])});
  const Op& op = *find_op(number);
  try {
    const Types types = types_of(op, all);
    for (int32_t at = 0; at < op.outputs; ++at)
      results[at] = static_cast<int32_t>(types.results[size_t(at)]);
    const ExpressionClass found = class_of(op, types);
    *expression_class = static_cast<int32_t>(found);
    *expression = op.expressions[size_t(found)].data();
    return 0;
  } catch (const Error& error) {
    failure = error.what();
    return 1;
  }
}

// The types that the kernel computes with, separated by spaces, and the expression.
const char* ops_expression(int32_t number, const int32_t* operands, int32_t count) {
  static thread_local std::string text;
  const Op& op = *find_op(number);
  std::vector<OperandType> all;
  for (int32_t at = 0; at < count; ++at) all.push_back({Dtype(operands[at])});
  const Types types = types_of(op, all);
  text.clear();
  for (size_t at = 0; at < op.arity; ++at)
    text += std::string(compute_type(types.operands[at])) + " ";
  text += "| " +
          expression_text(op, class_of(op, types), types.operands[op.rule == Rule::WHERE ? 1 : 0]);
  return text.c_str();
}

}  // extern "C"
