// SPDX-License-Identifier: Apache-2.0
// Decodes branches through tables, calls, barriers and the instructions between a warp's lanes.
#include <algorithm>

#include "cpu/exec/decoder.hpp"

namespace cucore::cpu {

using ptx::Base;
using ptx::Opcode;
using ptx::OperandKind;

Builtin builtin_named(std::string_view name) {
  if (name == "vprintf") return Builtin::VPRINTF;
  if (name == "malloc") return Builtin::MALLOC;
  if (name == "free") return Builtin::FREE;
  if (name == "__assertfail") return Builtin::ASSERTFAIL;
  if (name == "cudaGraphSetConditional") return Builtin::SET_CONDITIONAL;
  return Builtin::NONE;
}

bool Decoder::control(Op& op, OpKind kind) {
  op.kind = kind;
  return true;
}

bool Decoder::decode_branch(Op& op, const Form&, Operands operands) {
  op.target = operands[0].index;
  leaders_[op.target] = true;
  return control(op, OpKind::BRANCH);
}

bool Decoder::decode_return(Op& op, const Form&, Operands) {
  return control(op, source_.is_entry ? OpKind::EXIT : OpKind::RETURN);
}

bool Decoder::decode_exit(Op& op, const Form&, Operands) { return control(op, OpKind::EXIT); }

bool Decoder::decode_yield(Op& op, const Form&, Operands operands) {
  op[Jump::INDEX] = source(operands[0], 4);
  return control(op, OpKind::YIELD) && plain(op, nothing);
}

bool Decoder::decode_branch_table(Op& op, const Form&, Operands operands) {
  op[Jump::INDEX] = source(operands[0], 4);
  op.target = uint32_t(out_.tables.size());
  out_.tables.push_back({source_.target_lists[operands[1].index]});
  for (uint32_t target : out_.tables.back().targets) leaders_[target] = true;
  return control(op, OpKind::BRANCH_TABLE);
}

Argument Decoder::argument(const Operand& operand) {
  if (operand.kind == OperandKind::REG)
    return {Argument::REGISTER, reg(operand), 0, width_of(operand)};
  if (operand.kind == OperandKind::SYMBOL && operand.base == Base::LOCAL_VARIABLE) {
    const auto& v = source_.variables[operand.index];
    return {Argument::PARAM, 0, uint32_t(v.offset + operand.bits), uint32_t(v.size)};
  }
  return {Argument::REGISTER, constant(operand.bits, 8), 0, 8};
}

bool Decoder::decode_call(Op& op, const Form&, Operands operands) {
  CallSite site;
  if (operands[0].kind == OperandKind::FUNCTION) {
    uint32_t index = operands[0].index;
    const uint32_t alias = module_.source->functions[index].alias_of;
    if (alias != ptx::NONE) index = alias;
    site.callee = module_.functions[index].get();
    if (!site.callee) site.builtin = builtin_named(module_.source->functions[index].name);
    if (!site.callee && site.builtin == Builtin::NONE) return false;
  } else {
    site.target = reg(operands[0]);
  }
  if (operands[1].kind == OperandKind::LIST)
    for (const Operand& o : source_.elements_of(operands[1])) site.returns.push_back(argument(o));
  if (operands[2].kind == OperandKind::LIST)
    for (const Operand& o : source_.elements_of(operands[2])) site.inputs.push_back(argument(o));
  op.target = uint32_t(out_.calls.size());
  out_.calls.push_back(std::move(site));
  return control(op, OpKind::CALL);
}

bool Decoder::decode_barrier(Op& op, const Form& form, Operands operands) {
  switch (form.op) {
    case Opcode::bar_warp_sync:
      op[Exchange::MEMBERS] = source(operands[0], 4);
      return control(op, OpKind::WARP_BARRIER);
    case Opcode::barrier_cluster_arrive:
      return plain(op, cluster_arrive);
    case Opcode::barrier_cluster_wait:
      return control(op, OpKind::CLUSTER_WAIT);
    case Opcode::bar_red:
      op[BlockBarrier::RESULT] = destination(operands[0], 4);
      op[BlockBarrier::NUMBER] = source(operands[1], 4);
      if (operands[2].kind != OperandKind::NONE) op[BlockBarrier::THREADS] = source(operands[2], 4);
      op[BlockBarrier::PREDICATE] = predicate(operands[3]);
      op.target = operands[3].negated;
      op.imm = uint64_t(form.operation);
      return control(op, OpKind::REDUCE);
    default:
      break;
  }
  op[BlockBarrier::NUMBER] = source(operands[0], 4);
  if (operands[1].kind != OperandKind::NONE) op[BlockBarrier::THREADS] = source(operands[1], 4);
  return control(op, form.op == Opcode::bar_arrive ? OpKind::ARRIVE : OpKind::BARRIER);
}

bool Decoder::decode_exchange(Op& op, const Form& form, Operands operands) {
  op[Exchange::RESULT] =
      form.op == Opcode::elect || form.op == Opcode::activemask || form.types[0] != ptx::Type::pred
          ? destination(operands[0], 4)
          : destination(operands[0], 0);
  op.run = form.op == Opcode::activemask ? activemask : select_warp_op(form);
  if (form.op == Opcode::activemask) return true;
  const Operand& mask = operands[operands.size() - 1];
  const bool sync = form.has(ptx::FLAG_SYNC) && mask.kind != OperandKind::NONE;
  if (sync) op[Exchange::MEMBERS] = source(mask, 4);
  op[Exchange::PREDICATE] = scratch_;
  switch (form.op) {
    case Opcode::shfl:
      op[Exchange::PREDICATE] = destination(operands[1], 0);
      for (size_t k = 0; k < 3; ++k) op.at(Exchange::FIRST, k) = source(operands[k + 2], 4);
      break;
    case Opcode::vote:
      op[Exchange::FIRST] = predicate(operands[1]);
      op.target = operands[1].negated;
      break;
    case Opcode::match:
      op[Exchange::PREDICATE] = destination(operands[1], 0);
      op[Exchange::FIRST] = source(operands[2], std::max(4u, ptx::size_of(form.types[0])));
      break;
    case Opcode::redux:
      op[Exchange::FIRST] = source(operands[1], 4);
      break;
    case Opcode::elect:
      op[Exchange::PREDICATE] = destination(operands[1], 0);
      break;
    default:
      return false;
  }
  if (sync) op.kind = OpKind::SYNC;
  return op.run != nullptr;
}

}  // namespace cucore::cpu
