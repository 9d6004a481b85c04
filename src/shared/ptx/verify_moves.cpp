// SPDX-License-Identifier: Apache-2.0
// Checks the operands of moves and conversions.
#include "ptx/operand_checker.hpp"

namespace cucore::ptx {
namespace {

bool is_predicate(const Operand& special) {
  return special.index == static_cast<uint32_t>(SpecialRegister::is_explicit_cluster);
}

bool is_packed(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2 ||
         (type >= Type::e4m3x2 && type <= Type::ue8m0x2);
}

}  // namespace

void Checker::mov() {
  check_pair("");
  Operand& to = take();
  Operand& from = take();
  if (to.kind == OperandKind::VECTOR) {
    split_elements(to, true);
    source(from, form_.types[0]);
  } else {
    destination(to, form_.types[0]);
    mov_source(from);
  }
  put(to);
  put(from);
}

void Checker::mov_source(Operand& from) {
  Type type = form_.types[0];
  switch (from.kind) {
    case OperandKind::VECTOR:
      return split_elements(from, false);
    case OperandKind::SPECIAL:
      if (type == Type::pred && !is_predicate(from)) fail_operand("a predicate");
      return;
    case OperandKind::SYMBOL:
    case OperandKind::FUNCTION:
      if (!is_address(type) || is_float(type)) fail("an address needs 32 or 64 bits");
      return;
    default:
      return source(from, type);
  }
}

void Checker::split_elements(const Operand& vector, bool is_destination) {
  unsigned bytes = size_of(form_.types[0]);
  if (vector.count < 2 || bytes == 0 || bytes % vector.count != 0)
    fail("a vector that does not fill its type");
  static constexpr Type TYPES[] = {Type::none, Type::b8,   Type::b16,  Type::none, Type::b32,
                                   Type::none, Type::none, Type::none, Type::b64};
  Type type = TYPES[bytes / vector.count];
  if (type == Type::none) fail("a vector that does not fill its type");
  for (unsigned i = 0; i < vector.count; ++i) {
    Operand& element = function_.elements[vector.index + i];
    if (is_destination && element.kind == OperandKind::SINK) continue;
    if (is_destination)
      destination(element, type);
    else
      source(element, type);
  }
}

// Checks one source; packed results take two, and .rs also takes random bits.
void Checker::cvt() {
  check_pair("");
  Type from = form_.types[1];
  if (is_quad(form_.types[0])) return cvt_quad();
  bool packs = from == Type::f32 && is_packed(form_.types[0]);
  slot('D');
  slot('B');
  if (packs)
    slot('B');
  else
    put_none();
  if (form_.rounding == Rounding::rs)
    slot('u');
  else
    put_none();
}

// Four sources of f32 in a vector, and random bits.
void Checker::cvt_quad() {
  slot('D');
  Operand& vector = take();
  if (vector.kind != OperandKind::VECTOR || vector.count != 4) fail_operand("a vector of 4");
  for (unsigned i = 0; i < vector.count; ++i)
    relaxed_source(function_.elements[vector.index + i], Type::f32);
  put(vector);
  put_none();
  slot('u');
}

}  // namespace cucore::ptx
