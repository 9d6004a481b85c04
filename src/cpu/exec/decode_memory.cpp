// SPDX-License-Identifier: Apache-2.0
// Decodes memory instructions: the location of the values, and the base of the address.
#include <bit>

#include "cpu/exec/decoder.hpp"
#include "cpu/exec/special.hpp"

namespace cucore::cpu {

using ptx::Base;
using ptx::OperandKind;
using ptx::Space;

namespace {

Region region_of(Space space) {
  switch (space) {
    case Space::shared:
      return Region::SHARED;
    case Space::shared_cluster:
      return Region::CLUSTER;
    case Space::local:
      return Region::LOCAL;
    case Space::generic:
      return Region::GENERIC;
    default:
      return Region::GLOBAL;
  }
}

}  // namespace

bool Decoder::place_values(Op& op, const Form& form, const Operand& value, bool is_store,
                           unsigned& width) {
  const Operand* elements = &value;
  size_t count = 1;
  if (value.kind == OperandKind::VECTOR) {
    elements = source_.elements_of(value).data();
    count = value.count;
  }
  if (count > 4) return false;
  width = std::max(2u, ptx::size_of(form.types[0]));
  for (size_t k = 0; k < count; ++k)
    if (elements[k].kind == OperandKind::REG) width = width_of(elements[k]);
  for (size_t k = 0; k < count; ++k) {
    if (elements[k].kind == OperandKind::REG && width_of(elements[k]) != width) return false;
    op.at(LoadStore::VALUES, k) =
        is_store ? source(elements[k], width) : destination(elements[k], width);
  }
  return true;
}

bool Decoder::place_address(Op& op, Space space, const Operand& memory, Widths& widths) {
  op.imm = memory.bits;
  op.site = module_.site_count++;
  widths.a = 8;
  if (space == Space::param) return place_parameter(op, memory, widths);
  op.target = uint32_t(region_of(space));
  switch (memory.base) {
    case Base::REG:
      widths.a = uint8_t(width_of(memory));
      op[LoadStore::ADDRESS] = reg(memory);
      break;
    case Base::ABSOLUTE:
      op[LoadStore::ADDRESS] = constant(0, 8);
      break;
    default:
      return place_variable(op, space, memory, widths);
  }
  if (widths.a == 4) op.target |= NARROW;
  return widths.a == 4 || widths.a == 8;
}

// The address of a named variable is a constant, with two exceptions. Dynamic shared memory depends
// on the kernel, and a function's local memory depends on the call.
bool Decoder::place_variable(Op& op, Space space, const Operand& memory, Widths&) {
  if (memory.base == Base::MODULE_VARIABLE) {
    const auto& variable = module_.source->variables[memory.index];
    const bool dynamic = variable.space == Space::shared && variable.is_unsized;
    uint64_t address = module_.addresses[memory.index];
    if (variable.space == Space::shared && space == Space::generic) return false;
    op[LoadStore::ADDRESS] =
        dynamic ? Slot(ROW_DYNAMIC_BASE_WIDE * ROW | BLOCK_BASE) : constant(address, 8);
    return true;
  }
  const auto& variable = source_.variables[memory.index];
  if (variable.space == Space::shared) {
    op[LoadStore::ADDRESS] = variable.is_unsized ? Slot(ROW_DYNAMIC_BASE_WIDE * ROW | BLOCK_BASE)
                                                 : constant(variable.offset, 8);
  } else {
    op[LoadStore::ADDRESS] = constant(0, 8);
    op.imm += variable.offset;
    op.target |= FRAME_RELATIVE;
  }
  return space != Space::generic;
}

bool Decoder::place_parameter(Op& op, const Operand& memory, Widths& widths) {
  const bool named = memory.base == Base::LOCAL_VARIABLE;
  const bool kernel = named ? is_kernel_input(memory.index) : source_.is_entry;
  if (memory.base == Base::MODULE_VARIABLE) return false;
  op.target = uint32_t(kernel ? Region::PARAM : Region::FRAME_PARAM);
  widths.param = kernel ? ParamKind::KERNEL_INDEXED : ParamKind::FRAME;
  if (memory.base == Base::REG) {
    widths.a = uint8_t(width_of(memory));
    op[LoadStore::ADDRESS] = reg(memory);
    if (widths.a == 4) op.target |= NARROW;
    return true;
  }
  op[LoadStore::ADDRESS] = constant(0, 8);
  if (named) op.imm += source_.variables[memory.index].offset;
  return true;
}

bool Decoder::decode_load(Op& op, const Form& form, Operands operands) {
  Widths widths;
  unsigned width = 0;
  if (!place_values(op, form, operands[0], false, width)) return false;
  widths.d = uint8_t(width);
  if (!place_address(op, form.space, operands[1], widths)) return false;
  const uint64_t bytes = uint64_t(ptx::size_of(form.types[0])) * form.vector;
  const bool fixed = widths.param == ParamKind::KERNEL_INDEXED && operands[1].base != Base::REG;
  if (form.space == Space::param && fixed && op.imm % std::bit_ceil(bytes ? bytes : 1) == 0 &&
      op.imm + bytes <= source_.param_bytes && op.imm + bytes >= bytes)
    widths.param = ParamKind::KERNEL;
  op.run = set_.load(form, widths);
  return op.run || decode_ordered(op, form, widths);
}

// Also handles weak accesses of widths without a separate handler.
bool Decoder::decode_ordered(Op& op, const Form& form, Widths widths) {
  const Comparison chosen = select_ordered(form, widths);
  op.run = chosen.run;
  op[LoadStore::FORM] = Slot(chosen.imm);
  return op.run != nullptr;
}

bool Decoder::decode_store(Op& op, const Form& form, Operands operands) {
  Widths widths;
  unsigned width = 0;
  if (!place_values(op, form, operands[1], true, width)) return false;
  widths.d = uint8_t(width);
  if (!place_address(op, form.space, operands[0], widths)) return false;
  op.run = set_.store(form, widths);
  return op.run || decode_ordered(op, form, widths);
}

bool Decoder::decode_atomic(Op& op, const Form& form, Operands operands) {
  const bool is_atom = form.op == ptx::Opcode::atom;
  if (form.vector != 1) return decode_vector_atomic(op, form, operands);
  const unsigned width = std::max(2u, ptx::size_of(form.types[0]));
  // The lanes of a constant are contiguous, but the halves of a 128-bit register are not.
  if (width > 8 && (operands[is_atom ? 2 : 1].kind != OperandKind::REG ||
                    (is_atom && operands[3].kind == OperandKind::IMMEDIATE)))
    return false;
  Widths widths;
  widths.d = uint8_t(width);
  if (is_atom && operands[0].kind == OperandKind::REG) op[Atomic::RESULT] = reg(operands[0]);
  op[Atomic::OPERAND] = source(operands[is_atom ? 2 : 1], width);
  if (is_atom && operands[3].kind != OperandKind::NONE && form.operation == ptx::Operation::cas)
    op[Atomic::REPLACEMENT] = source(operands[3], width);
  if (!place_address(op, form.space, operands[is_atom ? 1 : 0], widths)) return false;
  op.run = select_atomic(form, widths);
  return op.run != nullptr;
}

bool Decoder::decode_vector_atomic(Op& op, const Form& form, Operands operands) {
  const bool is_atom = form.op == ptx::Opcode::atom;
  const unsigned width = std::max(2u, ptx::size_of(form.types[0]));
  const Operand& to = operands[0];
  const Operand& from = operands[is_atom ? 2 : 1];
  if (from.kind != OperandKind::VECTOR) return false;
  BranchTable slots;
  for (unsigned k = 0; k < form.vector; ++k) {
    const bool wanted = is_atom && to.kind == OperandKind::VECTOR &&
                        source_.elements_of(to)[k].kind == OperandKind::REG;
    slots.targets.push_back(wanted ? reg(source_.elements_of(to)[k]) : NO_SLOT);
  }
  for (const Operand& element : source_.elements_of(from))
    slots.targets.push_back(source(element, width));
  Widths widths;
  if (!place_address(op, form.space, operands[is_atom ? 1 : 0], widths)) return false;
  op[Atomic::TABLE] = Slot(out_.tables.size());
  out_.tables.push_back(std::move(slots));
  op.run = select_atomic(form, widths);
  return op.run != nullptr;
}

// cp.async {destination, source, size, source size or ignore}
bool Decoder::decode_copy_async(Op& op, const Form& form, Operands operands) {
  Widths to, from;
  Op other;
  if (form.space != Space::shared && form.space != Space::shared_cluster) return false;
  if (!place_address(other, Space::global, operands[1], from) || from.a != 8) return false;
  if (!place_address(op, Space::shared, operands[0], to)) return false;
  op[CopyAsync::SOURCE] = other[LoadStore::ADDRESS];
  op[CopyAsync::SOURCE_OFFSET] = constant(other.imm, 8);
  op[CopyAsync::SIZE] = constant(operands[2].bits, 4);
  if (operands.size() > 3 && operands[3].kind == OperandKind::REG) {
    if (source_.registers[operands[3].index] == ptx::Type::pred)
      op[CopyAsync::IGNORE] = reg(operands[3]);  // ignore-src
    else if (width_of(operands[3]) == 4)
      op[CopyAsync::SOURCE_SIZE] = reg(operands[3]);
  } else if (operands.size() > 3 && operands[3].kind == OperandKind::IMMEDIATE) {
    op[CopyAsync::SOURCE_SIZE] = constant(operands[3].bits, 4);
  }
  op.run = copy_async;
  return true;
}

// The letters of the opcode's pattern define the operands.
bool Decoder::decode_mbarrier(Op& op, const Form& form, Operands operands) {
  const char* letter = pattern_of(form.op);
  for (size_t k = 0; k < operands.size() && *letter; ++k, ++letter) {
    const Operand& operand = operands[k];
    Widths widths;
    switch (operand.kind == OperandKind::NONE ? ' ' : *letter) {
      case 'm':
        if (!place_address(op, form.space, operand, widths)) return false;
        break;
      case 'S':
        op[Mbarrier::RESULT] =
            operand.kind == OperandKind::SINK ? NO_SLOT : destination(operand, 8);
        break;
      case 'P':
      case 'r':
        op[Mbarrier::RESULT] = destination(operand, 0);
        break;
      case 'z':
        op[Mbarrier::STATE] = source(operand, 8);
        break;
      case 'u':  // after a predicate: a parity, or the time limit of a wait
        if (pattern_of(form.op)[0] != 'P')
          op[Mbarrier::COUNT] = source(operand, 4);
        else if (op[Mbarrier::STATE] == NO_SLOT)
          op[Mbarrier::STATE] = source(operand, 4);
        break;
      default:
        break;
    }
    if (letter[1] == '?') ++letter;
  }
  op.run = select_mbarrier(form.op);
  return op.run != nullptr;
}

bool Decoder::decode_copy_bulk(Op& op, const Form& form, Operands operands) {
  Widths to, from, barrier;
  Op source_op, barrier_op;
  const bool from_global = form.space2 == Space::global;
  if (operands.size() < (from_global ? 4u : 3u)) return false;
  if (!place_address(op, form.space, operands[0], to)) return false;
  if (!place_address(source_op, form.space2, operands[1], from)) return false;
  op[CopyBulk::SOURCE] = source_op[LoadStore::ADDRESS];
  op[CopyBulk::SOURCE_OFFSET] = constant(source_op.imm, 8);
  op.site = 0;  // one instruction with two addresses
  if (source_op.target & NARROW) op.target |= BULK_SOURCE_NARROW;
  op[CopyBulk::SIZE] = source(operands[2], 4);
  if (from_global) {
    if (operands[3].kind != OperandKind::MEMORY) return false;
    if (!place_address(barrier_op, Space::shared, operands[3], barrier)) return false;
    op[CopyBulk::BARRIER] = barrier_op[LoadStore::ADDRESS];
    op[CopyBulk::BARRIER_OFFSET] = constant(barrier_op.imm, 8);
    if (barrier_op.target & NARROW) op.target |= BULK_BARRIER_NARROW;
  }
  op.run = select_copy_bulk(from_global);
  return true;
}

}  // namespace cucore::cpu
