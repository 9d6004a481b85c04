// SPDX-License-Identifier: Apache-2.0
// Direct and indirect calls.
#include "ptx/body.hpp"

namespace cucore::ptx {
namespace {

constexpr size_t MAX_ARGUMENTS = 4096;

}  // namespace

// Reads "call (results), f, (arguments), prototype": all but f may be absent.
uint8_t BodyParser::call(const Form& form) {
  Operand returns;
  returns.kind = OperandKind::LIST;
  Operand inputs = returns;
  if (lexer_.peek() == '(') {
    returns = argument_list(form);
    lexer_.expect(',');
  }
  Operand target = callee();
  std::optional<Operand> prototype;
  if (lexer_.accept(',')) {
    if (lexer_.peek() == '(') {
      inputs = argument_list(form);
      if (lexer_.accept(',')) prototype = prototype_operand();
    } else {
      prototype = prototype_operand();
    }
  }
  check_target(target, returns, inputs, prototype);
  for (const Operand& operand : {target, returns, inputs, prototype.value_or(Operand{})})
    function_->operands.push_back(operand);
  return 4;
}

Operand BodyParser::argument_list(const Form& form) {
  lexer_.expect('(');
  std::vector<Operand> items;
  if (lexer_.peek() != ')') {
    do {
      if (items.size() == MAX_ARGUMENTS) lexer_.fail("too many arguments");
      items.push_back(operand_of_list(form));
    } while (lexer_.accept(','));
  }
  lexer_.expect(')');
  Operand result;
  result.kind = OperandKind::LIST;
  result.count = static_cast<uint16_t>(items.size());
  result.index = static_cast<uint32_t>(function_->elements.size());
  function_->elements.insert(function_->elements.end(), items.begin(), items.end());
  return result;
}

Operand BodyParser::operand_of_list(const Form& form) {
  char c = lexer_.peek();
  if (c == '{' || c == '[') lexer_.fail_near("expected an argument");
  Operand item = operand(form);
  bool ok =
      (item.kind == OperandKind::REG && !item.negated) || item.kind == OperandKind::IMMEDIATE ||
      (item.kind == OperandKind::SYMBOL && item.base == Base::LOCAL_VARIABLE && item.bits == 0);
  if (!ok) lexer_.fail("an argument must be a .param variable, a register or a constant");
  return item;
}

Operand BodyParser::callee() {
  lexer_.peek();
  std::optional<uint32_t> found;
  std::string_view name = scan_register(found);
  if (found) return register_operand(*found);
  const ModuleSymbol* symbol = context_.find_symbol(name);
  if (symbol == nullptr || !symbol->is_function)
    lexer_.fail("unknown function '" + std::string(name) + "'");
  Operand result;
  result.kind = OperandKind::FUNCTION;
  result.index = symbol->index;
  return result;
}

std::optional<Operand> BodyParser::prototype_operand() {
  std::string_view name = lexer_.expect_word("a prototype");
  auto found = prototypes_.find(name);
  if (found == prototypes_.end()) lexer_.fail("unknown prototype '" + std::string(name) + "'");
  Operand result;
  result.kind = OperandKind::PROTOTYPE;
  result.index = found->second;
  return result;
}

void BodyParser::check_target(Operand& callee, const Operand& returns, const Operand& inputs,
                              std::optional<Operand> prototype) {
  if (callee.kind == OperandKind::FUNCTION) {
    const Function& called = context_.module.functions[callee.index];
    if (called.is_entry) lexer_.fail("a kernel cannot be called");
    return check_call(context_, *function_, {called.returns(), called.inputs()}, returns, inputs);
  }
  Type type = function_->registers[callee.index];
  if (type == Type::pred || (size_of(type) != 4 && size_of(type) != 8))
    lexer_.fail("a function's address needs 32 or 64 bits");
  if (!prototype) lexer_.fail("an indirect call needs a prototype");
  const Signature called = signature_of(function_->prototypes[prototype->index]);
  check_call(context_, *function_, called, returns, inputs);
}

Signature BodyParser::signature_of(const Prototype& prototype) const {
  if (prototype.function == NONE) return {prototype.returns, prototype.inputs};
  const Function& function = context_.module.functions[prototype.function];
  return {function.returns(), function.inputs()};
}

}  // namespace cucore::ptx
