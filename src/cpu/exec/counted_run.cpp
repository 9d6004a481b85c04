// SPDX-License-Identifier: Apache-2.0
// Instructions of counted launches.
#include "cpu/exec/interpreter.hpp"

#include <utility>

#include "cpu/checks/check_table.hpp"
#include "cpu/checks/checks.hpp"
#include "cpu/counts/counts.hpp"
#include "cpu/exec/fault.hpp"

namespace cucore::cpu {
namespace {

// Whether an access that is not counted needs global memory, or an object of the driver.
bool needs_memory(const ptx::Form& form) {
  switch (form.op) {
    case ptx::Opcode::st_async:
    case ptx::Opcode::red_async:
      return !form.has(ptx::FLAG_SYNC);  // a release to global memory
    case ptx::Opcode::wgmma_mma_async:
    case ptx::Opcode::wgmma_mma_async_sp:
      return false;
    default:
      return true;
  }
}

}  // namespace

void Interpreter::follow_function() {
  counts_ = &w_.worker->counts->follow(*w_.frame->function);
  counted_ops_ = ops_;
}

void Interpreter::charge_warp() {
  w_.block->counts->add(w_, count_ - std::exchange(charged_, count_));
}

// Counts an instruction outside of batches; `on` are the lanes whose guard is true.
void Interpreter::note_step(const Op& op, uint32_t on) {
  counts_->add(pc_, 1, lanes_);
  if (on != w_.active) {
    FunctionCounts::Rare& rare = counts_->rare[pc_];
    rare.guarded_off += lanes_ - count_lanes(on);
    rare.divergent += on != 0 && op.kind == OpKind::BRANCH;
  }
  const bool meets =
      op.kind == OpKind::BARRIER || op.kind == OpKind::REDUCE || op.kind == OpKind::ARRIVE;
  if (meets && on == w_.active) charge_warp();
}

// Lanes that leave an instruction and return to it execute it once.
void Interpreter::take_back(uint32_t lanes, bool warp) {
  counts_->take_back(pc_, count_lanes(lanes), warp);
}

template <bool Checked>
void Interpreter::run_counted(const Op& op) {
  const auto index = size_t(&op - ops_);
  const bool is_ghost = w_.worker->counts->launch.ghost;
  if (counts_->table.is_counted(index)) {
    if (is_ghost) return run_as_ghost(w_, op);
    count_access(w_, op);
  } else if (is_ghost && counts_->table.kinds[index].other_access) {
    const ptx::Form& form = *w_.frame->function->source->instructions[index].form;
    if (needs_memory(form))
      raise(w_, op, std::countr_zero(w_.mask), CUDA_ERROR_NOT_SUPPORTED,
            "instruction cannot run without memory", shown_instruction(*w_.frame->function, index));
  }
  if constexpr (Checked)
    run_checked(op);
  else
    op.run(w_, op);
}

// Runs the instructions of a batch one by one. Returns their number, as run_batch() does.
template <bool Checked>
uint32_t Interpreter::run_each(const Op* op, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const int64_t quantum = w_.quantum;
    run_counted<Checked>(op[i]);
    if (w_.quantum <= 0 && quantum > 0) return i + 1;
  }
  return count;
}

template <bool Checked>
uint32_t Interpreter::run_counted_batch(const Op* op, uint32_t count) {
  if (Checked || w_.worker->counts->launch.each) {
    count = run_each<Checked>(op, count);
  } else {
    const Plan& plan = counts_->table.plan;
    const Plan::Batch batch = plan.batches[pc_];
    const Step* step = plan.steps.data() + batch.first;
    for (const Step* end = step + batch.count; step != end; ++step) step->run(w_, *step->op);
  }
  counts_->add(pc_, count, lanes_);
  return count;
}

template void Interpreter::run_counted<false>(const Op& op);
template void Interpreter::run_counted<true>(const Op& op);
template uint32_t Interpreter::run_counted_batch<false>(const Op* op, uint32_t count);
template uint32_t Interpreter::run_counted_batch<true>(const Op* op, uint32_t count);

}  // namespace cucore::cpu
