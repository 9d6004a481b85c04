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
  if (count > 8) return false;
  width = std::max(2u, ptx::size_of(form.types[0]));
  for (size_t k = 0; k < count; ++k)
    if (elements[k].kind == OperandKind::REG) width = width_of(elements[k]);
  BranchTable table;
  for (size_t k = 0; k < count; ++k) {
    if (elements[k].kind == OperandKind::REG && width_of(elements[k]) != width) return false;
    const bool is_sink = elements[k].kind == OperandKind::SINK;
    const Slot slot = is_store ? source(elements[k], width) : destination(elements[k], width);
    if (count > 4)
      table.targets.push_back(is_sink ? NO_SLOT : slot);
    else
      op.at(LoadStore::VALUES, k) = slot;
  }
  if (count <= 4) return true;
  op[LoadStore::TABLE] = Slot(out_.tables.size());
  out_.tables.push_back(std::move(table));
  return true;
}

// 128 bits are two values of 64, because a register has its halves apart. Constants have not.
bool Decoder::place_whole(Op& op, const Operand& value) {
  if (value.kind == OperandKind::IMMEDIATE || value.kind == OperandKind::VECTOR) return false;
  const Slot low = destination(value, 16);
  op.at(LoadStore::VALUES, 0) = low;
  op.at(LoadStore::VALUES, 1) = low + LANES * sizeof(uint64_t);
  return true;
}

ptx::Form Decoder::in_halves(const Form& form) {
  ptx::Form halves = form;
  halves.types[0] = ptx::Type::b64;
  halves.vector = 2;
  return halves;
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
  unsigned width = 8;
  const bool is_whole = form.types[0] == ptx::Type::b128;
  if (is_whole ? !place_whole(op, operands[0]) : !place_values(op, form, operands[0], false, width))
    return false;
  widths.d = uint8_t(width);
  if (!place_address(op, form.space, operands[1], widths)) return false;
  const uint64_t bytes = uint64_t(ptx::size_of(form.types[0])) * form.vector;
  const bool fixed = widths.param == ParamKind::KERNEL_INDEXED && operands[1].base != Base::REG;
  if (form.space == Space::param && fixed && op.imm % std::bit_ceil(bytes ? bytes : 1) == 0 &&
      op.imm + bytes <= source_.param_bytes && op.imm + bytes >= bytes)
    widths.param = ParamKind::KERNEL;
  op.run = set_.load(is_whole ? in_halves(form) : form, widths);
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
  unsigned width = 8;
  const bool is_whole = form.types[0] == ptx::Type::b128;
  if (is_whole ? !place_whole(op, operands[1]) : !place_values(op, form, operands[1], true, width))
    return false;
  widths.d = uint8_t(width);
  if (!place_address(op, form.space, operands[0], widths)) return false;
  op.run = set_.store(is_whole ? in_halves(form) : form, widths);
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

}  // namespace cucore::cpu
