// SPDX-License-Identifier: Apache-2.0
// Register layout, constants, basic blocks, and the instructions with regular operands.
#include "cpu/exec/decoder.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/exec/fault.hpp"
#include "cpu/exec/round_up.hpp"

namespace cucore::cpu {

using enum Regular;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;

namespace {

constexpr uint32_t MAX_CONSTANT_BYTES = uint32_t{1} << 30;  // of a function: slots have 32 bits

constexpr const char* PATTERNS[] = {
    "",  // unsupported
#define PTX_OPCODE(id, name, groups, types, type_count, pattern, decoder) pattern,
#include "ptx/opcodes.inc"
#undef PTX_OPCODE
};

unsigned lane_bytes(Type type) {
  if (type == Type::pred) return 0;
  return std::max(2u, ptx::size_of(type));
}

bool is_packed(Type t) { return t == Type::u16x2 || t == Type::s16x2; }

// Returns the bytes per lane of an operand with this letter in the opcode's pattern; 0 for a
// predicate.
unsigned pattern_width(char letter, const ptx::Form& f) {
  const unsigned own = lane_bytes(f.types[0]);
  switch (letter) {
    case 'd':
    case 'D':
    case 'a':
    case 's':
      return own;
    case 'w':
    case 'x':
      return f.mul == ptx::MulMode::wide ? 2 * own : own;
    case 'b':
      return lane_bytes(f.types[1]);
    case 'r':
    case 'u':
      return 4;
    case 'z':
      return 8;
    default:
      return 0;
  }
}

}  // namespace

const char* pattern_of(Opcode op) { return PATTERNS[size_t(op)]; }

AlignedBytes make_aligned(size_t bytes) {
  const size_t size = std::max<size_t>(bytes, 64);
  auto* p = static_cast<std::byte*>(::operator new[](size, std::align_val_t{64}));
  std::memset(p, 0, size);
  return AlignedBytes(p);
}

void Decoder::run() {
  lay_out_registers();
  lay_out_parameters();
  const uint32_t count = uint32_t(source_.instructions.size());
  out_.ops.resize(count + 1);
  leaders_.assign(count + 1, false);
  for (uint32_t i = 0; i < count; ++i) decode(i);
  out_.ops[count].kind = OpKind::END;
  find_batches();
  place_constants();
}

void Decoder::lay_out_registers() {
  uint32_t offset = 0;
  slots_.resize(source_.registers.size());
  for (size_t i = 0; i < slots_.size(); ++i) {
    const unsigned bytes = lane_bytes(source_.registers[i]);
    if (bytes == 0) continue;
    slots_[i] = offset;
    // The halves of 128-bit registers are in separate planes, see pack().
    for (unsigned half = 0; half < bytes; half += 8)
      out_.layout.push_back({offset + half * LANES, std::min(8u, bytes - half)});
    offset += bytes * LANES;
  }
  scratch_ = offset;
  offset += 16 * LANES;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (source_.registers[i] != Type::pred) continue;
    slots_[i] = offset;
    out_.layout.push_back({offset, 0});
    offset += 4;
  }
  out_.register_bytes = round_up(offset, 64);
  out_.slots = slots_;
}

void Decoder::lay_out_parameters() {
  auto place = [&](const ptx::Variable& v) {
    if (v.is_register)
      return Argument{Argument::REGISTER, slots_[v.reg], 0, lane_bytes(source_.registers[v.reg])};
    return Argument{Argument::PARAM, 0, uint32_t(v.offset), uint32_t(v.size)};
  };
  for (const auto& v : source_.returns()) out_.returns.push_back(place(v));
  for (const auto& v : source_.inputs()) out_.inputs.push_back(place(v));
  out_.param_bytes = round_up(uint32_t(source_.param_frame_bytes), 16);
  out_.local_align = std::max(16u, source_.local_align);
  out_.local_bytes = round_up(uint32_t(source_.local_bytes), out_.local_align);
}

void Decoder::place_constants() {
  out_.constants = make_aligned(constant_bytes_);
  for (const auto& [key, slot] : constants_) {
    std::byte* p = out_.constants.get() + (slot & ~uint32_t{3});
    for (int l = 0; l < LANES; ++l)
      std::memcpy(p + size_t(l) * key.second, &key.first, std::min(key.second, 8u));
  }
}

// A batch contains instructions that run without checks of guards, branches and other groups of the
// warp.
void Decoder::find_batches() {
  for (size_t i = out_.ops.size() - 1; i-- > 0;) {
    Op& op = out_.ops[i];
    if (op.kind != OpKind::PLAIN || op.guard != NO_SLOT) continue;
    const bool ends = leaders_[i + 1] || out_.ops[i + 1].batch >= 4096;
    op.batch = uint16_t(1 + (ends ? 0 : out_.ops[i + 1].batch));
  }
}

void Decoder::decode(uint32_t index) {
  const Instruction& instruction = source_.instructions[index];
  Op& op = out_.ops[index];
  for (Slot& slot : op.slots) slot = NO_SLOT;
  if (instruction.guard != ptx::NONE) {
    op.guard = slots_[instruction.guard];
    op.guard_negated = instruction.guard_negated;
  }
  const auto operands = source_.operands_of(instruction);
  const Decode decoder = DECODERS[size_t(instruction.form->op)];
  if ((this->*decoder)(op, *instruction.form, operands) && (op.run || op.kind != OpKind::PLAIN))
    return;
  op.run = raise_unsupported;
  op.kind = OpKind::PLAIN;
}

const Decoder::Decode Decoder::DECODERS[] = {
    &Decoder::decode_unsupported,
#define PTX_OPCODE(id, name, groups, types, type_count, pattern, decoder) \
  &Decoder::decode_##decoder,
#include "ptx/opcodes.inc"
#undef PTX_OPCODE
};

bool Decoder::decode_unsupported(Op&, const Form&, Operands) { return false; }

bool Decoder::decode_nothing(Op& op, const Form&, Operands) { return plain(op, nothing); }
bool Decoder::decode_fence(Op& op, const Form&, Operands) { return plain(op, fence); }
bool Decoder::decode_trap(Op& op, const Form&, Operands) { return plain(op, trap); }
bool Decoder::decode_breakpoint(Op& op, const Form&, Operands) { return plain(op, breakpoint); }

bool Decoder::plain(Op& op, Handler handler) {
  op.run = handler;
  return true;
}

bool Decoder::decode_regular(Op& op, const Form& form, Operands operands) {
  const bool mixes = form.types[0] == Type::f32 && form.type_count == 2 &&
                     (form.op == Opcode::add || form.op == Opcode::sub || form.op == Opcode::fma);
  if (mixes || form.types[0] == Type::f32x2) return decode_float_pair(op, form, operands);
  const char* letter = PATTERNS[size_t(form.op)];
  if (std::strpbrk(letter, "_*")) return false;  // operands with a special rule
  for (size_t k = 0; k < operands.size() && k < std::size(op.slots) && *letter; ++k, ++letter) {
    const Operand& operand = operands[k];
    const unsigned width = pattern_width(*letter, form);
    if (*letter == 'P' || *letter == 'q') {
      op.at(RESULT, k) = destination(operand, 0);
    } else if (*letter == 'p') {
      op.at(RESULT, k) = predicate(operand);
      op.target |= operand.negated;
    } else if (k == 0) {
      op.at(RESULT, k) = destination(operand, width);
    } else if (operand.kind != OperandKind::NONE) {
      op.at(RESULT, k) = form.types[0] == Type::pred ? predicate(operand) : source(operand, width);
    }
    if (letter[1] == '?') ++letter;
  }
  op.run = regular_handler(op, form, {});
  return op.run != nullptr;
}

Handler Decoder::regular_handler(Op& op, const Form& form, Widths) {
  const Type type = form.types[0];
  switch (form.op) {
    case Opcode::addc:
    case Opcode::subc:
    case Opcode::madc:
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mad:
      op.imm = form.has(ptx::FLAG_CC);
      break;
    case Opcode::prmt:
      if (form.mode != ptx::Mode::none) op.imm = uint64_t(form.mode) - uint64_t(ptx::Mode::f4e);
      break;
    case Opcode::testp:
      op.imm = uint64_t(form.mode);
      break;
    default:
      break;
  }
  auto take = [&op](const Comparison& chosen) {
    op.imm = chosen.imm;
    return chosen.run;
  };
  if (is_packed(type)) return take(select_packed(form));
  if (!ptx::is_float(type)) {
    if (Handler h = set_.integer(form)) return h;
    if (Handler h = set_.bits(form)) return h;
  }
  if (Handler h = set_.compare(form)) return h;
  if (Handler h = set_.approximate(form)) return h;
  if (op[THIRD] != NO_SLOT && (form.op == Opcode::min || form.op == Opcode::max))
    return set_.minmax3(form);
  if (Handler h = set_.real(form)) return h;
  if (Handler h = take(select_half(form, op[THIRD] != NO_SLOT))) return h;
  return take(select_rounding(form));
}

// setp {p, q, a, b, c}; set {d, a, b, c}
bool Decoder::decode_compare(Op& op, const Form& form, Operands operands) {
  const bool is_set = form.op == Opcode::set;
  const size_t first = is_set ? 1 : 2;
  const unsigned width = lane_bytes(form.types[is_set ? 1 : 0]);
  op[RESULT] = destination(operands[0], 0);
  op[FIRST] = source(operands[first], width);
  op[SECOND] = source(operands[first + 1], width);
  const Operand& third = operands[first + 2];
  if (third.kind != OperandKind::NONE) op[THIRD] = predicate(third);
  const bool second = !is_set && operands[1].kind == OperandKind::REG;
  if (second) op[SECOND_RESULT] = reg(operands[1]);
  if (!is_set && !second && op[THIRD] == NO_SLOT && (op.run = set_.compare(form))) return true;
  Comparison chosen = set_.comparison(form);
  if (!chosen.run) chosen = select_half_compare(form);
  op.run = chosen.run;
  op.imm = chosen.imm;
  op.target = uint32_t{third.negated} | uint32_t(form.operation) << 1 |
              uint32_t{is_set && form.types[0] == Type::f32} << 9;
  return op.run != nullptr;
}

// lop3 {d, p, a, b, c, lut, q}
bool Decoder::decode_lop3(Op& op, const Form& form, Operands operands) {
  op[RESULT] = destination(operands[0], 4);
  for (int k = 0; k < 3; ++k) op.at(FIRST, size_t(k)) = source(operands[size_t(k) + 2], 4);
  op.imm = operands[5].bits;
  if (operands[1].kind != OperandKind::NONE) {
    if (operands[6].kind != OperandKind::REG) return false;
    op[SECOND_RESULT] = destination(operands[1], 0);
    op[PREDICATE] = predicate(operands[6]);
    op.target = operands[6].negated;
  }
  op.run = set_.bits(form);
  return true;
}

bool Decoder::decode_convert(Op& op, const Form& form, Operands operands) {
  Widths widths;
  widths.d = uint8_t(operands[0].kind == OperandKind::REG ? width_of(operands[0])
                                                          : lane_bytes(form.types[0]));
  op[RESULT] = destination(operands[0], widths.d);
  const Type from = form.types[form.type_count > 1 ? 1 : 0];
  for (size_t k = 1; k < operands.size(); ++k) {
    const Operand& operand = operands[k];
    if (operand.kind == OperandKind::NONE) continue;
    if (operand.kind == OperandKind::VECTOR) {  // four sources, and random bits
      const auto elements = source_.elements_of(operand);
      for (size_t i = 0; i < elements.size(); ++i) op.at(FIRST, i) = source(elements[i], 4);
      op.at(FIRST, elements.size()) = source(operands[3], 4);
      break;
    }
    const unsigned width = operand.kind == OperandKind::REG ? width_of(operand) : lane_bytes(from);
    if (k == 1) widths.a = uint8_t(width);
    op.at(RESULT, k) = source(operand, width);
  }
  if (operands.size() < 3 || operands[2].kind == OperandKind::NONE) {
    if ((op.run = set_.convert(form, widths))) return true;
  }
  const Comparison chosen = select_any_convert(form, widths);
  op.run = chosen.run;
  op.imm = chosen.imm;
  return op.run != nullptr;
}

bool Decoder::decode_convert_pack(Op& op, const Form& form, Operands operands) {
  op[RESULT] = reg(operands[0]);
  op[FIRST] = source(operands[1], 4);
  op[SECOND] = source(operands[2], 4);
  op[THIRD] = operands[3].kind == OperandKind::NONE ? constant(0, 4) : source(operands[3], 4);
  const Type type = form.types[0];
  op.imm = type == Type::u2 || type == Type::s2 ? 2
           : ptx::is_nibble(type)               ? 4
                                                : 8 * ptx::size_of(type);
  const bool has_sign = ptx::is_signed(type) || type == Type::s2 || type == Type::s4;
  return plain(op, has_sign ? convert_pack_signed : convert_pack_unsigned);
}

namespace {

// Returns the parts of a source as 12 bits; all of its own ones if the text selects none.
uint32_t selected_parts(const ptx::Form& form, const ptx::Operand& source, bool is_second) {
  const bool packs = form.op >= Opcode::vadd2;
  const bool is_register = source.kind == OperandKind::REG;
  const auto selector = is_register ? ptx::VideoSelector::of(source) : ptx::VideoSelector{};
  if (!packs) return selector.part_bytes << 3 | selector.parts;
  if (selector.part_bytes != 0) return selector.parts;
  const bool has_bytes = ptx::name_of(form.op).ends_with('4');
  if (has_bytes) return is_second ? 07654 : 03210;
  return is_second ? 032 : 010;
}

// Returns the parts of the result: a mask, or the part of a scalar result.
uint32_t written_parts(const ptx::Form& form, const ptx::Operand& result) {
  const auto selector = ptx::VideoSelector::of(result);
  if (form.op < Opcode::vadd2) return selector.part_bytes << 3 | selector.parts;
  if (selector.part_bytes == 0) return 0xf;
  uint32_t mask = 0;
  for (uint32_t k = 0; k < selector.count; ++k) mask |= 1u << selector.part(k);
  return mask;
}

}  // namespace

// Pairs of floats, and sums of f32 with halves {d, a, b, c}. Factors and first addends can be
// halves.
bool Decoder::decode_float_pair(Op& op, const Form& form, Operands operands) {
  const unsigned own = lane_bytes(form.types[0]);
  const size_t halves = form.type_count < 2 ? 0 : form.op == Opcode::fma ? 2 : 1;
  op[RESULT] = reg(operands[0]);
  for (size_t k = 1; k < operands.size(); ++k)
    op.at(RESULT, k) = source(operands[k], k <= halves ? 2 : own);
  const Comparison chosen = select_float_pair(form);
  op.run = chosen.run;
  op.imm = chosen.imm;
  return op.run != nullptr;
}

// Video instructions {d, a, b, c}
bool Decoder::decode_video(Op& op, const Form& form, Operands operands) {
  op[RESULT] = reg(operands[0]);
  for (size_t k = 1; k < operands.size(); ++k)
    if (operands[k].kind != OperandKind::NONE) op.at(RESULT, k) = source(operands[k], 4);
  op.target = written_parts(form, operands[0]) |
              selected_parts(form, operands[1], false) << VIDEO_A |
              selected_parts(form, operands[2], true) << VIDEO_B;
  for (size_t k = 1; k < operands.size(); ++k)
    op.target |= uint32_t{operands[k].negated} << (VIDEO_SIGNS + k - 1);
  const Comparison chosen = select_video(form);
  op.imm = chosen.imm;
  op.run = chosen.run;
  return op.run != nullptr;
}

// ---- operands

unsigned Decoder::width_of(const Operand& operand) const {
  return lane_bytes(source_.registers[operand.index]);
}

Slot Decoder::constant(uint64_t bits, unsigned width) {
  if (width < 8) bits &= (uint64_t{1} << (8 * width)) - 1;
  if (constant_bytes_ >= MAX_CONSTANT_BYTES) throw std::bad_alloc();
  const auto [it, is_new] = constants_.try_emplace({bits, width}, constant_bytes_ | CONSTANT_BASE);
  if (is_new) constant_bytes_ += std::max(64u, width * uint32_t{LANES});
  return it->second;
}

Slot Decoder::source(const Operand& operand, unsigned width) {
  if (operand.kind == OperandKind::REG) return reg(operand);
  return constant(operand.bits, width == 0 ? 4 : width);
}

Slot Decoder::destination(const Operand& operand, unsigned) {
  return operand.kind == OperandKind::REG ? reg(operand) : scratch_;
}

// An immediate predicate is true for all lanes or none.
Slot Decoder::predicate(const Operand& operand) {
  if (operand.kind == OperandKind::REG) return reg(operand);
  return constant(operand.bits ? FULL_MASK : 0, 4);
}

bool Decoder::is_kernel_input(uint32_t variable) const {
  return source_.is_entry && variable < source_.return_count + source_.input_count;
}

}  // namespace cucore::cpu
