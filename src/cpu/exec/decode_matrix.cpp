// SPDX-License-Identifier: Apache-2.0
// Decodes matrix instructions: fragments, addresses, descriptors and constants.
#include "cpu/exec/decoder.hpp"
#include "cpu/exec/matrix_access.hpp"

namespace cucore::cpu {

using ptx::Opcode;
using ptx::OperandKind;

std::vector<Slot> Decoder::fragment(const Operand& operand, bool is_result, unsigned width) {
  const Operand* elements = &operand;
  size_t count = 1;
  if (operand.kind == OperandKind::VECTOR) {
    elements = source_.elements_of(operand).data();
    count = operand.count;
  }
  std::vector<Slot> slots;
  for (size_t i = 0; i < count; ++i)
    slots.push_back(is_result ? destination(elements[i], width) : source(elements[i], width));
  return slots;
}

const MatrixPlan& Decoder::plan_of(const Form& form) {
  auto& plan = module_.matrix_plans[form.index];
  if (!plan) plan = make_plan(form, module_.limits.sm, set_.matrix());
  return *plan;
}

// ldmatrix, stmatrix, movmatrix, wmma.load, wmma.store
bool Decoder::decode_matrix_move(Op& op, MatrixOp& matrix, const Form& form, Operands operands) {
  const unsigned width = form.matrix.d == ptx::Element::f64 ? 8 : 4;
  const bool stores = form.op == Opcode::stmatrix || form.op == Opcode::wmma_store_d;
  matrix.d = fragment(operands[stores ? 1 : 0], !stores, width);
  if (form.op == Opcode::movmatrix) {
    matrix.a = fragment(operands[1], false, 4);
    return true;
  }
  Widths widths;
  if (!place_address(op, form.space, operands[stores ? 0 : 1], widths)) return false;
  if (operands.size() > 2 && operands[2].kind != OperandKind::NONE)
    matrix.stride = source(operands[2], 4);
  return true;
}

// wgmma.mma_async {D, A, B, metadata, selector, scale, negations, transpositions}
bool Decoder::decode_warpgroup_product(MatrixOp& matrix, Operands operands) {
  matrix.d = fragment(operands[0], true, 4);
  if (operands[1].kind == OperandKind::VECTOR)
    matrix.a = fragment(operands[1], false, 4);
  else
    matrix.a_descriptor = source(operands[1], 8);
  matrix.b_descriptor = source(operands[2], 8);
  matrix.scale = predicate(operands[5]);
  matrix.scale_negated = operands[5].negated;
  auto is = [&](size_t index, int64_t value) {
    return operands[index].kind == OperandKind::IMMEDIATE &&
           static_cast<int64_t>(operands[index].bits) == value;
  };
  matrix.negates_a = is(6, -1);
  matrix.negates_b = is(7, -1);
  matrix.transposes_a = is(8, 1);
  matrix.transposes_b = is(9, 1);
  return true;
}

bool Decoder::decode_product(MatrixOp& matrix, const Form& form, Operands operands) {
  const unsigned width = form.matrix.d == ptx::Element::f64 ? 8 : 4;
  matrix.d = fragment(operands[0], true, width);
  matrix.a = fragment(operands[1], false, width);
  matrix.b = fragment(operands[2], false, width);
  matrix.c = fragment(operands[3], false, width);
  return true;
}

bool Decoder::decode_matrix(Op& op, const Form& form, Operands operands) {
  MatrixOp matrix;
  matrix.plan = &plan_of(form);
  const bool is_async = form.op == Opcode::wgmma_mma_async || form.op == Opcode::wgmma_mma_async_sp;
  const bool is_product = form.op == Opcode::mma || form.op == Opcode::mma_sp ||
                          form.op == Opcode::mma_sp_ordered || form.op == Opcode::wmma_mma;
  const bool good = is_async     ? decode_warpgroup_product(matrix, operands)
                    : is_product ? decode_product(matrix, form, operands)
                                 : decode_matrix_move(op, matrix, form, operands);
  if (!good) return false;
  if (form.matrix.is_sparse) {
    const size_t at = is_async ? 3 : 4;
    if (!is_selector(form.matrix, operands[at + 1].bits)) return false;
    matrix.metadata = source(operands[at], 4);
    matrix.selector = uint8_t(operands[at + 1].bits);
  }
  op[Matrix::TABLE] = Slot(out_.matrices.size());
  op[Matrix::MEMBERS] = constant(FULL_MASK, 4);
  out_.matrices.push_back(std::move(matrix));
  op.run = select_matrix(form.op);
  return control(op, OpKind::SYNC) && op.run != nullptr;
}

// wgmma.wait_group is a barrier of four warps. The products are complete, so a fence does nothing.
bool Decoder::decode_warpgroup(Op& op, const Form& form, Operands) {
  if (form.op == Opcode::wgmma_fence) return plain(op, nothing);
  op[BlockBarrier::THREADS] = constant(4 * LANES, 4);
  return control(op, OpKind::BARRIER);
}

}  // namespace cucore::cpu
