// SPDX-License-Identifier: Apache-2.0
#include "perf/analyze/trip_counts.hpp"

#include <vector>

#include "ptx/forms.hpp"

namespace cucore::perf {
namespace {

using ptx::Compare;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;

constexpr int DEEPEST_SUM = 8;                 // of sums and copies
constexpr int64_t LARGEST = int64_t{1} << 31;  // keeps differences and products small
constexpr size_t MOST_LOOKED_AT = 20'000'000;

// The value of the counter in the iteration, plus a constant.
struct Counted {
  uint32_t counter = 0;
  int64_t addend = 0;
};

class TripCount {
 public:
  TripCount(const TripCounts& counts, const PtxKernel& ptx, const CodeLoop& loop)
      : counts_(counts), ptx_(ptx), loop_(loop) {}

  std::optional<uint64_t> count() const {
    const Instruction& branch = instruction(loop_.last);
    if (branch.guard == ptx::NONE || has_other_exit()) return std::nullopt;
    const auto& definitions = definitions_of(branch.guard);
    if (definitions.count != 1 || !is_inside(definitions.at[0])) return std::nullopt;
    return count_while(definitions.at[0], branch.guard_negated);
  }

 private:
  const Instruction& instruction(size_t at) const { return ptx_.function().instructions[at]; }
  bool is_inside(size_t at) const { return at >= loop_.first && at <= loop_.last; }

  // A branch out of the loop, or a return.
  bool has_other_exit() const {
    for (size_t at = loop_.first; at < loop_.last; ++at) {
      const Opcode op = ptx_.form(at).op;
      if (op == Opcode::ret || op == Opcode::exit || op == Opcode::trap || op == Opcode::brx_idx)
        return true;
      if (op == Opcode::bra && !is_inside(ptx_.operands(at)[0].index)) return true;
    }
    return false;
  }

  const TripCounts::Definitions& definitions_of(uint32_t reg) const {
    return counts_.definitions_of(reg);
  }

  static std::optional<int64_t> small(int64_t value) {
    if (value < -LARGEST || value > LARGEST) return std::nullopt;
    return value;
  }

  // An immediate as the instruction's type has it.
  static std::optional<int64_t> immediate(const Operand& operand, ptx::Type type) {
    if (operand.kind != OperandKind::IMMEDIATE || operand.literal == ptx::Literal::F32 ||
        operand.literal == ptx::Literal::F64)
      return std::nullopt;
    const unsigned bytes = ptx::size_of(type);
    if (bytes == 8) return small(static_cast<int64_t>(operand.bits));
    if (bytes == 4) return small(static_cast<int32_t>(static_cast<uint32_t>(operand.bits)));
    return std::nullopt;
  }

  std::optional<int64_t> constant(const Operand& operand, ptx::Type type, int depth) const {
    if (operand.kind != OperandKind::REG) return immediate(operand, type);
    if (depth == 0) return std::nullopt;
    const auto& definitions = definitions_of(operand.index);
    if (definitions.count != 1) return std::nullopt;
    return constant_result(definitions.at[0], depth);
  }

  std::optional<int64_t> constant_result(size_t at, int depth) const {
    if (ptx_.form(at).op != Opcode::mov || instruction(at).guard != ptx::NONE) return std::nullopt;
    return constant(ptx_.operands(at)[1], ptx_.form(at).types[0], depth - 1);
  }

  // The update of a counter, and its first value.
  struct Counter {
    size_t update = 0;
    int64_t first = 0;
  };
  std::optional<Counter> counter_of(uint32_t reg) const {
    const auto& definitions = definitions_of(reg);
    const auto& at = definitions.at;
    if (definitions.count != 2 || is_inside(at[0]) == is_inside(at[1])) return std::nullopt;
    const size_t inside = is_inside(at[0]) ? 0 : 1;
    const size_t before = at[1 - inside];
    if (!is_before_each_entry(before) || instruction(at[inside]).guard != ptx::NONE)
      return std::nullopt;
    const auto first = constant_result(before, DEEPEST_SUM);
    if (!first) return std::nullopt;
    return Counter{at[inside], *first};
  }

  // Whether the instruction runs again whenever the loop does.
  bool is_before_each_entry(size_t at) const {
    if (at >= loop_.first) return false;
    for (const CodeLoop& outer : ptx_.loops())
      if (outer.first <= loop_.first && outer.last > loop_.last && at < outer.first) return false;
    return true;
  }

  // The value of a register at an instruction, as a sum of a counter and a constant.
  std::optional<Counted> counted(uint32_t reg, size_t at, int depth) const {
    if (depth == 0) return std::nullopt;
    if (const auto counter = counter_of(reg)) {
      if (counter->update >= at) return Counted{reg, 0};
      const auto after = sum(counter->update, depth - 1);
      return after && after->counter == reg ? after : std::nullopt;
    }
    const auto& definitions = definitions_of(reg);
    if (definitions.count != 1 || !is_inside(definitions.at[0]) || definitions.at[0] >= at)
      return std::nullopt;
    return sum(definitions.at[0], depth - 1);
  }

  // The result of a sum or a copy.
  std::optional<Counted> sum(size_t at, int depth) const {
    const ptx::Form& form = ptx_.form(at);
    const auto operands = ptx_.operands(at);
    if (instruction(at).guard != ptx::NONE || operands.size() < 2 ||
        operands[1].kind != OperandKind::REG)
      return std::nullopt;
    auto value = counted(operands[1].index, at, depth);
    if (!value || form.op == Opcode::mov) return value;
    if (form.op != Opcode::add && form.op != Opcode::sub) return std::nullopt;
    const auto addend = constant(operands[2], form.types[0], DEEPEST_SUM);
    if (!addend) return std::nullopt;
    const auto total = small(value->addend + (form.op == Opcode::add ? *addend : -*addend));
    if (!total) return std::nullopt;
    value->addend = *total;
    return value;
  }

  std::optional<uint64_t> count_while(size_t comparison, bool negated) const {
    const ptx::Form& form = ptx_.form(comparison);
    const auto operands = ptx_.operands(comparison);
    if (form.op != Opcode::setp || form.operation != ptx::Operation::none ||
        ptx::is_float(form.types[0]) || operands[2].kind != OperandKind::REG ||
        instruction(comparison).guard != ptx::NONE)
      return std::nullopt;
    const auto compared = counted(operands[2].index, comparison, DEEPEST_SUM);
    const auto bound = constant(operands[3], form.types[0], DEEPEST_SUM);
    if (!compared || !bound) return std::nullopt;
    const auto counter = counter_of(compared->counter);
    if (!counter) return std::nullopt;
    const auto step = sum(counter->update, DEEPEST_SUM);
    if (!step || step->counter != compared->counter || step->addend == 0) return std::nullopt;
    const int64_t start = counter->first + compared->addend;
    if (!ptx::is_signed(form.types[0]) && form.compare != Compare::ne &&
        form.compare != Compare::eq && (start < 0 || *bound < 0))
      return std::nullopt;
    const auto taken =
        steps(negated ? opposite(form.compare) : form.compare, start, *bound, step->addend);
    if (!taken) return std::nullopt;
    return *taken + 1;
  }

  static Compare opposite(Compare compare) {
    switch (compare) {
      case Compare::eq:
        return Compare::ne;
      case Compare::ne:
        return Compare::eq;
      case Compare::lt:
      case Compare::lo:
        return Compare::ge;
      case Compare::le:
      case Compare::ls:
        return Compare::gt;
      case Compare::gt:
      case Compare::hi:
        return Compare::le;
      case Compare::ge:
      case Compare::hs:
        return Compare::lt;
      default:
        return Compare::none;
    }
  }

  // How often the comparison of value + k * step with the bound is true, from k = 0 on.
  static std::optional<uint64_t> steps(Compare compare, int64_t value, int64_t bound,
                                       int64_t step) {
    switch (compare) {
      case Compare::eq:
        return value == bound ? 1 : 0;
      case Compare::ne:
        if ((bound - value) % step != 0 || (bound - value) / step < 0) return std::nullopt;
        return static_cast<uint64_t>((bound - value) / step);
      case Compare::lt:
      case Compare::lo:
        return steps_below(value, bound, step);
      case Compare::le:
      case Compare::ls:
        return steps_below(value, bound + 1, step);
      case Compare::gt:
      case Compare::hi:
        return steps_below(-value, -bound, -step);
      case Compare::ge:
      case Compare::hs:
        return steps_below(-value, 1 - bound, -step);
      default:
        return std::nullopt;
    }
  }

  static std::optional<uint64_t> steps_below(int64_t value, int64_t bound, int64_t step) {
    if (value >= bound) return 0;
    if (step < 0) return std::nullopt;  // until the counter overflows
    return static_cast<uint64_t>((bound - value + step - 1) / step);
  }

  const TripCounts& counts_;
  const PtxKernel& ptx_;
  const CodeLoop& loop_;
};

}  // namespace

TripCounts::TripCounts(const PtxKernel& ptx)
    : ptx_(ptx), definitions_(ptx.function().registers.size()), budget_(MOST_LOOKED_AT) {
  const auto add = [&](const Operand& operand, size_t at) {
    if (operand.kind != OperandKind::REG) return;
    Definitions& known = definitions_[operand.index];
    known.at[known.count++ % 2] = at;
  };
  for (size_t at = 0; at < ptx.size(); ++at)
    for (size_t slot = 0; slot < ptx.operands(at).size(); ++slot) {
      const Operand& operand = ptx.operands(at)[slot];
      if (!ptx::is_destination(ptx.form(at), slot)) continue;
      add(operand, at);
      if (operand.kind == OperandKind::VECTOR || operand.kind == OperandKind::LIST)
        for (const Operand& element : ptx.function().elements_of(operand)) add(element, at);
    }
}

std::optional<uint64_t> TripCounts::of(const CodeLoop& loop) {
  const size_t cost = loop.last - loop.first + ptx_.loops().size() * DEEPEST_SUM;
  if (cost > budget_) return std::nullopt;
  budget_ -= cost;
  return TripCount(*this, ptx_, loop).count();
}

}  // namespace cucore::perf
