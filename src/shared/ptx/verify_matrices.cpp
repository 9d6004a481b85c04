// SPDX-License-Identifier: Apache-2.0
// Checks the operands of matrix instructions.
#include "ptx/operand_checker.hpp"

namespace cucore::ptx {

// The elements of a fragment are registers, or constants of a source.
void Checker::fragment(Operand& operand, char letter) {
  static constexpr char MATRICES[] = "dabcd";
  const MatrixForm& matrix = form_.matrix;
  const char name = MATRICES[letter - '1'];
  const unsigned count = registers_of(form_.op, matrix, name);
  const Element element = name == 'a' || name == 'b' ? matrix.a : matrix.d;
  const Type type = element == Element::f64 ? Type::b64 : Type::b32;
  const bool loads = form_.op >= Opcode::wmma_load_a && form_.op <= Opcode::wmma_load_c;
  const bool is_result = letter == '1' || loads;
  auto check = [&](Operand& one) {
    if (is_result)
      destination(one, type);
    else
      source(one, type);
  };
  if (operand.kind != OperandKind::VECTOR && count == 1) return check(operand);
  if (operand.kind != OperandKind::VECTOR || operand.count != count)
    fail_operand("a vector of " + std::to_string(count));
  for (unsigned i = 0; i < count; ++i) check(function_.elements[operand.index + i]);
}

void Checker::integer_in(std::string_view values) {
  Operand& operand = take();
  integer(operand);
  const auto value = static_cast<int64_t>(operand.bits);
  const bool sign = values == "sign";
  if (sign ? value != 1 && value != -1 : value != 0 && value != 1)
    fail_operand(sign ? "1 or -1" : "0 or 1");
  put(operand);
}

// {D, A, B, metadata, selector, scale of D, negations, transpositions}; A is a fragment or, like
// B, a descriptor.
void Checker::wgmma() {
  check_pair("");
  const MatrixForm& matrix = form_.matrix;
  slot('1');
  const bool in_registers = !exhausted() && written_.items[next_].kind == OperandKind::VECTOR;
  slot(in_registers ? '2' : 'z');
  slot('z');
  for (char letter : std::string_view(matrix.is_sparse ? "ui" : "NN")) slot(letter);
  slot('p');
  const bool scales = !is_integer(matrix.a) && matrix.a != Element::b1;
  for (int i = 0; i < 2; ++i) scales ? integer_in("sign") : put_none();
  const bool transposes = scales && bits_of(matrix.a) == 16;
  transposes && !in_registers ? integer_in("flag") : put_none();
  transposes ? integer_in("flag") : put_none();
}

}  // namespace cucore::ptx
