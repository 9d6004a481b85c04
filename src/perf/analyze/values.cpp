// SPDX-License-Identifier: Apache-2.0
#include "perf/analyze/values.hpp"

#include <bit>

#include "perf/analyze/ptx_class.hpp"
#include "ptx/forms.hpp"

namespace cucore::perf {
namespace {

using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::SpecialRegister;

// After so many rounds the values that still change become unknown.
constexpr int MOST_ROUNDS = 24;

Value unknown() { return {.kind = Step::UNKNOWN, .of_thread = true}; }

int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }
int64_t sum(int64_t a, int64_t b) {
  return wrap(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t product(int64_t a, int64_t b) {
  return wrap(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

Value with_flags(Value value, const Value& a, const Value& b) {
  value.of_thread = a.of_thread || b.of_thread;
  value.of_block = a.of_block || b.of_block;
  value.of_memory = a.of_memory || b.of_memory;
  value.is_float = a.is_float || b.is_float;
  return value;
}

bool is_pending(const Value& a, const Value& b) {
  return a.kind == Step::NONE || b.kind == Step::NONE;
}

// The result of an operation that is not linear: equal operands result in equal values.
Value mixed(const Value& a, const Value& b) {
  if (is_pending(a, b)) return {};
  Value value = with_flags({}, a, b);
  const bool equal = a.kind == Step::KNOWN && b.kind == Step::KNOWN && a.step == 0 && b.step == 0;
  value.kind = equal ? Step::KNOWN : Step::UNKNOWN;
  return value;
}

Value added(const Value& a, const Value& b, int64_t sign) {
  if (is_pending(a, b)) return {};
  Value value = with_flags({}, a, b);
  if (a.kind == Step::KNOWN && b.kind == Step::KNOWN) {
    value.kind = Step::KNOWN;
    value.step = sum(a.step, product(b.step, sign));
    if (a.constant && b.constant) value.constant = sum(*a.constant, product(*b.constant, sign));
  } else {
    const bool known = a.kind != Step::UNKNOWN && b.kind != Step::UNKNOWN;
    // A variable step plus a known one is still a variable step.
    value.kind = known ? Step::UNIFORM : Step::UNKNOWN;
  }
  return value;
}

Value multiplied(const Value& a, const Value& b) {
  if (is_pending(a, b)) return {};
  Value value = with_flags({}, a, b);
  if (a.constant && b.constant) {
    value.kind = Step::KNOWN;
    value.constant = product(*a.constant, *b.constant);
    return value;
  }
  for (const auto& [factor, other] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    if (!factor->constant) continue;
    value.kind = *factor->constant == 0 ? Step::KNOWN : other->kind;
    if (value.kind == Step::KNOWN) value.step = product(other->step, *factor->constant);
    return value;
  }
  const bool a_equal = a.kind == Step::KNOWN && a.step == 0;
  const bool b_equal = b.kind == Step::KNOWN && b.step == 0;
  if (a_equal && b_equal)
    value.kind = Step::KNOWN;
  else if ((a_equal && b.kind != Step::UNKNOWN) || (b_equal && a.kind != Step::UNKNOWN))
    value.kind = Step::UNIFORM;
  else
    value.kind = Step::UNKNOWN;
  return value;
}

Value joined(const Value& a, const Value& b) {
  if (a.kind == Step::NONE) return b;
  if (b.kind == Step::NONE) return a;
  Value value = with_flags({}, a, b);
  value.kind = a.kind == b.kind && a.step == b.step ? a.kind : Step::UNKNOWN;
  if (value.kind == Step::KNOWN) value.step = a.step;
  if (a.constant && a.constant == b.constant) value.constant = a.constant;
  return value;
}

// NVVM writes a sum of disjoint bits as `or`.
Value or_of(const Value& a, const Value& b) {
  for (const auto& [bits, other] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    if (!bits->constant || other->kind != Step::KNOWN || *bits->constant < 0) continue;
    const auto low = static_cast<uint64_t>(*bits->constant);
    const uint64_t unit =
        other->step == 0 ? 0 : uint64_t{1} << std::countr_zero(static_cast<uint64_t>(other->step));
    if (low < unit) return added(a, b, 1);
  }
  return mixed(a, b);
}

Value special(uint32_t index, uint8_t component) {
  switch (static_cast<SpecialRegister>(index)) {
    case SpecialRegister::tid:
      return {.kind = Step::KNOWN, .of_thread = true, .step = component == 0 ? 1 : 0};
    case SpecialRegister::laneid:
      return {.kind = Step::KNOWN, .of_thread = true, .step = 1};
    case SpecialRegister::warpid:
      return {.kind = Step::KNOWN, .of_thread = true};
    case SpecialRegister::ctaid:
    case SpecialRegister::clusterid:
    case SpecialRegister::cluster_ctaid:
    case SpecialRegister::cluster_ctarank:
      return {.kind = Step::KNOWN, .of_block = true};
    case SpecialRegister::lanemask_eq:
    case SpecialRegister::lanemask_le:
    case SpecialRegister::lanemask_lt:
    case SpecialRegister::lanemask_ge:
    case SpecialRegister::lanemask_gt:
    case SpecialRegister::clock:
    case SpecialRegister::clock_hi:
    case SpecialRegister::clock64:
      return unknown();
    default:
      return Value::equal_in_all_threads();
  }
}

}  // namespace

Value Value::of_constant(int64_t value) { return {.kind = Step::KNOWN, .constant = value}; }
Value Value::equal_in_all_threads() { return {.kind = Step::KNOWN}; }

Values::Values(const ptx::Function& function)
    : function_(function), registers_(function.registers.size()) {
  bool changes = true;
  for (int round = 0; changes && round < MOST_ROUNDS; ++round) {
    changes = false;
    for (const ptx::Instruction& instruction : function.instructions)
      changes = visit(instruction) || changes;
  }
  for (Value& value : registers_)
    if (value.kind == Step::NONE || (changes && value.of_thread)) {
      const Value before = value;
      value = unknown();
      value.of_memory = before.of_memory;
      value.is_float = before.is_float;
    }
}

Value Values::of(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::REG:
      return registers_[operand.index];
    case OperandKind::IMMEDIATE:
      return Value::of_constant(static_cast<int64_t>(operand.bits));
    case OperandKind::SYMBOL:
      return Value::of_constant(static_cast<int64_t>(operand.bits));
    case OperandKind::SPECIAL:
      return special(operand.index, operand.component);
    case OperandKind::MEMORY:
      return of_address(operand);
    case OperandKind::VECTOR:
    case OperandKind::LIST: {
      Value value = Value::equal_in_all_threads();
      for (const Operand& element : function_.elements_of(operand))
        value = mixed(value, of(element));
      return value;
    }
    default:
      return Value::equal_in_all_threads();
  }
}

Value Values::of_address(const Operand& memory) const {
  if (memory.base != ptx::Base::REG || memory.kind != OperandKind::MEMORY)
    return Value::of_constant(static_cast<int64_t>(memory.bits));
  return added(registers_[memory.index], Value::of_constant(static_cast<int64_t>(memory.bits)), 1);
}

Value Values::loaded(const ptx::Form& form, const Operand& memory) const {
  if (form.space == ptx::Space::param && memory.base == ptx::Base::LOCAL_VARIABLE)
    return memory.index < function_.return_count + function_.input_count && function_.is_entry
               ? Value::equal_in_all_threads()
               : unknown();
  const Value address = of_address(memory);
  if (address.kind == Step::NONE) return {};
  Value value = with_flags({}, address, {});
  value.of_memory = true;
  const bool equal = address.kind == Step::KNOWN && address.step == 0;
  value.kind = equal && form.space != ptx::Space::local ? Step::KNOWN : Step::UNKNOWN;
  return value;
}

Value Values::result(const ptx::Instruction& instruction, std::span<const Operand> operands) const {
  const ptx::Form& form = *instruction.form;
  const auto at = [&](size_t slot) { return of(operands[slot]); };
  switch (form.op) {
    case Opcode::mov:
    case Opcode::cvta:
      return at(1);
    case Opcode::ld:
    case Opcode::ldu:
      return loaded(form, operands[1]);
    case Opcode::cvt: {
      Value value = at(1);
      if (!ptx::is_float(form.types[0]) && !ptx::is_float(form.types[1])) return value;
      return mixed(value, value);
    }
    case Opcode::selp: {
      const Value chosen = joined(at(1), at(2));
      const Value by = at(3);
      if (is_pending(chosen, by)) return chosen;
      Value value = with_flags(chosen, chosen, by);
      if (by.of_thread && !value.constant) value.kind = Step::UNKNOWN;
      return value;
    }
    case Opcode::bar_red:
    case Opcode::vote:
    case Opcode::redux:
    case Opcode::activemask:
      return Value::equal_in_all_threads();
    case Opcode::atom:
    case Opcode::shfl:
    case Opcode::match:
    case Opcode::elect:
    case Opcode::call:
    case Opcode::mma:
    case Opcode::wmma_mma:
    case Opcode::ldmatrix:
      return unknown();
    default:
      break;
  }
  if (!ptx::is_float(form.types[0]) || form.type_count == 0) {
    switch (form.op) {
      case Opcode::add:
        return added(at(1), at(2), 1);
      case Opcode::sub:
        return added(at(1), at(2), -1);
      case Opcode::neg:
        return added(Value::of_constant(0), at(1), -1);
      case Opcode::mul:
        if (form.mul == ptx::MulMode::hi) break;
        return multiplied(at(1), at(2));
      case Opcode::mad:
        if (form.mul == ptx::MulMode::hi) break;
        return added(multiplied(at(1), at(2)), at(3), 1);
      case Opcode::shl: {
        const Value shift = at(2);
        if (!shift.constant || *shift.constant < 0 || *shift.constant > 62) break;
        return multiplied(at(1), Value::of_constant(int64_t{1} << *shift.constant));
      }
      case Opcode::or_:
        return or_of(at(1), at(2));
      default:
        break;
    }
  }
  Value value = Value::equal_in_all_threads();
  for (size_t slot = 0; slot < operands.size(); ++slot)
    if (!is_destination(form, slot) && operands[slot].kind != OperandKind::NONE)
      value = mixed(value, at(slot));
  value.is_float = value.is_float || class_of(form) == InstructionClass::F32 ||
                   class_of(form) == InstructionClass::F64;
  return value;
}

bool Values::visit(const ptx::Instruction& instruction) {
  const auto operands = function_.operands_of(instruction);
  bool changes = false;
  std::optional<Value> value;
  for (size_t slot = 0; slot < operands.size(); ++slot) {
    if (!is_destination(*instruction.form, slot)) continue;
    if (!value) {
      value = result(instruction, operands);
      if (instruction.guard != ptx::NONE) {
        const Value& guard = registers_[instruction.guard];
        value->of_thread = value->of_thread || guard.of_thread;
      }
    }
    changes = join(operands[slot], *value) || changes;
  }
  return changes;
}

bool Values::join(const Operand& destination, const Value& value) {
  if (destination.kind == OperandKind::REG) return join(destination.index, value);
  bool changes = false;
  if (destination.kind == OperandKind::VECTOR || destination.kind == OperandKind::LIST)
    for (const Operand& element : function_.elements_of(destination))
      if (element.kind == OperandKind::REG) changes = join(element.index, value) || changes;
  return changes;
}

bool Values::join(uint32_t reg, const Value& value) {
  const Value after = joined(registers_[reg], value);
  if (after == registers_[reg]) return false;
  registers_[reg] = after;
  return true;
}

}  // namespace cucore::perf
