// SPDX-License-Identifier: Apache-2.0
#include "perf/analyze/ptx_kernel.hpp"

#include <algorithm>
#include <utility>

#include "perf/analyze/ptx_class.hpp"
#include "ptx/forms.hpp"

namespace cucore::perf {
namespace {

using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;

std::vector<CodeLoop> loops_of(const ptx::Function& function) {
  std::vector<CodeLoop> loops;
  for (uint32_t at = 0; at < function.instructions.size(); ++at) {
    const ptx::Instruction& instruction = function.instructions[at];
    if (instruction.form->op != Opcode::bra) continue;
    const Operand& label = function.operands_of(instruction)[0];
    if (label.kind == OperandKind::LABEL && label.index <= at) loops.push_back({label.index, at});
  }
  std::ranges::sort(loops, [](const CodeLoop& a, const CodeLoop& b) {
    return a.first != b.first ? a.first < b.first : a.last > b.last;
  });
  const auto same = [](const CodeLoop& a, const CodeLoop& b) { return a.first == b.first; };
  loops.erase(std::unique(loops.begin(), loops.end(), same), loops.end());
  return loops;
}

// The union of ranges of instructions.
class Ranges {
 public:
  explicit Ranges(size_t size) : changes_(size + 1) {}
  void add(size_t first, size_t end) {
    if (first >= end) return;
    ++changes_[first];
    --changes_[end];
  }
  std::vector<bool> marks() const {
    std::vector<bool> result(changes_.size() - 1);
    int64_t open = 0;
    for (size_t at = 0; at < result.size(); ++at) {
      open += changes_[at];
      result[at] = open > 0;
    }
    return result;
  }

 private:
  std::vector<int64_t> changes_;
};

constexpr int DEEPEST = 8;        // of the logic of predicates
constexpr int DEEPEST_CALL = 32;  // of inlined calls

}  // namespace

PtxKernel::PtxKernel(const ptx::Module& module, const ptx::Function& function, SourceOfLine source)
    : module_(module),
      function_(function),
      source_(std::move(source)),
      values_(function),
      loops_(loops_of(function)),
      in_loop_(marks_of_loops(loops_, function.instructions.size())) {
  find_definitions();
  find_regions();
}

void PtxKernel::find_definitions() {
  definitions_.resize(function_.registers.size());
  std::vector<bool> several(function_.registers.size());
  const auto add = [&](const Operand& operand, const ptx::Instruction& instruction) {
    if (operand.kind != OperandKind::REG) return;
    several[operand.index] = definitions_[operand.index] != nullptr;
    definitions_[operand.index] = &instruction;
  };
  for (size_t at = 0; at < size(); ++at)
    for (size_t slot = 0; slot < operands(at).size(); ++slot) {
      if (!is_destination(form(at), slot)) continue;
      const Operand& operand = operands(at)[slot];
      add(operand, function_.instructions[at]);
      if (operand.kind == OperandKind::VECTOR || operand.kind == OperandKind::LIST)
        for (const Operand& element : function_.elements_of(operand))
          add(element, function_.instructions[at]);
    }
  for (size_t reg = 0; reg < several.size(); ++reg)
    if (several[reg]) definitions_[reg] = nullptr;
}

Place PtxKernel::place_of(size_t instruction) const {
  Place place;
  place.ptx_line = function_.instructions[instruction].line;
  const ptx::SourceLine* const line = ptx::source_line_of(function_, instruction);
  if (line) {
    const ptx::SourcePosition position = outside_of_headers(*line);
    place.line = position.line;
    place.file = source_name(ptx::file_name(module_, position.file));
  } else if (source_) {
    Place found = source_(place.ptx_line);
    place.line = found.line;
    place.file = std::move(found.file);
  }
  return place;
}

// Returns the innermost place of a chain of inlined calls that is in the file of the kernel.
ptx::SourcePosition PtxKernel::outside_of_headers(const ptx::SourceLine& line) const {
  const auto& lines = function_.source_lines;
  ptx::SourcePosition position = line;
  ptx::SourcePosition call = line.inlined_at;
  for (int depth = 0; depth < DEEPEST_CALL && position.file != lines.front().file; ++depth) {
    if (call.line == 0) break;
    position = call;
    const auto found = std::ranges::find_if(lines, [&](const ptx::SourceLine& other) {
      return other.file == position.file && other.line == position.line &&
             other.column == position.column;
    });
    call = found != lines.end() ? found->inlined_at : ptx::SourcePosition{};
  }
  return position;
}

Place PtxKernel::place() const {
  for (size_t at = 0; at < size(); ++at) {
    const Place found = place_of(at);
    if (found.line != 0) return found;
  }
  return size() == 0 ? Place{} : Place{.file = {}, .line = 0, .ptx_line = function_.line};
}

Mix PtxKernel::mix() const {
  Mix mix;
  for (size_t at = 0; at < size(); ++at) {
    if (function_.instructions[at].line == 0) continue;  // the parser added it
    mix.add(class_of(form(at)), in_loop_[at], width_of(form(at)));
  }
  return mix;
}

bool PtxKernel::ends_at(uint32_t instruction) const {
  const Opcode op = form(instruction).op;
  return function_.instructions[instruction].guard == ptx::NONE &&
         (op == Opcode::ret || op == Opcode::exit || op == Opcode::trap);
}

// `@p bra end; ...; end:` has one region, and `@p bra else; ...; bra end; else: ...; end:` has two.
void PtxKernel::find_regions() {
  Ranges divided(size());
  Ranges for_one(size());
  for (uint32_t at = 0; at < size(); ++at) {
    const ptx::Instruction& branch = function_.instructions[at];
    if (branch.guard == ptx::NONE || !values_.of(branch.guard).of_thread) continue;
    const bool one = selects_one(branch.guard, 0);
    if (branch.form->op != Opcode::bra) {
      divided.add(at, at + 1);
      if (one) for_one.add(at, at + 1);
      continue;
    }
    const Operand& label = operands(at)[0];
    if (label.kind != OperandKind::LABEL || label.index <= at) continue;
    if (one) for_one.add(at + 1, label.index);
    if (ends_at(label.index) || ends_at(at + 1)) continue;
    divided.add(at + 1, label.index);
    const ptx::Instruction& last = function_.instructions[label.index - 1];
    if (last.form->op != Opcode::bra || last.guard != ptx::NONE) continue;
    const Operand& end = function_.operands_of(last)[0];
    if (end.kind == OperandKind::LABEL && end.index > label.index && !ends_at(end.index))
      divided.add(label.index, end.index);
  }
  divided_ = divided.marks();
  for_one_ = for_one.marks();
}

bool PtxKernel::selects_one(uint32_t predicate, int depth) const {
  const ptx::Instruction* const by = definition(predicate);
  if (!by || depth > DEEPEST) return false;
  const auto operands = function_.operands_of(*by);
  switch (by->form->op) {
    case Opcode::elect:
      return true;
    case Opcode::setp: {
      const bool equality =
          by->form->compare == ptx::Compare::eq || by->form->compare == ptx::Compare::ne;
      const Value a = values_.of(operands[2]);
      const Value b = values_.of(operands[3]);
      return equality && (a.of_thread || b.of_thread);
    }
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::not_:
      return std::ranges::any_of(operands.subspan(1), [&](const Operand& operand) {
        return operand.kind == OperandKind::REG && selects_one(operand.index, depth + 1);
      });
    default:
      return false;
  }
}

}  // namespace cucore::perf
