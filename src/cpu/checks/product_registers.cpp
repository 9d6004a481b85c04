// SPDX-License-Identifier: Apache-2.0
#include "cpu/checks/product_registers.hpp"

#include <bit>

#include "cpu/checks/check_report.hpp"
#include "cpu/checks/checks.hpp"
#include "ptx/ast.hpp"

namespace cucore::cpu {
namespace {

using Kind = RegisterUse::Kind;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;

bool is_product(Opcode op) {
  return op == Opcode::wgmma_mma_async || op == Opcode::wgmma_mma_async_sp;
}

// Instructions whose first operand is not a result.
bool only_reads(Opcode op) {
  switch (op) {
    case Opcode::st:
    case Opcode::red:
    case Opcode::bra:
    case Opcode::brx_idx:
    case Opcode::call:
      return true;
    default:
      return false;
  }
}

class ProductUses {
 public:
  explicit ProductUses(const ptx::Function& function)
      : function_(function), tracked_(function.registers.size()) {}

  std::vector<RegisterUse> find() {
    bool found = false;
    for (const auto& instruction : function_.instructions) {
      if (!is_product(instruction.form->op)) continue;
      const auto operands = function_.operands_of(instruction);
      track(operands[0]);
      track_vector(operands[1]);
      found = true;
    }
    if (!found) return {};
    while (track_copies()) {
    }
    std::vector<RegisterUse> uses;
    for (const auto& instruction : function_.instructions) uses.push_back(use_of(instruction));
    return uses;
  }

 private:
  bool track(const Operand& operand) {
    bool is_new = false;
    each_register(operand, [&](uint32_t r) {
      is_new |= !tracked_[r];
      tracked_[r] = true;
    });
    return is_new;
  }
  // A descriptor stands for a matrix in shared memory.
  void track_vector(const Operand& operand) {
    if (operand.kind == OperandKind::VECTOR || operand.kind == OperandKind::LIST) track(operand);
  }
  bool track_copies() {
    bool any = false;
    for (const auto& instruction : function_.instructions) {
      if (!is_copy(instruction)) continue;
      const auto operands = function_.operands_of(instruction);
      if (tracked_[operands[1].index]) any |= track(operands[0]);
    }
    return any;
  }
  bool is_copy(const ptx::Instruction& instruction) const {
    const auto operands = function_.operands_of(instruction);
    return instruction.form->op == Opcode::mov && operands[0].kind == OperandKind::REG &&
           operands[1].kind == OperandKind::REG;
  }

  template <class Visit>
  void each_register(const Operand& operand, Visit visit) const {
    const bool is_base = operand.kind == OperandKind::MEMORY && operand.base == ptx::Base::REG;
    if (is_base || operand.kind == OperandKind::REG) visit(operand.index);
    if (operand.kind != OperandKind::VECTOR && operand.kind != OperandKind::LIST) return;
    for (const auto& e : function_.elements_of(operand))
      if (e.kind == OperandKind::REG) visit(e.index);
  }
  void add(std::vector<uint32_t>& to, const Operand& operand) const {
    each_register(operand, [&](uint32_t r) {
      if (tracked_[r]) to.push_back(r);
    });
  }

  RegisterUse use_of(const ptx::Instruction& instruction) const {
    const Opcode op = instruction.form->op;
    const auto operands = function_.operands_of(instruction);
    RegisterUse use;
    if (op == Opcode::wgmma_fence) use.kind = Kind::FENCE;
    if (op == Opcode::wgmma_commit_group) use.kind = Kind::COMMIT;
    if (op == Opcode::wgmma_wait_group) use.kind = Kind::WAIT;
    if (use.kind == Kind::WAIT) use.pending = uint32_t(operands[0].bits);
    if (use.kind != Kind::OTHER) return use;
    if (is_product(op)) use.kind = Kind::PRODUCT;
    // A move of a constant is not a change: compilers place it after the fence.
    if (op == Opcode::mov) use.kind = Kind::COPY;
    const bool writes =
        !operands.empty() && !only_reads(op) && operands[0].kind != OperandKind::MEMORY;
    if (writes) add(use.writes, operands[0]);
    for (size_t i = writes ? 1 : 0; i < operands.size(); ++i) {
      const bool is_a = use.kind != Kind::PRODUCT || i == 1;
      if (is_a) add(use.reads, operands[i]);
    }
    return use;
  }

  const ptx::Function& function_;
  std::vector<bool> tracked_;
};

}  // namespace

std::vector<RegisterUse> register_uses(const ptx::Function& function) {
  return ProductUses(function).find();
}

void ProductRegisters::report(Warp& w, const Op& op, const State& state, const char* message) {
  LaunchChecks& launch = w.block->checks->launch;
  const DecodedFunction& function = *w.frame->function;
  Place place;
  if (state.product) place = place_of(function, size_t(state.product - function.ops.data()));
  const LaunchChecks::Key key{ReportKind::WGMMA, &op, place.ptx_line};
  if (!launch.is_first(key)) return;
  Report report = access_report(w, op, CheckedOp{}, std::countr_zero(w.mask), 0, "");
  report.kind = key.kind;
  report.message = message;
  if (state.product) report.other = "the product is";
  report.other_place = place;
  keep_report(launch, key, std::move(report));
}

void ProductRegisters::complete(uint32_t pending) {
  const auto is_complete = [&](uint32_t group) { return group && group + pending <= group_; };
  for (State& s : states_) {
    if (is_complete(s.result_of)) s.result_of = 0;
    if (is_complete(s.operand_of)) s.operand_of = 0;
  }
}

void ProductRegisters::multiply(Warp& w, const Op& op, const RegisterUse& use) {
  static const State NONE;
  if (!has_fenced_)
    report(w, op, NONE, "a product before any wgmma.fence; expected one before the first product");
  has_fenced_ = true;  // one report is enough
  const auto require_clean = [&](State& s) {
    if (s.is_dirty)
      report(w, op, NONE,
             "a product with a register that has changed since the last wgmma.fence; expected a "
             "fence after the change");
    s.is_dirty = false;
  };
  for (const uint32_t r : use.reads) {
    if (states_[r].result_of)
      report(w, op, states_[r], "an operand is the result of a product without a wgmma.wait_group");
    require_clean(states_[r]);
    states_[r].operand_of = group_ + 1;
    states_[r].product = &op;
  }
  for (const uint32_t r : use.writes) {
    require_clean(states_[r]);
    states_[r].result_of = group_ + 1;
    states_[r].product = &op;
  }
}

// An ordinary instruction.
void ProductRegisters::change(Warp& w, const Op& op, const RegisterUse& use) {
  for (const uint32_t r : use.reads)
    if (states_[r].result_of)
      report(w, op, states_[r], "read the result of a product without a wgmma.wait_group");
  for (const uint32_t r : use.writes) {
    if (states_[r].result_of || states_[r].operand_of)
      report(w, op, states_[r], "changed a register of a product without a wgmma.wait_group");
    states_[r] = State{};
    states_[r].is_dirty = true;
  }
}

void ProductRegisters::use(Warp& w, const Op& op, const RegisterUse& use) {
  if (function_ != w.frame->function || states_.empty()) {
    w.block->checks->product_reads.end(w, open_group());
    *this = ProductRegisters{};
    function_ = w.frame->function;
    states_.resize(function_->source->registers.size());
  }
  switch (use.kind) {
    case Kind::FENCE:
      has_fenced_ = true;
      for (State& s : states_) s.is_dirty = false;
      return;
    case Kind::COMMIT:
      ++group_;
      return;
    case Kind::WAIT:
      if (group_ >= use.pending) w.block->checks->product_reads.end(w, group_ - use.pending);
      return complete(use.pending);
    case Kind::PRODUCT:
      return multiply(w, op, use);
    case Kind::COPY: {
      // Compilers copy results into the registers of the next product, and assemblers remove it.
      const State from = use.reads.empty() ? State{} : states_[use.reads[0]];
      for (const uint32_t r : use.writes) states_[r] = from;
      return;
    }
    default:
      return change(w, op, use);
  }
}

}  // namespace cucore::cpu
