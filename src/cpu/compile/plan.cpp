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

// Also as the base of an address.
bool names_register(const ptx::Operand& o) {
  return o.kind == ptx::OperandKind::REG ||
         (o.kind == ptx::OperandKind::MEMORY && o.base == ptx::Base::REG);
}

// Visits the registers that an instruction mentions.
template <class Visit>
void each_register(const ptx::Function& f, const ptx::Instruction& instruction, Visit visit) {
  auto operand = [&](const ptx::Operand& o) {
    if (names_register(o)) visit(o.index);
  };
  if (instruction.guard != ptx::NONE) visit(instruction.guard);
  for (const ptx::Operand& o : f.operands_of(instruction)) {
    const bool several = o.kind == ptx::OperandKind::VECTOR || o.kind == ptx::OperandKind::LIST;
    if (!several) {
      operand(o);
      continue;
    }
    for (const ptx::Operand& element : f.elements_of(o)) operand(element);
  }
}

// A step of machine code at this position.
struct Compiled {
  std::vector<Step>* steps = nullptr;
  size_t step = 0;
  size_t position = 0;
};

// A segment with an alternative whose steps begin here.
struct Parting {
  Detour detour;
  size_t steps = 0;
};

class Planner {
 public:
  Planner(const DecodedFunction& function, bool compiles)
      : function_(function), source_(*function.source), compiles_(compiles) {}
  std::unique_ptr<Plan> build();

 private:
  void count_mentions();
  void add_batch(size_t first, size_t count);
  void add_steps(size_t first, size_t end, bool loads, std::vector<Step>& steps);
  void find_segment(size_t first, size_t end, bool loads);
  size_t segment_at(size_t first, size_t end, bool loads, std::vector<Step>& steps);
  void add_alternative(size_t first, size_t count, const Detour& detour);
  std::unordered_set<Slot> local_registers(size_t first, size_t count) const;
  bool link();

  const DecodedFunction& function_;
  const ptx::Function& source_;
  const bool compiles_;
  std::unique_ptr<Plan> plan_ = std::make_unique<Plan>();
  Assembler code_;
  std::vector<uint32_t> mentions_;  // by register; more than any count: outside of instructions too
  std::vector<SegmentOp> segment_;
  std::vector<Compiled> compiled_;
  std::vector<Parting> detours_;  // of the alternatives
};

void Planner::count_mentions() {
  mentions_.assign(source_.registers.size(), 0);
  for (const ptx::Instruction& i : source_.instructions)
    each_register(source_, i, [&](uint32_t r) { ++mentions_[r]; });
  for (const ptx::Variable& v : source_.variables)
    if (v.is_register) mentions_[v.reg] = ~uint32_t{0} >> 1;
}

// Returns the registers whose values nothing but these instructions uses: all mentions are here,
// and the first one is a result.
std::unordered_set<Slot> Planner::local_registers(size_t first, size_t count) const {
  std::unordered_map<uint32_t, uint32_t> here;
  std::unordered_set<uint32_t> read_first;
  for (size_t i = first; i < first + count; ++i) {
    const ptx::Instruction& instruction = source_.instructions[i];
    const auto operands = source_.operands_of(instruction);
    const bool has_result = operands[0].kind == ptx::OperandKind::REG;
    for (size_t k = 1; k < operands.size(); ++k)
      if (names_register(operands[k]) && !here.contains(operands[k].index))
        read_first.insert(operands[k].index);
    if (has_result) here.try_emplace(operands[0].index, 0);
    each_register(source_, instruction, [&](uint32_t r) { ++here[r]; });
  }
  std::unordered_set<Slot> local;
  for (const auto& [r, n] : here)
    if (n == mentions_[r] && !read_first.contains(r)) local.insert(function_.slots[r]);
  return local;
}

// Collects the instructions from `first` on that one segment can have. A load begins another one if
// the segment computes its address.
void Planner::find_segment(size_t first, size_t end, bool loads) {
  segment_.clear();
  std::unordered_set<Slot> results, addresses;
  bool has_parameters = false;
  for (size_t i = first; i < end && segment_.size() < MAX_SEGMENT; ++i) {
    const LaneOp lane = lane_op(function_, i);
    const Op& op = function_.ops[i];
    if (lane.shape == Shape::NONE) break;
    if (lane.shape == Shape::SHARED_LOAD) {
      const Slot address = op[LoadStore::ADDRESS];
      if (!loads || has_parameters || results.contains(address)) break;
      addresses.insert(address);
      if (addresses.size() > MAX_ADDRESSES) break;
    }
    has_parameters |= lane.shape == Shape::PARAMETER;
    if (has_parameters && !addresses.empty()) break;
    for (size_t k = 0; k < lane.count; ++k) results.insert(op.at(LoadStore::VALUES, k));
    segment_.push_back({lane, &op});
  }
}

// Appends a step of machine code if the batch has a segment here. Returns its instructions.
size_t Planner::segment_at(size_t first, size_t end, bool loads, std::vector<Step>& steps) {
  if (code_.size() > MAX_CODE) return 0;
  find_segment(first, end, loads);
  const auto is_load = [](const SegmentOp& s) { return s.lane.shape == Shape::SHARED_LOAD; };
  const size_t count = segment_.size();
  if (count == 0 || (count == 1 && is_load(segment_[0]))) return 0;
  compiled_.push_back({&steps, steps.size(), code_.size()});
  steps.push_back({nullptr, &function_.ops[first]});
  const Detour detour = compile_segment(code_, segment_, local_registers(first, count));
  if (detour.used) add_alternative(first, count, detour);
  return count;
}

void Planner::add_steps(size_t first, size_t end, bool loads, std::vector<Step>& steps) {
  for (size_t i = first; i < end;) {
    const size_t n = compiles_ ? segment_at(i, end, loads, steps) : 0;
    if (n == 0) steps.push_back({function_.ops[i].run, &function_.ops[i]});
    i += n ? n : 1;
  }
}

// The addresses of steps are known at the end.
void Planner::add_alternative(size_t first, size_t count, const Detour& detour) {
  std::vector<Step>& steps = plan_->other_steps;
  const size_t begin = steps.size();
  detours_.push_back({detour, begin});
  add_steps(first, first + count, false, steps);
  plan_->alternatives.push_back({nullptr, steps.size() - begin});
}

void Planner::add_batch(size_t first, size_t count) {
  Plan::Batch& batch = plan_->batches[first];
  batch.first = uint32_t(plan_->steps.size());
  add_steps(first, first + count, true, plan_->steps);
  batch.count = uint32_t(plan_->steps.size()) - batch.first;
}

void run_alternative(Warp& w, const Alternative& alternative) {
  const Step* step = alternative.steps;
  for (const Step* end = step + alternative.count; step != end; ++step) step->run(w, *step->op);
}

// Sets the addresses in machine code, and of it. Returns false if the system refuses executable
// memory.
bool Planner::link() {
  if (compiled_.empty()) return true;
  for (size_t i = 0; i < detours_.size(); ++i) {
    Alternative& alternative = plan_->alternatives[i];
    alternative.steps = plan_->other_steps.data() + detours_[i].steps;
    code_.set_pointer(detours_[i].detour.argument, reinterpret_cast<uintptr_t>(&alternative));
    code_.set_pointer(detours_[i].detour.function, reinterpret_cast<uintptr_t>(&run_alternative));
  }
  plan_->code = CodeMemory(code_.code());
  if (!plan_->code.data()) return false;
  for (const Compiled& c : compiled_)
    (*c.steps)[c.step].run =
        reinterpret_cast<Handler>(reinterpret_cast<uintptr_t>(plan_->code.data() + c.position));
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

const Plan& build_plan(const DecodedFunction& function) {
  std::lock_guard lock(plan_mutex());
  if (const Plan* plan = function.plan.load(std::memory_order_acquire)) return *plan;
  function.plan_owner = build(function);
  function.plan.store(function.plan_owner.get(), std::memory_order_release);
  return *function.plan_owner;
}

}  // namespace cucore::cpu
