// SPDX-License-Identifier: Apache-2.0
// Checks one operand for each letter of a pattern.
#include <utility>

#include "ptx/constants.hpp"
#include "ptx/forms.hpp"
#include "ptx/operand_checker.hpp"

namespace cucore::ptx {
namespace {

// Returns an unsigned type of twice the width, for .wide.
Type widened(Type type) { return size_of(type) == 2 ? Type::b32 : Type::b64; }

// Only integers may be in a register that is wider than the value.
bool holds(Type reg, Type value) {
  if (is_float(value) || value == Type::pred) return same_width(reg, value);
  return reg != Type::pred && size_of(reg) >= size_of(value);
}

}  // namespace

void Checker::slot(char letter) {
  if (letter == 'q') return pair();
  if (letter == 'N') return put_none();
  Operand& operand = take();
  Type type = form_.types[0];
  switch (letter) {
    case 'd':
      destination(operand, type);
      break;
    case 'D':
      relaxed_destination(operand, type);
      break;
    case 'R':
      if (operand.kind == OperandKind::SINK) break;
      destination(operand, Type::b32);
      break;
    case 'S':
      if (operand.kind == OperandKind::SINK) break;
      destination(operand, type);
      break;
    case 'r':
      destination(operand, Type::b32);
      break;
    case 'w':
      destination(operand, wide_type());
      break;
    case 'a':
      source(operand, type);
      break;
    case 'x':
      source(operand, wide_type());
      break;
    case 'b':
      source(operand, form_.types[1]);
      break;
    case 'B':
      relaxed_source(operand, form_.types[form_.type_count - 1]);
      break;
    case 'u':
      source(operand, Type::b32);
      break;
    case 'h':
      source(operand, Type::b16);
      break;
    case 'n':
      signed_source(operand);
      break;
    case 'z':
      source(operand, Type::b64);
      break;
    case 'p':
      predicate(operand);
      break;
    case 'P':
      destination(operand, Type::pred);
      break;
    case 'i':
      integer(operand);
      break;
    case 'm':
      memory(operand);
      break;
    case 'v':
      scalar_or_vector(operand, true);
      break;
    case 'V':
      scalar_or_vector(operand, false);
      break;
    case 'X':
      address_register(operand);
      break;
    case 's':
      symbol_or_source(operand, type);
      break;
    case 'l':
      if (operand.kind != OperandKind::LABEL) fail_operand("a label");
      break;
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
      fragment(operand, letter);
      break;
    case 'T':
      if (operand.kind != OperandKind::TARGETS) fail_operand("a list of branch targets");
      break;
    default:
      break;
  }
  put(operand);
}

void Checker::relaxed_destination(const Operand& operand, Type type) {
  if (operand.kind != OperandKind::REG || operand.negated || !holds(type_of(operand), type))
    fail_operand("a register that holds ." + std::string(name_of(type)));
}

void Checker::immediate(Operand& operand, Type type) {
  auto bits = convert_constant({operand.literal, false, operand.bits}, type);
  if (!bits) fail_operand("a constant of type ." + std::string(name_of(type)));
  operand.bits = *bits;
}

void Checker::signed_source(Operand& operand) {
  const bool negated = std::exchange(operand.negated, false);
  source(operand, Type::b32);
  operand.negated = negated;
}

void Checker::relaxed_source(Operand& operand, Type type) {
  if (operand.kind == OperandKind::IMMEDIATE) return immediate(operand, type);
  relaxed_destination(operand, type);
}

void Checker::predicate(Operand& operand) {
  if (operand.kind == OperandKind::IMMEDIATE) return immediate(operand, Type::pred);
  if (operand.kind != OperandKind::REG || type_of(operand) != Type::pred)
    fail_operand("a predicate");
}

bool Checker::is_address(Type type) {
  return type != Type::pred && (size_of(type) == 4 || size_of(type) == 8);
}

void Checker::address_register(const Operand& operand) {
  if (operand.kind == OperandKind::SYMBOL || operand.kind == OperandKind::FUNCTION) return;
  if (operand.kind != OperandKind::REG || operand.negated || !is_address(type_of(operand)))
    fail_operand("an address");
}

void Checker::symbol_or_source(Operand& operand, Type type) {
  if (operand.kind == OperandKind::SYMBOL || operand.kind == OperandKind::FUNCTION) return;
  source(operand, type);
}

void Checker::memory(const Operand& operand) {
  if (operand.kind != OperandKind::MEMORY) fail_operand("an address in brackets");
  if (operand.base == Base::REG && !is_address(type_of(operand)))
    fail_operand("based on a 32- or 64-bit register");
  if (const Variable* variable = variable_of(operand)) check_variable_access(*variable, operand);
}

// The state space must be that of the variable. An access must not exceed a parameter, because
// its frame is not checked at run time.
void Checker::check_variable_access(const Variable& variable, const Operand& operand) {
  Space space = form_.space == Space::shared_cluster ? Space::shared : form_.space;
  bool is_ld_st = form_.op == Opcode::ld || form_.op == Opcode::st;
  if (space != Space::generic && space != variable.space && !has_two_spaces(form_.op))
    fail("'" + std::string(variable.name) + "' is in another state space");
  if (variable.space != Space::param || form_.op == Opcode::prefetch) return;
  if (is_opaque(variable.type) && names_objects()) return;
  uint64_t bytes = uint64_t{size_of(form_.types[0])} * form_.vector;
  bool inside = operand.bits <= variable.size && variable.size - operand.bits >= bytes;
  if (!is_ld_st || (!inside && !variable.is_unsized) || form_.types[0] == Type::pred)
    fail("access outside of parameter '" + std::string(variable.name) + "'");
  bool launch_parameter = function_.is_entry && operand.index < function_.input_count;
  if (form_.op == Opcode::st && launch_parameter) fail("a kernel's parameters are read-only");
}

// The instructions on textures and surfaces. The executor checks the parameters that they name.
bool Checker::names_objects() const {
  const Rule rule = spec_of(form_.op).rule;
  return rule == Rule::TEXTURE || rule == Rule::SURFACE || form_.op == Opcode::txq ||
         form_.op == Opcode::txq_level || form_.op == Opcode::suq;
}

const Variable* Checker::variable_of(const Operand& operand) const {
  if (operand.base == Base::MODULE_VARIABLE) return &context_.module.variables[operand.index];
  if (operand.base == Base::LOCAL_VARIABLE) return &function_.variables[operand.index];
  return nullptr;
}

void Checker::vector_element(Operand& element, bool is_destination) {
  if (element.kind == OperandKind::SINK && is_destination) return;
  if (is_destination) return relaxed_destination(element, form_.types[0]);
  relaxed_source(element, form_.types[0]);
}

void Checker::scalar_or_vector(Operand& operand, bool is_destination) {
  bool is_vector = operand.kind == OperandKind::VECTOR;
  if (form_.vector == 1) return vector_element(operand, is_destination);
  if (!is_vector || operand.count != form_.vector)
    fail_operand("a vector of " + std::to_string(form_.vector));
  for (unsigned i = 0; i < operand.count; ++i)
    vector_element(function_.elements[operand.index + i], is_destination);
}

void Checker::integer(Operand& operand) {
  if (operand.kind != OperandKind::IMMEDIATE || operand.literal != Literal::INTEGER)
    fail_operand("an integer constant");
}

Type Checker::wide_type() const {
  return form_.mul == MulMode::wide ? widened(form_.types[0]) : form_.types[0];
}

void Checker::pair() {
  if (!written_.has_pair) return put_none();
  Operand& operand = take();
  if (operand.kind != OperandKind::SINK) destination(operand, Type::pred);
  put(operand);
}

}  // namespace cucore::ptx
