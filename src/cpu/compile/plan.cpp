// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/plan.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <numeric>

#include "cpu/checks/check_table.hpp"
#include "cpu/compile/selection.hpp"
#include "cpu/counts/count_table.hpp"
#include "cpu/counts/counts.hpp"
#include "cpu/exec/executor.hpp"

namespace cucore::cpu {
namespace {

// Limits of the code of one function, because PTX from elsewhere may be large.
constexpr size_t MAX_CODE = size_t{16} << 20;
// Instructions of a batch that are ordered together, which takes time in proportion to the square.
constexpr uint32_t MAX_PIECE = 512;

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
  // The instructions of `checks` are checked. Steps that count the accesses of the leaders of
  // `counts` come before these. Both may be nullptr.
  Planner(const DecodedFunction& function, bool compiles, const CheckTable* checks,
          const CountTable* counts)
      : function_(function),
        checks_(checks),
        compiles_(compiles),
        counts_(counts),
        selector_(function) {}
  std::unique_ptr<Plan> build();

 private:
  using Indexes = std::vector<uint32_t>;

  bool is_checked(uint32_t instruction) const;
  void add_run(uint32_t first, uint32_t end, std::vector<Step>& steps);
  void add_checked(uint32_t first, uint32_t end, std::vector<Step>& steps);
  uint32_t add_covered(uint32_t first, uint32_t end);
  void add_batch(uint32_t first, uint32_t count);
  void add_steps(Indexes instructions, bool loads, std::vector<Step>& steps);
  Indexes add_segment(const Indexes& instructions, bool loads, std::vector<Step>& steps);
  void add_counts(const Indexes& instructions, std::vector<Step>& steps);
  void add_alternative(const Indexes& instructions, const Detour& detour);
  bool link();

  const DecodedFunction& function_;
  const CheckTable* const checks_;
  const bool compiles_;
  const CountTable* const counts_;
  const Selector selector_;
  std::unique_ptr<Plan> plan_ = std::make_unique<Plan>();
  Assembler code_;
  std::vector<Compiled> compiled_;
  std::vector<Parting> detours_;  // of the alternatives
};

// The address registers have their values already: a segment does not compute them. Alternatives
// count nothing, because they replace a segment after its counts.
void Planner::add_counts(const Indexes& instructions, std::vector<Step>& steps) {
  if (!counts_ || &steps != &plan_->steps) return;
  for (const uint32_t i : instructions)
    if (counts_->is_leader(i)) steps.push_back({count_access, &function_.ops[i]});
}

// Appends a step of machine code if a segment begins with the first instruction. Returns the
// instructions of the step.
Planner::Indexes Planner::add_segment(const Indexes& instructions, bool loads,
                                      std::vector<Step>& steps) {
  if (!compiles_ || code_.size() > MAX_CODE) return {};
  Selector::Segment segment = selector_.select(instructions, loads);
  if (segment.ops.empty() || (segment.ops.size() == 1 && segment.has_loads)) return {};
  add_counts(segment.indexes, steps);
  compiled_.push_back({&steps, steps.size(), code_.size()});
  steps.push_back({nullptr, segment.ops[0].op});
  const Detour detour =
      compile_segment(code_, segment.ops, selector_.local_registers(segment.indexes));
  if (detour.used) add_alternative(segment.indexes, detour);
  return std::move(segment.indexes);
}

void Planner::add_steps(Indexes instructions, bool loads, std::vector<Step>& steps) {
  while (!instructions.empty()) {
    Indexes taken = add_segment(instructions, loads, steps);
    if (taken.empty()) {
      const Op& op = function_.ops[instructions[0]];
      taken = {instructions[0]};
      add_counts(taken, steps);
      steps.push_back({op.run, &op});
    }
    // Both lists have the order of the program.
    Indexes rest;
    std::set_difference(instructions.begin(), instructions.end(), taken.begin(), taken.end(),
                        std::back_inserter(rest));
    instructions = std::move(rest);
  }
}

// The addresses of steps are known at the end.
void Planner::add_alternative(const Indexes& instructions, const Detour& detour) {
  std::vector<Step>& steps = plan_->other_steps;
  const size_t begin = steps.size();
  detours_.push_back({detour, begin});
  add_steps(instructions, false, steps);
  plan_->alternatives.push_back({nullptr, steps.size() - begin});
}

bool Planner::is_checked(uint32_t instruction) const {
  return checks_ && checks_->hooks[instruction] != Hook::NONE;
}

void Planner::add_run(uint32_t first, uint32_t end, std::vector<Step>& steps) {
  for (uint32_t i = first; i < end;) {
    Indexes instructions(std::min(end - i, MAX_PIECE));
    std::iota(instructions.begin(), instructions.end(), i);
    i += uint32_t(instructions.size());
    add_steps(std::move(instructions), true, steps);
  }
}

// A checked instruction keeps its place, because its check may see the values of registers.
void Planner::add_checked(uint32_t first, uint32_t end, std::vector<Step>& steps) {
  for (uint32_t i = first; i < end;) {
    if (is_checked(i)) {
      steps.push_back({nullptr, &function_.ops[i++]});
      continue;
    }
    const uint32_t begin = i;
    while (i < end && !is_checked(i)) ++i;
    add_run(begin, i, steps);
  }
}

// Returns the end of a run whose loads have one check, or `first`.
uint32_t Planner::add_covered(uint32_t first, uint32_t end) {
  ReadRun run = read_run(function_, *checks_, first, end);
  if (run.groups.empty() && run.rows.empty()) return first;
  CoveredRun& covered = plan_->covered.emplace_back();
  covered.reads = std::move(run.groups);
  covered.rows = std::move(run.rows);
  std::vector<Step>& steps = plan_->covered_steps;
  covered.together.first = steps.size();
  add_run(first, run.end, steps);
  covered.each.first = steps.size();
  covered.together.count = covered.each.first - covered.together.first;
  add_checked(first, run.end, steps);
  covered.each.count = steps.size() - covered.each.first;
  plan_->steps.push_back({nullptr, &function_.ops[first], &covered});
  return run.end;
}

void Planner::add_batch(uint32_t first, uint32_t count) {
  Plan::Batch& batch = plan_->batches[first];
  batch.first = uint32_t(plan_->steps.size());
  const uint32_t end = first + count;
  if (!checks_) add_run(first, end, plan_->steps);
  for (uint32_t i = first; checks_ && i < end;) {
    uint32_t done = add_covered(i, end);
    if (done == i) {
      for (++done; done < end && !is_checked(i) && !is_checked(done);) ++done;
      add_checked(i, done, plan_->steps);
    }
    i = done;
  }
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
  plan_->batches.resize(function_.ops.size());
  for (uint32_t i = 0; i < function_.ops.size(); ++i) {
    const bool begins = i == 0 || function_.ops[i - 1].batch <= 1;
    if (begins && function_.ops[i].batch) add_batch(i, function_.ops[i].batch);
  }
  return link() ? std::move(plan_) : nullptr;
}

std::unique_ptr<Plan> build(const DecodedFunction& function, const CheckTable* checks,
                            const CountTable* counts) {
  if (function.module->compiles)
    if (auto plan = Planner(function, true, checks, counts).build()) return plan;
  return Planner(function, false, checks, counts).build();
}

std::mutex& plan_mutex() {
  static std::mutex* const instance = new std::mutex;
  return *instance;
}

// The first caller builds the plan.
const Plan& publish(const DecodedFunction& function, const CheckTable* table,
                    std::atomic<const Plan*>& published, std::shared_ptr<const Plan>& owner) {
  std::lock_guard lock(plan_mutex());
  if (const Plan* plan = published.load(std::memory_order_acquire)) return *plan;
  owner = build(function, table, nullptr);
  published.store(owner.get(), std::memory_order_release);
  return *owner;
}

}  // namespace

const Plan& build_plan(const DecodedFunction& function) {
  return publish(function, nullptr, function.plan, function.plan_owner);
}

const Plan& build_checked_plan(const DecodedFunction& function, const CheckTable& table) {
  return publish(function, &table, function.checked_plan, function.checked_plan_owner);
}

void build_counting_plan(const DecodedFunction& function, CountTable& table) {
  table.plan = std::move(*build(function, nullptr, &table));
}

}  // namespace cucore::cpu
