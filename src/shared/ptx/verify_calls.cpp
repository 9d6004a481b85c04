// SPDX-License-Identifier: Apache-2.0
// Checks the arguments and results of calls.
#include "ptx/operand_checker.hpp"
#include "ptx/verify.hpp"

namespace cucore::ptx {

void Checker::check_argument(const Variable& formal, Operand& actual) {
  if (actual.kind == OperandKind::SYMBOL) {
    const Variable* variable = variable_of(actual);
    bool fits = variable->space == Space::param && !formal.is_register &&
                (formal.is_unsized || variable->size == formal.size);
    if (!fits) argument_mismatch(formal);
  } else if (formal.is_register || formal.dimensions.empty()) {
    source(actual, formal.type);
  } else {
    argument_mismatch(formal);
  }
}

void Checker::check_result(const Variable& formal, const Operand& actual) {
  bool fits = false;
  if (actual.kind == OperandKind::SYMBOL) {
    const Variable* variable = variable_of(actual);
    fits = variable->space == Space::param && variable->size == formal.size;
  } else if (actual.kind == OperandKind::REG) {
    fits = formal.dimensions.empty() && same_width(type_of(actual), formal.type);
  }
  if (!fits) argument_mismatch(formal);
}

void Checker::argument_mismatch(const Variable& formal) const {
  context_.lexer.fail("a call's argument does not fit parameter '" + std::string(formal.name) +
                      "'");
}

void check_call(Context& context, Function& function, const Signature& signature,
                const Operand& returns, const Operand& inputs) {
  Lexer& lexer = context.lexer;
  bool open_ended = !signature.inputs.empty() && signature.inputs.back().is_unsized;
  size_t least = signature.inputs.size() - (open_ended ? 1 : 0);
  if (returns.count != signature.returns.size())
    lexer.fail("a call with a wrong number of results");
  if (inputs.count < least || (inputs.count > signature.inputs.size()))
    lexer.fail("a call with a wrong number of arguments");
  Form form;
  form.text = "call";
  WrittenOperands none;
  Checker checker(context, function, form, none);
  for (size_t i = 0; i < returns.count; ++i)
    checker.check_result(signature.returns[i], function.elements[returns.index + i]);
  for (size_t i = 0; i < inputs.count; ++i)
    checker.check_argument(signature.inputs[i], function.elements[inputs.index + i]);
}

}  // namespace cucore::ptx
