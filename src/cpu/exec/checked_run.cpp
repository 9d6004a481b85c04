// SPDX-License-Identifier: Apache-2.0
// Instructions of launches with checks, and of random schedules.
#include "cpu/exec/interpreter.hpp"

#include "cpu/checks/checks.hpp"
#include "cpu/compile/plan.hpp"

namespace cucore::cpu {

namespace {

constexpr uint32_t PREEMPTION = 8;  // a random schedule preempts one access in so many

}  // namespace

void Interpreter::run_noted(const Op& op) {
  BlockChecks& checks = *w_.block->checks;
  checks.noting = checks.launch.set != 0;
  try {
    op.run(w_, op);
  } catch (...) {
    checks.noting = false;
    throw;
  }
  checks.noting = false;
}

// Checks a usual access. Returns false if it needs the full check.
inline bool Interpreter::check_as_usual(const Op& op, const CheckedOp& checked) {
  return (has_sites_ && check_quickly(w_, op, checked)) ||
         (checked.is_usual && check_usual(w_, op, checked));
}

void Interpreter::run_checked(const Op& op) {
  const CheckedOp& checked = table_->ops[size_t(&op - ops_)];
  if (plan_ && check_as_usual(op, checked)) return op.run(w_, op);
  run_unusual(op, checked);
}

void Interpreter::run_unusual(const Op& op, const CheckedOp& checked) {
  if (checked.hook == Hook::NONE) return op.run(w_, op);
  const LaunchChecks& launch = w_.block->checks->launch;
  if (checked.has_use) on_registers(w_, op);
  if (checked.hook == Hook::OWN) return op.run(w_, op);
  const bool is_random = !plan_;  // a random schedule may be the only reason for this function
  if (is_random && launch.random->below(PREEMPTION) == 0) w_.quantum = 0;
  if (checked.hook == Hook::OTHER || checked.hook == Hook::SYNC) return run_noted(op);
  if (checked.hook == Hook::FENCE) {
    if (launch.set & CHECK_RACE) on_fence(w_, checked);
    return op.run(w_, op);
  }
  if (is_random && launch.set == 0) return op.run(w_, op);
  if (is_random && check_as_usual(op, checked)) return op.run(w_, op);
  const uint32_t before = w_.mask, good = before_access(w_, op, checked);
  if (good != before) {
    zero_lanes(w_, op, checked, before & ~good);
    w_.mask = good;
  }
  if (good) op.run(w_, op);
  if (w_.block->checks->acquiring) after_access(w_);
  w_.mask = before;
}

void Interpreter::run_steps(const Step* step, size_t count) {
  Warp& w = w_;  // a copy of the reference, which stores do not change
  for (const Step* end = step + count; step != end; ++step) {
    if (step->run) {
      step->run(w, *step->op);
    } else if (step->covered) {
      const CoveredRun& run = *step->covered;
      BlockChecks& checks = *w_.block->checks;
      const bool is_simple = !checks.in_cluster && !checks.pending_copies.any();
      const bool is_checked = run.rows.empty()
                                  ? is_simple && checks.kept_accesses.keep(w_, run.reads)
                                  : check_row_groups(w_, run.rows);
      const StepRange range = is_checked ? run.together : run.each;
      run_steps(plan_->covered_steps.data() + range.first, range.count);
    } else {
      const Op& op = *step->op;
      const CheckedOp& checked = table_->ops[size_t(&op - ops_)];
      if (check_as_usual(op, checked)) [[likely]]
        op.run(w, op);
      else
        run_unusual(op, checked);
    }
  }
}

// Returns the number of instructions that ran: under a random schedule, memory instructions may end
// the batch.
uint32_t Interpreter::run_batch(const Op* op, uint32_t count) {
  if (plan_ && plan_->batches[pc_].count) {
    const Plan::Batch batch = plan_->batches[pc_];
    run_steps(plan_->steps.data() + batch.first, batch.count);
    return count;
  }
  const Hook* hooks = table_->hooks.data() + (op - ops_);
  for (uint32_t i = 0; i < count; ++i) {
    if (hooks[i] == Hook::NONE) [[likely]] {
      op[i].run(w_, op[i]);
      continue;
    }
    const int64_t quantum = w_.quantum;
    run_checked(op[i]);
    if (w_.quantum <= 0 && quantum > 0) return i + 1;
  }
  return count;
}

}  // namespace cucore::cpu
