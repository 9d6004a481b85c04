// SPDX-License-Identifier: Apache-2.0
// The findings from the instructions of PTX and from the values that they compute.
#include <algorithm>

#include "perf/analyze/findings.hpp"
#include "perf/analyze/ptx_class.hpp"
#include "ptx/forms.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::perf {
namespace {

using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

// ---- A103: arithmetic in f64 on values that come from f32 and return to f32

bool is_f64_arithmetic(const ptx::Form& form) {
  return class_of(form) == InstructionClass::F64 && form.op != Opcode::setp;
}

class WidenedValues {
 public:
  explicit WidenedValues(const PtxKernel& ptx)
      : ptx_(ptx), only_(ptx.function().registers.size(), true), from_f32_(only_.size()) {
    constexpr int MOST_ROUNDS = 64;
    int rounds = 0;
    drop_carried();
    while (rounds < MOST_ROUNDS && refine()) ++rounds;
    if (rounds == MOST_ROUNDS) std::fill(only_.begin(), only_.end(), false);
    while (rounds < MOST_ROUNDS && spread()) ++rounds;
  }

  // Whether the operands of arithmetic are converted from f32 or constants, one of them converted,
  // and the result is used in the same way.
  bool is_accidental(size_t instruction) const {
    const auto operands = ptx_.operands(instruction);
    return operands[0].kind == OperandKind::REG && only_[operands[0].index] &&
           from_f32_[operands[0].index];
  }

 private:
  bool is_candidate(size_t instruction) const {
    const ptx::Form& form = ptx_.form(instruction);
    if (is_f64_arithmetic(form)) return true;
    if (form.op == Opcode::mov)
      return form.types[0] == Type::f64 &&
             ptx_.operands(instruction)[1].kind != OperandKind::VECTOR;
    return form.op == Opcode::cvt && form.types[0] == Type::f64 && form.types[1] == Type::f32;
  }
  bool narrows(size_t instruction) const {
    const ptx::Form& form = ptx_.form(instruction);
    return form.op == Opcode::cvt && form.types[0] == Type::f32 && form.types[1] == Type::f64;
  }
  bool is_wide(const Operand& operand) const {
    return operand.kind == OperandKind::REG &&
           ptx_.function().registers[operand.index] == Type::f64;
  }

  // Drops values that depend on themselves. Sums of a loop are in f64 on purpose.
  void drop_carried() {
    std::vector<std::vector<uint32_t>> results(only_.size());
    std::vector<size_t> sources(only_.size());
    for (size_t at = 0; at < ptx_.size(); ++at) {
      const auto operands = ptx_.operands(at);
      if (!is_candidate(at) || !is_wide(operands[0])) continue;
      for (const Operand& operand : operands.subspan(1)) {
        if (!is_wide(operand)) continue;
        results[operand.index].push_back(operands[0].index);
        ++sources[operands[0].index];
      }
    }
    std::vector<size_t> ready;  // registers whose sources are not carried
    for (size_t at = 0; at < sources.size(); ++at)
      if (sources[at] == 0) ready.push_back(at);
    while (!ready.empty()) {
      const size_t from = ready.back();
      ready.pop_back();
      for (const uint32_t result : results[from])
        if (--sources[result] == 0) ready.push_back(result);
    }
    for (size_t at = 0; at < sources.size(); ++at)
      if (sources[at] != 0) only_[at] = false;
  }

  // Drops registers that have another definition or another use, and those that depend on them.
  bool refine() {
    bool changes = false;
    const auto drop = [&](const Operand& operand) {
      if (operand.kind == OperandKind::REG && only_[operand.index]) {
        only_[operand.index] = false;
        changes = true;
      }
    };
    const auto drop_all = [&](const Operand& operand) {
      drop(operand);
      if (operand.kind == OperandKind::VECTOR || operand.kind == OperandKind::LIST)
        for (const Operand& element : ptx_.function().elements_of(operand)) drop(element);
    };
    for (size_t at = 0; at < ptx_.size(); ++at) {
      const auto operands = ptx_.operands(at);
      if (narrows(at)) continue;
      if (!is_candidate(at)) {
        for (const Operand& operand : operands) drop_all(operand);
        continue;
      }
      const bool widens = ptx_.form(at).op == Opcode::cvt;
      const bool known =
          widens || std::ranges::all_of(operands.subspan(1), [&](const Operand& operand) {
            return !is_wide(operand) || only_[operand.index];
          });
      if (!known) drop(operands[0]);
      // A result with another use makes its operands parts of that use.
      if (!widens && is_wide(operands[0]) && !only_[operands[0].index])
        for (const Operand& operand : operands.subspan(1))
          if (is_wide(operand)) drop(operand);
    }
    return changes;
  }

  bool spread() {
    bool changes = false;
    for (size_t at = 0; at < ptx_.size(); ++at) {
      if (!is_candidate(at)) continue;
      const auto operands = ptx_.operands(at);
      if (operands[0].kind != OperandKind::REG || from_f32_[operands[0].index]) continue;
      const bool from = ptx_.form(at).op == Opcode::cvt ||
                        std::ranges::any_of(operands.subspan(1), [&](const Operand& operand) {
                          return is_wide(operand) && from_f32_[operand.index];
                        });
      if (!from) continue;
      from_f32_[operands[0].index] = true;
      changes = true;
    }
    return changes;
  }

  const PtxKernel& ptx_;
  std::vector<bool> only_;      // from f32 and constants, to f32
  std::vector<bool> from_f32_;  // at least one operand is converted
};

void find_accidental_f64(const PtxKernel& ptx, Findings& findings) {
  const WidenedValues widened(ptx);
  for (size_t at = 0; at < ptx.size(); ++at)
    if (is_f64_arithmetic(ptx.form(at)) && widened.is_accidental(at))
      findings.add(RuleId::ACCIDENTAL_F64, Severity::WARNING, ptx.place_of(at),
                   concat(ptx::name_of(ptx.form(at).op),
                          ".f64 computes with values that are converted from f32 and back"));
}

// ---- A102 and A113: arrays in local memory

bool refers_to_reduction(const PtxKernel& ptx, size_t instruction) {
  for (const Operand& operand : ptx.operands(instruction)) {
    if (operand.kind != OperandKind::SYMBOL || operand.base != ptx::Base::MODULE_VARIABLE) continue;
    if (ptx.module().variables[operand.index].name.starts_with("__cudart_i2opi")) return true;
  }
  if (ptx.form(instruction).op != Opcode::call) return false;
  const Operand& callee = ptx.operands(instruction)[0];
  return callee.kind == OperandKind::FUNCTION &&
         ptx.module().functions[callee.index].name.find("trig_reduction_slowpath") !=
             std::string_view::npos;
}

bool find_slow_path(const PtxKernel& ptx, Findings& findings) {
  bool found = false;
  for (size_t at = 0; at < ptx.size(); ++at)
    if (refers_to_reduction(ptx, at)) {
      found = true;
      findings.add(RuleId::SLOW_PATH, Severity::NOTE, ptx.place_of(at),
                   "sin, cos or tan has a path for large arguments, which uses local memory and "
                   "many registers");
    }
  return found;
}

void find_local_arrays(const PtxKernel& ptx, bool slow_path, Findings& findings) {
  constexpr uint64_t OF_REDUCTION = 32;  // bytes of the array that the slow path uses
  const uint64_t bytes = ptx.function().local_bytes;
  if (bytes == 0 || (slow_path && bytes <= OF_REDUCTION)) return;
  for (size_t at = 0; at < ptx.size(); ++at) {
    const ptx::Form& form = ptx.form(at);
    const bool is_store = form.op == Opcode::st;
    if ((form.op != Opcode::ld && !is_store) || form.space != Space::local) continue;
    if (ptx.values().of_address(ptx.operands(at)[is_store ? 0 : 1]).constant) continue;
    findings.add(RuleId::LOCAL_ARRAY, Severity::WARNING, ptx.place_of(at),
                 concat("an index that is unknown to the compiler keeps an array in local memory: ",
                        counted(bytes, "byte"), " per thread"));
  }
}

// ---- loops

// The instruction that computes the condition under which the loop continues.
const ptx::Instruction* condition_of(const PtxKernel& ptx, const CodeLoop& loop) {
  const uint32_t guard = ptx.function().instructions[loop.last].guard;
  return guard == ptx::NONE ? nullptr : ptx.definition(guard);
}

bool is_defined_in(const PtxKernel& ptx, const CodeLoop& loop, uint32_t reg) {
  for (uint32_t at = loop.first; at <= loop.last; ++at) {
    const auto operands = ptx.operands(at);
    for (size_t slot = 0; slot < operands.size(); ++slot)
      if (operands[slot].kind == OperandKind::REG && operands[slot].index == reg &&
          is_destination(ptx.form(at), slot))
        return true;
  }
  return false;
}

// A loop is divergent if its bound differs from thread to thread, or if values that it computes
// from data of the thread end it. The start of a loop over a grid also differs, but the trip counts
// do not.
std::string reason_of_divergence(const PtxKernel& ptx, const CodeLoop& loop) {
  const ptx::Instruction* const by = condition_of(ptx, loop);
  if (!by || by->form->op != Opcode::setp) return {};
  const auto operands = ptx.function().operands_of(*by);
  for (const size_t slot : {2, 3}) {
    const Operand& operand = operands[slot];
    if (operand.kind != OperandKind::REG) continue;
    const Value value = ptx.values().of(operand);
    if (!value.of_thread) continue;
    const bool changes = is_defined_in(ptx, loop, operand.index);
    if (!changes)
      return value.of_memory ? "its bound is loaded from memory"
                             : "its bound depends on the index of the thread";
    if (ptx::is_float(by->form->types[0])) return "a computed value ends it";
    if (value.of_memory) return "a value from memory ends it";
  }
  return {};
}

void find_divergent_loops(const PtxKernel& ptx, Findings& findings) {
  constexpr size_t MOST_LOOPS = 1000;
  for (const CodeLoop& loop :
       std::span(ptx.loops()).first(std::min(ptx.loops().size(), MOST_LOOPS))) {
    const std::string reason = reason_of_divergence(ptx, loop);
    if (reason.empty()) continue;
    findings.add(
        RuleId::DIVERGENT_LOOP, Severity::NOTE, ptx.place_of(loop.last),
        concat("threads of a warp may run the loop a different number of times: ", reason));
  }
}

bool is_division(const ptx::Form& form) {
  if (form.op == Opcode::rem) return true;
  return form.op == Opcode::div && !form.has(ptx::FLAG_APPROX) && !form.has(ptx::FLAG_FULL);
}

void find_divisions(const PtxKernel& ptx, Findings& findings) {
  for (size_t at = 0; at < ptx.size(); ++at) {
    const ptx::Form& form = ptx.form(at);
    if (!ptx.in_loop(at) || !is_division(form)) continue;
    findings.add(RuleId::DIVISION_IN_LOOP, Severity::NOTE, ptx.place_of(at),
                 concat(form.text, " in a loop is a sequence of about ",
                        ptx::is_float(form.types[0]) ? "10 to 40" : "20 to 80", " instructions"));
  }
}

// ---- atomics, barriers, matrices

void find_contention(const PtxKernel& ptx, Findings& findings) {
  for (size_t at = 0; at < ptx.size(); ++at) {
    const ptx::Form& form = ptx.form(at);
    if (form.op != Opcode::atom && form.op != Opcode::red) continue;
    const Operand& memory = ptx.operands(at)[form.op == Opcode::atom ? 1 : 0];
    const Value address = ptx.values().of_address(memory);
    if (address.of_thread || address.of_memory || ptx.is_for_one_thread(at)) continue;
    findings.add(RuleId::CONTENDED_ATOMIC, Severity::WARNING, ptx.place_of(at),
                 concat("all threads of a block do ", ptx::name_of(form.op), " on one address",
                        form.space == Space::shared ? " of shared memory" : ""));
  }
}

void find_divided_barriers(const PtxKernel& ptx, Findings& findings) {
  for (size_t at = 0; at < ptx.size(); ++at) {
    const Opcode op = ptx.form(at).op;
    if (op != Opcode::bar_sync && op != Opcode::bar_red) continue;
    // A barrier with a number of threads is for a part of the block.
    const Operand& threads = ptx.operands(at)[op == Opcode::bar_sync ? 1 : 2];
    if (threads.kind != OperandKind::NONE || !ptx.is_divided(at)) continue;
    findings.add(RuleId::BARRIER_UNDER_BRANCH, Severity::WARNING, ptx.place_of(at),
                 "a branch that depends on the index of the thread leads around the barrier");
  }
}

void find_unused_tensor_cores(const PtxKernel& ptx, Findings& findings) {
  bool loads_shared = false;
  size_t first = ptx.size();
  uint32_t products = 0;
  for (size_t at = 0; at < ptx.size(); ++at) {
    const InstructionClass which = class_of(ptx.form(at));
    if (which == InstructionClass::MATRIX) return;
    if (!ptx.in_loop(at)) continue;
    loads_shared = loads_shared || which == InstructionClass::LOAD_SHARED;
    if (which != InstructionClass::F16 || ptx.form(at).op != Opcode::fma) continue;
    first = std::min(first, at);
    ++products;
  }
  constexpr uint32_t LEAST = 4;
  if (!loads_shared || products < LEAST) return;
  findings.add(RuleId::TENSOR_CORES_UNUSED, Severity::NOTE, ptx.place_of(first),
               concat("a loop with ", products,
                      " multiply-adds of 16-bit numbers from shared memory uses no tensor core"));
}

}  // namespace

void find_in_ptx(const PtxKernel& ptx, Findings& findings) {
  const bool slow_path = find_slow_path(ptx, findings);
  find_local_arrays(ptx, slow_path, findings);
  find_accidental_f64(ptx, findings);
  find_divergent_loops(ptx, findings);
  find_divisions(ptx, findings);
  find_contention(ptx, findings);
  find_divided_barriers(ptx, findings);
  find_unused_tensor_cores(ptx, findings);
}

}  // namespace cucore::perf
