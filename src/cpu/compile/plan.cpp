// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/plan.hpp"

#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "cpu/compile/segment.hpp"
#include "cpu/exec/executor.hpp"

namespace cucore::cpu {
namespace {

// Limits of the code of one function, because PTX from elsewhere may be large.
constexpr size_t MAX_CODE = size_t{16} << 20;
constexpr size_t MAX_SEGMENT = 512;  // instructions

// Visits the registers that an instruction mentions.
template <class Visit>
void each_register(const ptx::Function& f, const ptx::Instruction& instruction, Visit visit) {
  auto operand = [&](const ptx::Operand& o) {
    const bool address = o.kind == ptx::OperandKind::MEMORY && o.base == ptx::Base::REG;
    if (o.kind == ptx::OperandKind::REG || address) visit(o.index);
  };
  if (instruction.guard != ptx::NONE) visit(instruction.guard);
  for (const ptx::Operand& o : f.operands_of(instruction)) {
    const bool several =
        o.kind == ptx::OperandKind::VECTOR || o.kind == ptx::OperandKind::LIST;
    if (!several) {
      operand(o);
      continue;
    }
    for (const ptx::Operand& element : f.elements_of(o)) operand(element);
  }
}

class Planner {
 public:
  Planner(const DecodedFunction& function, bool compiles)
      : function_(function), source_(*function.source), compiles_(compiles) {}
  std::unique_ptr<Plan> build();

 private:
  void count_mentions();
  void add_batch(size_t first, size_t count);
  size_t segment_at(size_t first, size_t end);
  void add_segment(size_t first, std::span<const SegmentOp> ops);
  std::unordered_set<Slot> local_registers(size_t first, size_t count) const;
  bool link();

  const DecodedFunction& function_;
  const ptx::Function& source_;
  const bool compiles_;
  std::unique_ptr<Plan> plan_ = std::make_unique<Plan>();
  Assembler code_;
  std::vector<uint32_t> mentions_;  // by register; more than any count: outside of instructions too
  std::vector<SegmentOp> segment_;
  std::vector<std::pair<size_t, size_t>> compiled_;  // step, position of its code
};

void Planner::count_mentions() {
  mentions_.assign(source_.registers.size(), 0);
  for (const ptx::Instruction& i : source_.instructions)
    each_register(source_, i, [&](uint32_t r) { ++mentions_[r]; });
  for (const ptx::Variable& v : source_.variables)
    if (v.is_register) mentions_[v.reg] = ~uint32_t{0} >> 1;
}

// Returns the registers whose values nothing but these instructions uses: all mentions are here, and
// the first one is a result.
std::unordered_set<Slot> Planner::local_registers(size_t first, size_t count) const {
  std::unordered_map<uint32_t, uint32_t> here;
  std::unordered_set<uint32_t> read_first;
  for (size_t i = first; i < first + count; ++i) {
    const ptx::Instruction& instruction = source_.instructions[i];
    const auto operands = source_.operands_of(instruction);
    const bool has_result = operands[0].kind == ptx::OperandKind::REG;
    for (size_t k = 1; k < operands.size(); ++k)
      if (operands[k].kind == ptx::OperandKind::REG && !here.contains(operands[k].index))
        read_first.insert(operands[k].index);
    if (has_result) here.try_emplace(operands[0].index, 0);
    each_register(source_, instruction, [&](uint32_t r) { ++here[r]; });
  }
  std::unordered_set<Slot> local;
  for (const auto& [r, n] : here)
    if (n == mentions_[r] && !read_first.contains(r)) local.insert(function_.slots[r]);
  return local;
}

// Appends a step of machine code if the batch has a segment here. Returns its instructions.
size_t Planner::segment_at(size_t first, size_t end) {
  segment_.clear();
  for (size_t i = first; i < end && segment_.size() < MAX_SEGMENT; ++i) {
    const LaneOp lane = lane_op(function_, i);
    if (lane.shape == Shape::NONE) break;
    segment_.push_back({lane, &function_.ops[i]});
  }
  if (segment_.empty() || code_.size() > MAX_CODE) return 0;
  compiled_.emplace_back(plan_->steps.size(), code_.size());
  plan_->steps.push_back({nullptr, &function_.ops[first]});
  compile_segment(code_, segment_, local_registers(first, segment_.size()));
  return segment_.size();
}

void Planner::add_batch(size_t first, size_t count) {
  Plan::Batch& batch = plan_->batches[first];
  batch.first = uint32_t(plan_->steps.size());
  for (size_t i = first; i < first + count;) {
    const size_t n = compiles_ ? segment_at(i, first + count) : 0;
    if (n == 0) plan_->steps.push_back({function_.ops[i].run, &function_.ops[i]});
    i += n ? n : 1;
  }
  batch.count = uint32_t(plan_->steps.size()) - batch.first;
}

// Sets the addresses of machine code. Returns false if the system refuses executable memory.
bool Planner::link() {
  if (compiled_.empty()) return true;
  plan_->code = CodeMemory(code_.code());
  if (!plan_->code.data()) return false;
  for (const auto& [step, position] : compiled_)
    plan_->steps[step].run = reinterpret_cast<Handler>(
        reinterpret_cast<uintptr_t>(plan_->code.data() + position));
  return true;
}

std::unique_ptr<Plan> Planner::build() {
  if (compiles_) count_mentions();
  plan_->batches.resize(function_.ops.size());
  for (size_t i = 0; i < function_.ops.size(); ++i) {
    const bool begins = i == 0 || function_.ops[i - 1].batch <= 1;
    if (begins && function_.ops[i].batch) add_batch(i, function_.ops[i].batch);
  }
  return link() ? std::move(plan_) : nullptr;
}

std::unique_ptr<Plan> build(const DecodedFunction& function) {
  if (function.module->compiles)
    if (auto plan = Planner(function, true).build()) return plan;
  return Planner(function, false).build();
}

std::mutex& plan_mutex() {
  static std::mutex* const instance = new std::mutex;
  return *instance;
}

}  // namespace

const Plan& plan_of(const DecodedFunction& function) {
  if (const Plan* plan = function.plan.load(std::memory_order_acquire)) return *plan;
  std::lock_guard lock(plan_mutex());
  if (const Plan* plan = function.plan.load(std::memory_order_acquire)) return *plan;
  function.plan_owner = build(function);
  function.plan.store(function.plan_owner.get(), std::memory_order_release);
  return *function.plan_owner;
}

}  // namespace cucore::cpu
