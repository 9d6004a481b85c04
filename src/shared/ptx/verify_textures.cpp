// SPDX-License-Identifier: Apache-2.0
// Checks the operands of instructions on textures and surfaces.
#include "ptx/operand_checker.hpp"

namespace cucore::ptx {

void Checker::texture() {
  const Operand& to = take();
  if (to.kind != OperandKind::VECTOR || to.count != form_.vector)
    fail_operand("a vector of " + std::to_string(form_.vector));
  for (unsigned i = 0; i < to.count; ++i) {
    const Operand& element = function_.elements[to.index + i];
    if (element.kind != OperandKind::SINK) destination(element, form_.types[0]);
  }
  put(to);
  pair();
  object(Type::texref);
  texel_place(form_.types[1]);
  sampler();
  const bool gradients = form_.op == Opcode::tex_grad;
  if (form_.op == Opcode::tex_level)
    number(form_.types[1]);
  else
    gradients ? gradient() : put_none();
  gradients ? gradient() : put_none();
  texel_offsets();
  exhausted() ? put_none() : depth();
}

// A handle in a register, or a variable.
void Checker::object(Type type) {
  const Operand& operand = take();
  memory(operand);
  const Variable* variable = variable_of(operand);
  if (variable != nullptr && variable->type != type)
    fail_operand("a ." + std::string(name_of(type)) + " or a register");
  put(operand);
}

// The numbers of a place: layers are unsigned. A last number without a meaning may follow three.
void Checker::texel_place(Type type) {
  static constexpr uint8_t COUNTS[] = {0, 1, 2, 3, 2, 3, 3, 4, 3, 4};
  const unsigned count = COUNTS[form_.dimensions];
  const Geometry geometry = form_.geometry();
  const bool has_layer = geometry == Geometry::a1d || geometry == Geometry::a2d ||
                         geometry == Geometry::acube || geometry == Geometry::a2dms;
  const Operand& vector = take();
  const bool fits = vector.count == count || (count == 3 && vector.count == 4);
  if (vector.kind != OperandKind::VECTOR || !fits)
    fail_operand("a vector of " + std::to_string(count));
  for (unsigned i = 0; i < vector.count; ++i)
    source(function_.elements[vector.index + i], i == 0 && has_layer ? Type::u32 : type);
  put(vector);
}

void Checker::sampler() {
  if (!written_.has_sampler) return put_none();
  Operand& operand = take();
  const Variable* variable = operand.kind == OperandKind::SYMBOL ? variable_of(operand) : nullptr;
  if (variable != nullptr ? variable->type != Type::samplerref
                          : operand.kind != OperandKind::REG || type_size(operand) != 8)
    fail_operand("a .samplerref or a 64-bit register");
  put(operand);
}

void Checker::number(Type type) {
  Operand& operand = take();
  source(operand, type);
  put(operand);
}

void Checker::gradient() {
  static constexpr uint8_t COUNTS[] = {0, 1, 2, 3, 1, 2, 3, 3};
  const unsigned count = COUNTS[form_.dimensions];
  Operand& vector = take();
  if (vector.kind != OperandKind::VECTOR) {
    if (count != 1) fail_operand("a vector of " + std::to_string(count));
    source(vector, Type::f32);
  } else if (vector.count != count && (count != 3 || vector.count != 4)) {
    fail_operand("a vector of " + std::to_string(count));
  }
  for (unsigned i = 0; vector.kind == OperandKind::VECTOR && i < vector.count; ++i)
    source(function_.elements[vector.index + i], Type::f32);
  put(vector);
}

// Offsets of texels precede the depth. That of a line can be written without braces.
void Checker::texel_offsets() {
  static constexpr uint8_t COUNTS[] = {0, 1, 2, 3, 1, 2, 0, 0, 2, 2};
  const unsigned count = COUNTS[form_.dimensions];
  if (exhausted()) return put_none();
  Operand& vector = written_.items[next_];
  const bool is_scalar = count == 1 && vector.kind == OperandKind::REG &&
                         !is_float(type_of(vector)) && type_size(vector) == 4;
  if (is_scalar) return number(Type::s32);
  if (vector.kind != OperandKind::VECTOR) return put_none();
  take();
  if (vector.count != count && (count != 3 || vector.count != 4))
    fail_operand("a vector of " + std::to_string(count));
  for (unsigned i = 0; i < vector.count; ++i)
    source(function_.elements[vector.index + i], Type::s32);
  put(vector);
}

// Space has no depth to compare with, and whole places have no filter for it.
void Checker::depth() {
  if (form_.geometry() == Geometry::d3 || form_.types[1] != Type::f32)
    fail("a depth has no meaning");
  number(Type::f32);
}

unsigned Checker::type_size(const Operand& operand) const { return size_of(type_of(operand)); }

void Checker::surface() {
  check_pair("");
  const bool loads = form_.op == Opcode::suld_b;
  if (loads) value_of_surface(true);
  object(Type::surfref);
  texel_place(Type::b32);
  if (!loads) value_of_surface(false);
}

// "{%r1}" is a register.
void Checker::value_of_surface(bool is_destination) {
  Operand& operand = take();
  if (form_.vector == 1 && operand.kind == OperandKind::VECTOR && operand.count == 1)
    operand = Operand(function_.elements[operand.index]);
  scalar_or_vector(operand, is_destination);
  put(operand);
}

}  // namespace cucore::ptx
