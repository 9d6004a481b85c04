// SPDX-License-Identifier: Apache-2.0
// A flow-insensitive analysis: a register has the same origin at all of its definitions, or none.
#include "cpu/checks/provenance.hpp"

namespace cucore::cpu {
namespace {

using ptx::Base;
using ptx::Opcode;
using ptx::OperandKind;

constexpr int MOST_PASSES = 8;  // origins that need more remain unknown

bool writes_first(Opcode op) {
  switch (op) {
    case Opcode::st:
    case Opcode::red:
    case Opcode::sust_b:
    case Opcode::sured_b:
    case Opcode::bra:
    case Opcode::brx_idx:
    case Opcode::call:
    case Opcode::bar_sync:
    case Opcode::bar_arrive:
    case Opcode::bar_warp_sync:
      return false;
    default:
      return true;
  }
}

}  // namespace

Provenance::Provenance(const DecodedFunction& function)
    : function_(function),
      source_(*function.source),
      facts_(source_.registers.size()),
      read_(source_.registers.size()),
      computed_with_(source_.registers.size()) {
  for (int pass = 0; pass < MOST_PASSES; ++pass)
    if (!refine()) return;
  for (Fact& fact : facts_) fact.kind = Kind::UNKNOWN;
}

Provenance::Fact Provenance::variable(Base base, uint32_t index) const {
  Fact fact;
  const bool of_module = base == Base::MODULE_VARIABLE;
  const auto& v = of_module ? function_.module->source->variables[index] : source_.variables[index];
  fact.kind = Kind::VARIABLE;
  fact.variable = {v.space, of_module ? function_.module->addresses[index] : v.offset, v.size,
                   v.is_unsized};
  return fact;
}

Provenance::Fact Provenance::fact_of(const ptx::Operand& operand) const {
  if (operand.kind == OperandKind::SYMBOL) return variable(operand.base, operand.index);
  if (operand.kind == OperandKind::REG && operand.index < facts_.size())
    return facts_[operand.index];
  if (operand.kind == OperandKind::IMMEDIATE || operand.kind == OperandKind::SPECIAL)
    return {Kind::NUMBER, {}};
  return {Kind::UNKNOWN, {}};
}

Provenance::Fact Provenance::sum(const Fact& a, const Fact& b) {
  if (a.kind == Kind::NONE || b.kind == Kind::NONE) return {};
  if (a.kind == Kind::NUMBER) return b;
  if (b.kind == Kind::NUMBER) return a;
  return {Kind::UNKNOWN, {}};
}

Provenance::Fact Provenance::either(const Fact& a, const Fact& b) {
  if (a.kind == Kind::NONE) return b;
  if (b.kind == Kind::NONE) return a;
  if (a.kind == b.kind && (a.kind != Kind::VARIABLE || a.variable == b.variable)) return a;
  return {Kind::UNKNOWN, {}};
}

// A sum with a value from memory or from a computation is derived from its other addend.
Provenance::Fact Provenance::result_of(const ptx::Instruction& instruction) const {
  const auto operands = source_.operands_of(instruction);
  switch (instruction.form->op) {
    case Opcode::mov:
    case Opcode::cvta:
      return fact_of(operands[1]);
    case Opcode::add:
      return sum(fact_of(operands[1]), fact_of(operands[2]));
    case Opcode::mad:
      return fact_of(operands[3]);
    case Opcode::selp:
      return either(fact_of(operands[1]), fact_of(operands[2]));
    default:
      return {Kind::NUMBER, {}};
  }
}

void Provenance::note_reads(const ptx::Operand& operand, std::vector<bool>& read) const {
  const bool base = operand.kind == OperandKind::MEMORY && operand.base == Base::REG;
  if (base || operand.kind == OperandKind::REG) read[operand.index] = true;
  if (operand.kind != OperandKind::VECTOR && operand.kind != OperandKind::LIST) return;
  for (const auto& e : source_.elements_of(operand))
    if (e.kind == OperandKind::REG) read[e.index] = true;
}

void Provenance::define(std::vector<Fact>& facts, const ptx::Operand& operand, const Fact& fact) {
  if (operand.kind == OperandKind::REG) facts[operand.index] = either(facts[operand.index], fact);
  if (operand.kind != OperandKind::VECTOR) return;
  for (const auto& e : source_.elements_of(operand))
    if (e.kind == OperandKind::REG) facts[e.index] = either(facts[e.index], {Kind::NUMBER, {}});
}

// Returns whether a fact changed.
bool Provenance::refine() {
  std::vector<Fact> now(facts_.size());
  for (const auto& v : source_.inputs())
    if (v.is_register) now[v.reg].kind = Kind::UNKNOWN;
  for (const auto& instruction : source_.instructions) {
    const auto operands = source_.operands_of(instruction);
    const bool writes = !operands.empty() && writes_first(instruction.form->op);
    const Opcode op = instruction.form->op;
    const bool copies = op == Opcode::st || (op == Opcode::mov && !is_computed_with(operands[0]));
    for (size_t k = writes ? 1 : 0; k < operands.size(); ++k) {
      note_reads(operands[k], read_);
      if (!copies || k == 0) note_reads(operands[k], computed_with_);
    }
    if (writes) define(now, operands[0], result_of(instruction));
  }
  bool changed = false;
  for (size_t i = 0; i < now.size(); ++i)
    changed |= now[i].kind != facts_[i].kind || !(now[i].variable == facts_[i].variable);
  facts_ = std::move(now);
  return changed;
}

std::optional<DerivedFrom> Provenance::of(const ptx::Operand& memory) const {
  if (memory.kind != OperandKind::MEMORY) return std::nullopt;
  Fact fact;
  if (memory.base == Base::REG)
    fact = facts_[memory.index];
  else if (memory.base != Base::ABSOLUTE)
    fact = variable(memory.base, memory.index);
  return fact.kind == Kind::VARIABLE ? std::optional(fact.variable) : std::nullopt;
}

bool Provenance::any_of(const std::vector<bool>& set, const ptx::Operand& value) const {
  auto contains = [&](const ptx::Operand& o) { return o.kind == OperandKind::REG && set[o.index]; };
  if (value.kind != OperandKind::VECTOR) return contains(value);
  for (const auto& e : source_.elements_of(value))
    if (contains(e)) return true;
  return false;
}

bool Provenance::is_read(const ptx::Operand& value) const { return any_of(read_, value); }
bool Provenance::is_computed_with(const ptx::Operand& value) const {
  return any_of(computed_with_, value);
}

}  // namespace cucore::cpu
