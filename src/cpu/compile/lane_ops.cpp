// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/lane_ops.hpp"

#include <algorithm>
#include <iterator>

#include "cpu/exec/access.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/handlers.hpp"

namespace cucore::cpu {
namespace {

using enum Regular;
using ptx::Compare;
using ptx::Form;
using ptx::MulMode;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Rounding;
using ptx::Type;

struct Row {
  Opcode op;
  Type type;
  Shape shape;
  Encoding encoding;
};
constexpr Row ROWS[] = {
#define LANE_OP(op, type, shape, map, prefix, opcode) \
  {Opcode::op, Type::type, Shape::shape, {map, prefix, opcode}},
#include "cpu/compile/lane_ops.inc"
#undef LANE_OP
};

constexpr uint8_t NO_CONDITION = 0xff;

uint8_t integer_condition(Compare c) {
  switch (c) {
    case Compare::eq:
      return 0;
    case Compare::lt:
    case Compare::lo:
      return 1;
    case Compare::le:
    case Compare::ls:
      return 2;
    case Compare::ne:
      return 4;
    case Compare::ge:
    case Compare::hs:
      return 5;
    case Compare::gt:
    case Compare::hi:
      return 6;
    default:
      return NO_CONDITION;
  }
}

// The quiet comparisons: those of a NaN with anything are false, and those with `u` true.
uint8_t real_condition(Compare c) {
  switch (c) {
    case Compare::eq:
      return 0x00;
    case Compare::ne:
      return 0x0c;
    case Compare::lt:
      return 0x11;
    case Compare::le:
      return 0x12;
    case Compare::gt:
      return 0x1e;
    case Compare::ge:
      return 0x1d;
    case Compare::equ:
      return 0x08;
    case Compare::neu:
      return 0x04;
    case Compare::ltu:
      return 0x19;
    case Compare::leu:
      return 0x1a;
    case Compare::gtu:
      return 0x16;
    case Compare::geu:
      return 0x15;
    case Compare::num:
      return 0x07;
    case Compare::nan:
      return 0x03;
    default:
      return NO_CONDITION;
  }
}

uint8_t rounding_of(Rounding r) {
  return r == Rounding::rm ? 1 : r == Rounding::rp ? 2 : r == Rounding::rz ? 3 : 0;
}

// Returns whether the instruction has no property besides those of its row.
bool is_plain(const Op& op, const Form& f, const LaneOp& lane) {
  const bool approximate = f.op == Opcode::rsqrt || f.op == Opcode::rcp || f.op == Opcode::sqrt;
  if ((f.flags & ~(approximate ? uint32_t{ptx::FLAG_APPROX} : 0)) != 0) return false;
  if (f.op == Opcode::rsqrt && !f.has(ptx::FLAG_APPROX)) return false;
  const bool rounds = lane.shape == Shape::REAL_BINARY || lane.shape == Shape::REAL_FUSED;
  if (f.rounding != Rounding::none && f.rounding != Rounding::rn && !(rounds && lane.rounding))
    return false;
  if (f.operation != ptx::Operation::none) return false;
  switch (lane.shape) {
    case Shape::MULTIPLY:
    case Shape::MULTIPLY_ADD:
      return f.mul == MulMode::lo || (lane.wide_product && !lane.wide);
    case Shape::LOGIC_3:
      return op[SECOND_RESULT] == NO_SLOT;
    case Shape::COMPARE:
      return op[THIRD] == NO_SLOT && op[SECOND_RESULT] == NO_SLOT && lane.condition != NO_CONDITION;
    case Shape::REAL_MIN:
    case Shape::REAL_MAX:
      return op[THIRD] == NO_SLOT;
    default:
      return true;
  }
}

LaneOp from_table(const Op& op, const Form& f) {
  for (const Row& row : ROWS) {
    if (row.op != f.op || row.type != f.types[0]) continue;
    LaneOp lane;
    lane.shape = row.shape;
    lane.encoding = row.encoding;
    lane.wide = ptx::size_of(row.type) == 8;
    lane.wide_product = f.mul == MulMode::wide;
    lane.is_signed = ptx::is_signed(row.type);
    lane.real = row.type == Type::f32 && row.shape != Shape::SELECT;
    lane.rounding = rounding_of(f.rounding);
    if (row.shape == Shape::COMPARE)
      lane.condition = lane.real ? real_condition(f.compare) : integer_condition(f.compare);
    return is_plain(op, f, lane) ? lane : LaneOp{};
  }
  return {};
}

// A mov of any kind whose handler only copies the lanes.
LaneOp copy(const Op& op) {
  const HandlerSet& set = handlers_for(Simd::AVX512);
  Form move;
  move.op = Opcode::mov;
  LaneOp lane;
  for (const Type type : {Type::b32, Type::b64, Type::pred}) {
    move.types[0] = type;
    if (op.run != set.move(move, {})) continue;
    lane.shape = type == Type::pred ? Shape::COPY_MASK : Shape::COPY;
    lane.wide = type == Type::b64;
  }
  return lane;
}

// A parameter of the launch at a fixed offset.
LaneOp parameter(const Op& op, const Form& f) {
  const unsigned bytes = ptx::size_of(f.types[0]);
  if ((bytes != 4 && bytes != 8) || f.vector != 1 || f.space != ptx::Space::param) return {};
  const Widths widths{uint8_t(bytes), 0, ParamKind::KERNEL};
  if (op.run != handlers_for(Simd::AVX512).load(f, widths) || op.imm >> 31) return {};
  LaneOp lane;
  lane.shape = Shape::PARAMETER;
  lane.wide = bytes == 8;
  return lane;
}

// A load of shared memory by a 32-bit address register.
LaneOp shared_load(const Op& op, const Form& f) {
  constexpr int32_t FARTHEST = 1 << 20;
  const auto offset = int32_t(op.imm);
  const bool narrow = op.target == (uint32_t(Region::SHARED) | NARROW);
  if (!narrow || ptx::size_of(f.types[0]) != 4 || f.vector > 4) return {};
  if (offset > FARTHEST || offset < -FARTHEST || offset % (4 * f.vector)) return {};
  if (op.run != handlers_for(Simd::AVX512).load(f, Widths{4, 4})) return {};
  LaneOp lane;
  lane.shape = Shape::SHARED_LOAD;
  lane.count = f.vector;
  return lane;
}

bool is_integer_of(Type type, unsigned bytes) {
  return !ptx::is_float(type) && ptx::size_of(type) == bytes && type != Type::u16x2 &&
         type != Type::s16x2;
}

LaneOp conversion(const DecodedFunction& function, const ptx::Instruction& instruction) {
  const Form& f = *instruction.form;
  const auto operands = function.source->operands_of(instruction);
  if (f.type_count != 2 || f.flags || operands.size() < 2) return {};
  for (size_t k = 2; k < operands.size(); ++k)
    if (operands[k].kind != OperandKind::NONE) return {};
  const Type to = f.types[0], from = f.types[1];
  for (const auto& [operand, type] : {std::pair(operands[0], to), std::pair(operands[1], from)})
    if (operand.kind != OperandKind::REG ||
        ptx::size_of(function.source->registers[operand.index]) != ptx::size_of(type))
      return {};
  LaneOp lane;
  lane.is_signed = ptx::is_signed(from);
  if (to == Type::f32 && is_integer_of(from, 4) && f.rounding == Rounding::rn) {
    lane.shape = Shape::TO_REAL;
    lane.encoding = lane.is_signed ? Encoding{1, 0, 0x5b} : Encoding{1, 3, 0x7a};
  } else if (is_integer_of(to, 8) && is_integer_of(from, 4) && f.rounding == Rounding::none) {
    lane.shape = Shape::EXTEND;
  } else if (is_integer_of(to, 4) && is_integer_of(from, 8) && f.rounding == Rounding::none) {
    lane.shape = Shape::NARROW;
  }
  return lane;
}

// The offset of an operand in machine code has 31 bits, and a frame may have 2 GiB.
bool is_far(const Op& op) {
  constexpr Slot FARTHEST = Slot{1} << 30;
  return std::any_of(std::begin(op.slots), std::end(op.slots),
                     [](Slot slot) { return slot != NO_SLOT && slot > FARTHEST; });
}

// Sums of f32 with operands of f16 or bf16 have handlers.
bool has_narrow_operands(const Form& f) {
  const bool sums = f.op == Opcode::add || f.op == Opcode::sub || f.op == Opcode::fma;
  return sums && f.type_count > 1;
}

}  // namespace

LaneOp lane_op(const DecodedFunction& function, size_t index) {
  const Op& op = function.ops[index];
  if (op.kind != OpKind::PLAIN || op.guard != NO_SLOT || op.run == raise_unsupported) return {};
  if (is_far(op)) return {};
  const ptx::Instruction& instruction = function.source->instructions[index];
  const Form& f = *instruction.form;
  if (has_narrow_operands(f)) return {};
  switch (f.op) {
    case Opcode::mov:
    case Opcode::cvta:
      return copy(op);
    case Opcode::ld:
      return f.space == ptx::Space::param ? parameter(op, f) : shared_load(op, f);
    case Opcode::cvt:
      return conversion(function, instruction);
    default:
      return from_table(op, f);
  }
}

}  // namespace cucore::cpu
