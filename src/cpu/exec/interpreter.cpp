// SPDX-License-Identifier: Apache-2.0
// The loop over the instructions of a warp.
#include "cpu/exec/interpreter.hpp"

#include "cpu/counts/counts.hpp"
#include "cpu/exec/adopt.hpp"
#include "cpu/exec/fault.hpp"

namespace cucore::cpu {

void Interpreter::run_planned(uint32_t count) {
  Warp& w = w_;  // a copy of the reference, which stores do not change
  const Plan::Batch batch = plan_->batches[pc_];
  const Step* step = plan_->steps.data() + batch.first;
  if (batch.count) [[likely]] {
    for (const Step* end = step + batch.count; step != end; ++step) step->run(w, *step->op);
    return;
  }
  const Op* op = ops_ + pc_;
  for (const Op* end = op + count; op != end; ++op) op->run(w, *op);
}

// Returns the active lanes for which the guard of the instruction is true.
inline uint32_t guarded(const Warp& w, const Op& op) {
  if (op.guard == NO_SLOT) return w.active;
  const uint32_t p = *w.at<uint32_t>(op.guard);
  return w.active & (op.guard_negated ? ~p : p);
}

// Branches if all lanes of the group take the same way. It is part of the loop, because most basic
// blocks end so.
inline bool Interpreter::branch_together(const Op& op, uint32_t on) {
  if (on == 0) {
    ++pc_;
    return true;
  }
  if (on != w_.active) return false;
  if (others_behind_ && op.target <= pc_) limit_ = 0;  // it may meet them now
  pc_ = op.target;
  return true;
}

template <bool Checked, bool Counted>
WarpStatus Interpreter::loop() {
  Warp& w = w_;
  for (;;) {
    if (pc_ >= limit_ || w.quantum <= 0) [[unlikely]] {
      park();
      if (w.quantum <= 0) return WarpStatus::EXPIRED;
      if (w.rotate) {
        merge_here();
      } else {
        select();
        continue;
      }
    }
    if constexpr (Counted)
      if (ops_ != counted_ops_) follow_function();
    const Op* op = ops_ + pc_;
    if (uint32_t n = op->batch) {
      if constexpr (Counted)
        n = run_counted_batch<Checked>(op, n);
      else if constexpr (Checked)
        n = run_batch(op, n);
      else
        run_planned(n);
      pc_ += n;
      count_ += n;
      thread_count_ += uint64_t{n} * lanes_;
      w.quantum -= n;
      continue;
    }
    ++count_;
    thread_count_ += lanes_;
    --w.quantum;
    if (!Counted && op->kind == OpKind::BRANCH && branch_together(*op, guarded(w, *op))) continue;
    if (!step<Checked, Counted>(*op)) [[unlikely]] {
      if (!w.live) return WarpStatus::DONE;
      if (!select()) return WarpStatus::BLOCKED;
    }
  }
}

// Returns false if the running group has changed and another must be selected.
template <bool Checked, bool Counted>
bool Interpreter::step(const Op& op) {
  const uint32_t on = guarded(w_, op);
  if constexpr (Counted) note_step(op, on);
  if (op.kind == OpKind::BRANCH) return branch(op, on);
  if (op.kind == OpKind::PLAIN) {
    if (on) {
      w_.mask = on;
      if constexpr (Counted)
        run_counted<Checked>(op);
      else if constexpr (Checked)
        run_checked(op);
      else
        op.run(w_, op);
      w_.mask = w_.active;
    }
    ++pc_;
    return true;
  }
  if (on == 0) {
    ++pc_;
    return true;
  }
  if (on != w_.active) {
    if constexpr (Counted) take_back(on, true);
    split(on, pc_, pc_ + 1);
    return false;
  }
  return step_control(op, on);
}

bool Interpreter::step_control(const Op& op, uint32_t) {
  switch (op.kind) {
    case OpKind::BRANCH_TABLE:
      return branch_table(op);
    case OpKind::CALL:
      return call(op);
    case OpKind::RETURN:
      return leave();
    case OpKind::EXIT:
      return exit();
    case OpKind::SYNC:
      return sync(op);
    case OpKind::WARP_BARRIER:
      return warp_barrier(op);
    case OpKind::BARRIER:
    case OpKind::REDUCE:
      return barrier(op);
    case OpKind::ARRIVE:
      return arrive(op);
    case OpKind::CLUSTER_WAIT:
      return cluster_wait(op);
    case OpKind::YIELD:
      return sleep(op);
    default:
      raise(w_, op, std::countr_zero(w_.active), CUDA_ERROR_LAUNCH_FAILED, "invalid program", "");
  }
}

bool Interpreter::branch(const Op& op, uint32_t on) {
  if (branch_together(op, on)) return true;
  split(on, op.target, pc_ + 1);
  return false;
}

bool Interpreter::branch_table(const Op& op) {
  const auto& targets = w_.frame->function->tables[op.target].targets;
  const uint32_t* index = w_.at<uint32_t>(op[Jump::INDEX]);
  const uint32_t first = value(op[Jump::INDEX]);
  uint32_t same = 0;
  for (uint32_t m = w_.active; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    if (index[lane] == first) same |= uint32_t{1} << lane;
  }
  if (first >= targets.size())
    raise(w_, op, std::countr_zero(w_.active), CUDA_ERROR_ILLEGAL_INSTRUCTION,
          "branch index out of range", std::to_string(first));
  if (same != w_.active) {
    // The other lanes return to this instruction after these have gone to their target.
    const uint32_t here = pc_;
    if (counts_) ++counts_->rare[pc_].divergent, take_back(w_.active & ~same, true);
    split(same, targets[first], here);
    return false;
  }
  pc_ = targets[first];
  return true;
}

WarpStatus Interpreter::run_counted_loop() {
  counted_ops_ = nullptr;
  charged_ = 0;
  const WarpStatus status = w_.block->checks ? loop<true, true>() : loop<false, true>();
  charge_warp();
  return status;
}

// The status of a warp that has no group to run.
WarpStatus Interpreter::idle(bool awake) {
  if (!w_.live) return WarpStatus::DONE;
  if (awake) return WarpStatus::BLOCKED;
  w_.quantum = 0;  // time passes, so it makes progress
  return WarpStatus::EXPIRED;
}

WarpStatus Interpreter::run() {
  const bool awake = !w_.asleep || wake();
  const bool runs = w_.group_count == 1 ? select_only() : select();
  const Block& block = *w_.block;
  const WarpStatus status = !runs          ? idle(awake)
                            : block.counts ? run_counted_loop()
                            : block.checks ? loop<true, false>()
                                           : loop<false, false>();
  w_.rotate = status == WarpStatus::EXPIRED && w_.group_count > 1;
  w_.worker->warp_instructions += count_;
  w_.worker->thread_instructions += thread_count_;
  return status;
}

template bool Interpreter::step<false, false>(const Op& op);
template bool Interpreter::step<false, true>(const Op& op);

WarpStatus run_warp(Warp& w) { return Interpreter(w).run(); }

}  // namespace cucore::cpu
