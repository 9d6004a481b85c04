// Register layout, constants, basic blocks, and the instructions with regular operands.
#include "cpu/exec/decoder.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/exec/fault.hpp"

namespace cucpu {

using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;

namespace {

constexpr u32 kMaxConstantBytes = u32{1} << 30;  // of a function: slots have 32 bits

constexpr const char* kPatterns[] = {
    "",  // unsupported
#define PTX_OPCODE(id, name, groups, types, type_count, pattern) pattern,
#include "cpu/ptx/opcodes.inc"
#undef PTX_OPCODE
};

u32 round_up(u32 value, u32 align) { return (value + align - 1) & ~(align - 1); }

unsigned lane_bytes(Type type) {
  if (type == Type::pred) return 0;
  return std::max(2u, ptx::size_of(type));
}

bool is_packed(Type t) { return t == Type::u16x2 || t == Type::s16x2; }

// Bytes that an operand with this letter in the opcode's pattern has in each lane; 0: a predicate.
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

const char* pattern_of(Opcode op) { return kPatterns[size_t(op)]; }

AlignedBytes make_aligned(size_t bytes) {
  const size_t size = std::max<size_t>(bytes, 64);
  auto* p = static_cast<std::byte*>(::operator new[](size, std::align_val_t{64}));
  std::memset(p, 0, size);
  return AlignedBytes(p);
}

void Decoder::run() {
  lay_out_registers();
  lay_out_parameters();
  const u32 count = u32(source_.instructions.size());
  out_.ops.resize(count + 1);
  leaders_.assign(count + 1, false);
  for (u32 i = 0; i < count; ++i) decode(i);
  out_.ops[count].kind = OpKind::End;
  find_batches();
  place_constants();
}

void Decoder::lay_out_registers() {
  u32 offset = 0;
  slots_.resize(source_.registers.size());
  for (size_t i = 0; i < slots_.size(); ++i) {
    const unsigned bytes = lane_bytes(source_.registers[i]);
    if (bytes == 0) continue;
    slots_[i] = offset;
    // The halves of 128-bit registers lie apart, see pack().
    for (unsigned half = 0; half < bytes; half += 8)
      out_.layout.push_back({offset + half * kLanes, std::min(8u, bytes - half)});
    offset += bytes * kLanes;
  }
  scratch_ = offset;
  offset += 16 * kLanes;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (source_.registers[i] != Type::pred) continue;
    slots_[i] = offset;
    out_.layout.push_back({offset, 0});
    offset += 4;
  }
  out_.register_bytes = round_up(offset, 64);
}

void Decoder::lay_out_parameters() {
  auto place = [&](const ptx::Variable& v) {
    if (v.is_register)
      return Argument{Argument::Register, slots_[v.reg], 0, lane_bytes(source_.registers[v.reg])};
    return Argument{Argument::Param, 0, u32(v.offset), u32(v.size)};
  };
  for (const auto& v : source_.returns()) out_.returns.push_back(place(v));
  for (const auto& v : source_.inputs()) out_.inputs.push_back(place(v));
  out_.param_bytes = round_up(u32(source_.param_frame_bytes), 16);
  out_.local_bytes = round_up(u32(source_.local_bytes), std::max(16u, source_.local_align));
}

void Decoder::place_constants() {
  out_.constants = make_aligned(constant_bytes_);
  for (const auto& [key, slot] : constants_) {
    std::byte* p = out_.constants.get() + (slot & ~u32{3});
    for (int l = 0; l < kLanes; ++l)
      std::memcpy(p + size_t(l) * key.second, &key.first, std::min(key.second, 8u));
  }
}

// A batch is what may run without a look at guards, branches and other groups of the warp.
void Decoder::find_batches() {
  for (size_t i = out_.ops.size() - 1; i-- > 0;) {
    Op& op = out_.ops[i];
    if (op.kind != OpKind::Plain || op.guard != kNoSlot) continue;
    const bool ends = leaders_[i + 1] || out_.ops[i + 1].batch >= 4096;
    op.batch = u16(1 + (ends ? 0 : out_.ops[i + 1].batch));
  }
}

void Decoder::decode(u32 index) {
  const Instruction& instruction = source_.instructions[index];
  Op& op = out_.ops[index];
  for (Slot& slot : op.a) slot = kNoSlot;
  if (instruction.guard != ptx::kNone) {
    op.guard = slots_[instruction.guard];
    op.guard_negated = instruction.guard_negated;
  }
  const auto operands = source_.operands_of(instruction);
  if (instruction.form->op != Opcode::unsupported &&
      decode_special(op, *instruction.form, operands) && (op.run || op.kind != OpKind::Plain))
    return;
  op.run = raise_unsupported;
  op.kind = OpKind::Plain;
}

bool Decoder::decode_special(Op& op, const Form& form, Operands operands) {
  switch (form.op) {
    case Opcode::mov:
      return decode_mov(op, form, operands);
    case Opcode::cvta:
      return decode_cvta(op, form, operands);
    case Opcode::isspacep:
      return decode_isspacep(op, form, operands);
    case Opcode::mapa:
    case Opcode::getctarank:
      return decode_mapa(op, form, operands);
    case Opcode::cvt:
      return decode_convert(op, form, operands);
    case Opcode::setp:
    case Opcode::set:
      return decode_compare(op, form, operands);
    case Opcode::lop3:
      return decode_lop3(op, form, operands);
    case Opcode::ld:
    case Opcode::ldu:
      return decode_load(op, form, operands);
    case Opcode::st:
      return decode_store(op, form, operands);
    case Opcode::atom:
    case Opcode::red:
      return decode_atomic(op, form, operands);
    case Opcode::cp_async:
      return decode_copy_async(op, form, operands);
    case Opcode::createpolicy:
      return decode_policy(op, operands);
    case Opcode::cp_async_bulk:
      return decode_copy_bulk(op, form, operands);
    case Opcode::mbarrier_init:
    case Opcode::mbarrier_inval:
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_drop:
    case Opcode::mbarrier_arrive_expect_tx:
    case Opcode::mbarrier_arrive_drop_expect_tx:
    case Opcode::mbarrier_expect_tx:
    case Opcode::mbarrier_complete_tx:
    case Opcode::mbarrier_test_wait:
    case Opcode::mbarrier_test_wait_parity:
    case Opcode::mbarrier_try_wait:
    case Opcode::mbarrier_try_wait_parity:
    case Opcode::mbarrier_pending_count:
    case Opcode::cp_async_mbarrier_arrive_noinc:
      return decode_mbarrier(op, form, operands);
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::applypriority:
    case Opcode::pmevent:
    case Opcode::cp_async_commit_group:
    case Opcode::cp_async_wait_group:
    case Opcode::cp_async_wait_all:
    case Opcode::cp_async_bulk_commit_group:
    case Opcode::cp_async_bulk_wait_group:
    case Opcode::cp_async_mbarrier_arrive:  // the copy is done: one arrival more and one arrival
    case Opcode::griddepcontrol_wait:
    case Opcode::griddepcontrol_launch_dependents:
    case Opcode::discard:
      return decode_simple(op, nothing);
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::fence_proxy:
    case Opcode::fence_mbarrier_init:
      return decode_simple(op, fence);
    case Opcode::trap:
      return decode_simple(op, trap);
    case Opcode::brkpt:
      return decode_simple(op, breakpoint);
    case Opcode::bra:
      op.target = operands[0].index;
      leaders_[op.target] = true;
      return control(op, OpKind::Branch);
    case Opcode::brx_idx:
      return decode_branch_table(op, operands);
    case Opcode::call:
      return decode_call(op, operands);
    case Opcode::ret:
      return control(op, source_.is_entry ? OpKind::Exit : OpKind::Return);
    case Opcode::exit:
      return control(op, OpKind::Exit);
    case Opcode::nanosleep:
      return control(op, OpKind::Yield) && decode_simple(op, nothing);
    case Opcode::bar_sync:
    case Opcode::bar_arrive:
    case Opcode::bar_red:
    case Opcode::bar_warp_sync:
    case Opcode::barrier_cluster_arrive:
    case Opcode::barrier_cluster_wait:
      return decode_barrier(op, form, operands);
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::activemask:
    case Opcode::elect:
      return decode_warp_op(op, form, operands);
    default:
      return decode_regular(op, form, operands);
  }
}

bool Decoder::decode_simple(Op& op, Handler handler) {
  op.run = handler;
  return true;
}

bool Decoder::decode_regular(Op& op, const Form& form, Operands operands) {
  const char* letter = kPatterns[size_t(form.op)];
  if (std::strpbrk(letter, "_*")) return false;  // operands with a rule of their own
  for (size_t k = 0; k < operands.size() && k < std::size(op.a) && *letter; ++k, ++letter) {
    const Operand& operand = operands[k];
    const unsigned width = pattern_width(*letter, form);
    if (*letter == 'P' || *letter == 'q') {
      op.a[k] = destination(operand, 0);
    } else if (*letter == 'p') {
      op.a[k] = predicate(operand);
      op.target |= operand.negated;
    } else if (k == 0) {
      op.a[k] = destination(operand, width);
    } else if (operand.kind != OperandKind::none) {
      op.a[k] = form.types[0] == Type::pred ? predicate(operand) : source(operand, width);
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
      op.imm = form.has(ptx::kFlagCc);
      break;
    case Opcode::prmt:
      if (form.mode != ptx::Mode::none) op.imm = u64(form.mode) - u64(ptx::Mode::f4e);
      break;
    case Opcode::testp:
      op.imm = u64(form.mode);
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
  if (op.a[3] != kNoSlot && (form.op == Opcode::min || form.op == Opcode::max))
    return set_.minmax3(form);
  if (Handler h = set_.real(form)) return h;
  if (Handler h = take(select_half(form, op.a[3] != kNoSlot))) return h;
  if (Handler h = take(select_rounding(form))) return h;
  return take(select_video(form));
}

// setp {p, q, a, b, c}; set {d, a, b, c}. Slots: a[1] and a[2] are compared, a[3] combined, a[4] is
// q.
bool Decoder::decode_compare(Op& op, const Form& form, Operands operands) {
  const bool is_set = form.op == Opcode::set;
  const size_t first = is_set ? 1 : 2;
  const unsigned width = lane_bytes(form.types[is_set ? 1 : 0]);
  op.a[0] = destination(operands[0], 0);
  op.a[1] = source(operands[first], width);
  op.a[2] = source(operands[first + 1], width);
  const Operand& third = operands[first + 2];
  if (third.kind != OperandKind::none) op.a[3] = predicate(third);
  const bool second = !is_set && operands[1].kind == OperandKind::reg;
  if (second) op.a[4] = reg(operands[1]);
  if (!is_set && !second && op.a[3] == kNoSlot && (op.run = set_.compare(form))) return true;
  Comparison chosen = set_.comparison(form);
  if (!chosen.run) chosen = select_half_compare(form);
  op.run = chosen.run;
  op.imm = chosen.imm;
  op.target = u32{third.negated} | u32(form.operation) << 1 |
              u32{is_set && form.types[0] == Type::f32} << 9;
  return op.run != nullptr;
}

// lop3 {d, p, a, b, c, lut, q}
bool Decoder::decode_lop3(Op& op, const Form& form, Operands operands) {
  op.a[0] = destination(operands[0], 4);
  for (int k = 0; k < 3; ++k) op.a[1 + k] = source(operands[size_t(k) + 2], 4);
  op.imm = operands[5].bits;
  if (operands[1].kind != OperandKind::none) {
    if (operands[6].kind != OperandKind::reg) return false;
    op.a[4] = destination(operands[1], 0);
    op.a[5] = predicate(operands[6]);
    op.target = operands[6].negated;
  }
  op.run = set_.bits(form);
  return true;
}

bool Decoder::decode_convert(Op& op, const Form& form, Operands operands) {
  Widths widths;
  widths.d =
      u8(operands[0].kind == OperandKind::reg ? width_of(operands[0]) : lane_bytes(form.types[0]));
  op.a[0] = destination(operands[0], widths.d);
  const Type from = form.types[form.type_count > 1 ? 1 : 0];
  for (size_t k = 1; k < operands.size(); ++k) {
    const Operand& operand = operands[k];
    if (operand.kind == OperandKind::none) continue;
    const unsigned width = operand.kind == OperandKind::reg ? width_of(operand) : lane_bytes(from);
    if (k == 1) widths.a = u8(width);
    op.a[k] = source(operand, width);
  }
  if (operands.size() < 3 || operands[2].kind == OperandKind::none) {
    if ((op.run = set_.convert(form, widths))) return true;
  }
  const Comparison chosen = select_any_convert(form, widths);
  op.run = chosen.run;
  op.imm = chosen.imm;
  return op.run != nullptr;
}

// ---- operands

unsigned Decoder::width_of(const Operand& operand) const {
  return lane_bytes(source_.registers[operand.index]);
}

Slot Decoder::constant(u64 bits, unsigned width) {
  if (width < 8) bits &= (u64{1} << (8 * width)) - 1;
  if (constant_bytes_ >= kMaxConstantBytes) throw std::bad_alloc();
  const auto [it, is_new] = constants_.try_emplace({bits, width}, constant_bytes_ | kConstantBase);
  if (is_new) constant_bytes_ += std::max(64u, width * u32{kLanes});
  return it->second;
}

Slot Decoder::source(const Operand& operand, unsigned width) {
  if (operand.kind == OperandKind::reg) return reg(operand);
  return constant(operand.bits, width == 0 ? 4 : width);
}

Slot Decoder::destination(const Operand& operand, unsigned) {
  return operand.kind == OperandKind::reg ? reg(operand) : scratch_;
}

// An immediate predicate is all lanes or none.
Slot Decoder::predicate(const Operand& operand) {
  if (operand.kind == OperandKind::reg) return reg(operand);
  return constant(operand.bits ? kFullMask : 0, 4);
}

bool Decoder::is_kernel_input(u32 variable) const {
  return source_.is_entry && variable < source_.return_count + source_.input_count;
}

}  // namespace cucpu
