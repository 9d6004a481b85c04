// SPDX-License-Identifier: Apache-2.0
// Decodes all forms of mov, and the instructions that convert between address spaces.
#include <algorithm>

#include "cpu/exec/block.hpp"
#include "cpu/exec/decoder.hpp"
#include "cpu/exec/round_up.hpp"
#include "cpu/exec/special.hpp"

namespace cucore::cpu {

using enum Regular;
using ptx::Base;
using ptx::OperandKind;
using ptx::Space;
using ptx::SpecialRegister;
using ptx::Type;

bool Decoder::decode_mov(Op& op, const Form& form, Operands operands) {
  const Operand& d = operands[0];
  const Operand& a = operands[1];
  if (d.kind == OperandKind::VECTOR) return decode_pack(op, a, d, unpack);
  if (a.kind == OperandKind::VECTOR) return decode_pack(op, d, a, pack);
  const unsigned width = std::max(2u, ptx::size_of(form.types[0]));
  op[RESULT] = destination(d, width);
  switch (a.kind) {
    case OperandKind::SYMBOL:
    case OperandKind::FUNCTION:
      return decode_symbol(op, width, a);
    case OperandKind::SPECIAL:
      return decode_special_register(op, form, width, a);
    case OperandKind::REG:
    case OperandKind::IMMEDIATE:
      break;
    default:
      return false;
  }
  op[FIRST] = form.types[0] == Type::pred ? predicate(a) : source(a, width);
  op.run = set_.move(form, {});
  return op.run != nullptr;
}

bool Decoder::decode_pack(Op& op, const Operand& wide, const Operand& vector, Handler handler) {
  const auto elements = source_.elements_of(vector);
  if (elements.size() > 6) return false;
  unsigned width = 0, bytes = 0;
  for (const Operand& e : elements)
    if (e.kind == OperandKind::REG) {
      width = width_of(e);
      bytes = ptx::size_of(source_.registers[e.index]);
    }
  const unsigned total = wide.kind == OperandKind::REG ? width_of(wide) : 0;
  if (width == 0 && total != 0) bytes = width = total / unsigned(elements.size());
  if (width < 2 || (total != 0 && total != bytes * elements.size())) return false;
  const bool packs = handler == Handler(pack);
  op[RESULT] = packs ? destination(wide, total) : source(wide, bytes * unsigned(elements.size()));
  for (size_t k = 0; k < elements.size(); ++k)
    op.at(FIRST, k) = packs ? source(elements[k], width) : destination(elements[k], width);
  op.imm = elements.size() | uint64_t{width} << 8 | uint64_t{bytes} << 16;
  op.run = handler;
  return true;
}

bool Decoder::decode_symbol(Op& op, unsigned width, const Operand& symbol) {
  ptx::Form move;
  move.op = ptx::Opcode::mov;
  move.types[0] = width == 4 ? Type::b32 : Type::b64;
  if (width != 4 && width != 8) return false;
  op.run = set_.move(move, {});
  if (symbol.kind == OperandKind::FUNCTION) {
    const uint32_t alias = module_.source->functions[symbol.index].alias_of;
    const auto& callee = module_.functions[alias == ptx::NONE ? symbol.index : alias];
    op[FIRST] = constant(callee ? reinterpret_cast<uint64_t>(callee.get()) : 0, width);
    return callee != nullptr;
  }
  const bool global = symbol.base == Base::MODULE_VARIABLE;
  const auto& variable =
      global ? module_.source->variables[symbol.index] : source_.variables[symbol.index];
  if (variable.space == Space::shared && variable.is_unsized) {
    op[FIRST] = (width == 4 ? ROW_DYNAMIC_BASE : ROW_DYNAMIC_BASE_WIDE) * ROW | BLOCK_BASE;
    if (symbol.bits == 0) return true;
    ptx::Form sum;
    sum.op = ptx::Opcode::add;
    sum.types[0] = width == 4 ? Type::u32 : Type::u64;
    sum.type_count = 1;
    op[SECOND] = constant(symbol.bits, width);
    op.run = set_.integer(sum);
    return op.run != nullptr;
  }
  if (global) {
    op[FIRST] = constant(module_.addresses[symbol.index] + symbol.bits, width);
    return true;
  }
  if (variable.space == Space::param && !source_.is_entry) {
    op.imm = spilled(symbol.index) + symbol.bits;
    op.run = width == 8 ? local_address : local_address_narrow;
    return !variable.is_register;
  }
  op[FIRST] = constant(variable.offset + symbol.bits, width);
  if (variable.space == Space::local && !source_.is_entry) {
    op.imm = variable.offset + symbol.bits;
    op.run = width == 8 ? local_address : local_address_narrow;
  }
  return true;
}

// Returns the parameter's location in the function's local memory. A call that needs more than
// MAX_LOCAL is a fault, so the sum need not be larger.
uint32_t Decoder::spilled(uint32_t variable) {
  constexpr uint64_t TOO_MUCH = 2 * MAX_LOCAL;
  for (const Spill& spill : out_.spills)
    if (spill.variable == variable) return spill.local;
  const auto& v = source_.variables[variable];
  const auto place = round_up(uint64_t{out_.local_bytes}, std::max(16u, v.align));
  if (place + v.size > TOO_MUCH) {
    out_.local_bytes = uint32_t(TOO_MUCH);
    return 0;
  }
  out_.spills.push_back({variable, uint32_t(v.offset), uint32_t(place), uint32_t(v.size)});
  out_.local_bytes = uint32_t(round_up(place + v.size, 16));
  out_.local_align = std::max(out_.local_align, v.align);
  return uint32_t(place);
}

bool Decoder::decode_special_register(Op& op, const Form& form, unsigned width,
                                      const Operand& special) {
  const auto which = SpecialRegister(special.index);
  const Slot slot = special_slot(which, special.component);
  module_.uses_reserved_shared |= is_reserved_shared(which);
  if (slot == NO_SLOT) {
    op.imm = special.index;
    op.run = width == 8 ? read_clock_wide : read_clock;
    return width == 4 || width == 8;
  }
  op[FIRST] = slot;
  ptx::Form move;
  move.op = ptx::Opcode::mov;
  const bool wide = special_is_wide(which);
  if (form.types[0] == Type::pred || which == SpecialRegister::is_explicit_cluster) {
    if (form.types[0] != Type::pred) return false;
    op.run = set_.move(form, {});
  } else if (width == (wide ? 8u : 4u)) {
    move.types[0] = width == 4 ? Type::b32 : Type::b64;
    op.run = set_.move(move, {});
  } else {
    op.imm = width | uint64_t{wide} << 8;
    op.run = copy_special;
  }
  return true;
}

uint64_t Decoder::window_of(Space space) const {
  const AddressSpace& space_map = AddressSpace::instance();
  switch (space) {
    case Space::shared:
    case Space::shared_cluster:
      return space_map.shared_window();
    case Space::local:
      return space_map.local_window();
    case Space::param:
      return space_map.param_window();
    default:
      return 0;
  }
}

bool Decoder::decode_cvta(Op& op, const Form& form, Operands operands) {
  if (ptx::size_of(form.types[0]) != 8) return false;
  const Operand& a = operands[1];
  op[RESULT] = destination(operands[0], 8);
  const uint64_t window = window_of(form.space);
  if (a.kind == OperandKind::SYMBOL) {
    if (!decode_symbol(op, 8, a)) return false;
    if (window == 0) return true;
    // Adds the window to the result of the symbol's mov; two constants are folded.
    if (op.run == Handler(local_address)) {
      op.imm += window;
    } else if ((op[FIRST] & 3) == CONSTANT_BASE) {
      const bool local = a.base == Base::LOCAL_VARIABLE;
      const uint64_t base = local ? source_.variables[a.index].offset : module_.addresses[a.index];
      op[FIRST] = constant(base + a.bits + window, 8);
    } else {
      op.imm = window;
      op.run = add_window;
    }
    return true;
  }
  op[FIRST] = source(a, 8);
  if (window == 0) {
    op.run = set_.move(form, {});
  } else {
    op.imm = form.has(ptx::FLAG_TO) ? uint64_t{0} - window : window;
    op.run = add_window;
  }
  return op.run != nullptr;
}

bool Decoder::decode_isspacep(Op& op, const Form& form, Operands operands) {
  if (operands[1].kind != OperandKind::REG || width_of(operands[1]) != 8) return false;
  op[RESULT] = destination(operands[0], 0);
  op[FIRST] = reg(operands[1]);
  op.imm = uint64_t(form.space);
  op.run = isspacep;
  return true;
}

// The operands of alloca are {address, size, alignment}, those of the others {level}. imm is the
// alignment.
bool Decoder::decode_stack(Op& op, const Form& form, Operands operands) {
  const unsigned width = ptx::size_of(form.types[0]);
  const bool allocates = form.op == ptx::Opcode::alloca_;
  op.imm = 8;
  if (allocates && operands[2].kind != OperandKind::NONE) op.imm = operands[2].bits;
  if (op.imm == 0 || op.imm > 4096 || (op.imm & (op.imm - 1))) return false;
  if (form.op != ptx::Opcode::stackrestore) op[RESULT] = destination(operands[0], width);
  if (form.op != ptx::Opcode::stacksave) op[FIRST] = source(operands[allocates ? 1 : 0], width);
  return plain(op, select_stack(form.op, width));
}

// A cache policy is opaque and ignored.
bool Decoder::decode_policy(Op& op, const Form&, Operands operands) {
  ptx::Form move;
  move.op = ptx::Opcode::mov;
  move.types[0] = Type::b64;
  op[RESULT] = destination(operands[0], 8);
  op[FIRST] = constant(0, 8);
  op.run = set_.move(move, {});
  return op.run != nullptr;
}

// The operands of mapa are {destination, address, rank}, those of getctarank {destination,
// address}. imm is the window of generic addresses. The address of a variable is an offset.
bool Decoder::decode_mapa(Op& op, const Form& form, Operands operands) {
  const unsigned width = ptx::size_of(form.types[0]);
  const bool generic = form.space == Space::generic;
  if (generic && width == 4) return false;
  op[RESULT] = destination(operands[0], form.op == ptx::Opcode::mapa ? width : 4);
  if (operands[1].kind == OperandKind::SYMBOL) {
    if (!decode_symbol(op, width, operands[1]) || (op[FIRST] & 3) == FRAME_BASE) return false;
    // The slot of dynamic shared memory lacks the offset of the text.
    const bool is_dynamic = (op[FIRST] & 3) == BLOCK_BASE;
    op[THIRD] = constant(is_dynamic ? operands[1].bits : 0, width);
  } else {
    op[FIRST] = source(operands[1], width);
  }
  if (form.op == ptx::Opcode::mapa) op[SECOND] = source(operands[2], 4);
  op.imm = generic ? window_of(Space::shared) : 0;
  op.target = operands[1].kind == OperandKind::SYMBOL;
  op.run = select_mapa(form.op, width);
  return true;
}

}  // namespace cucore::cpu
