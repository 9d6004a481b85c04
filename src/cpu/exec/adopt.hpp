// SPDX-License-Identifier: Apache-2.0
// Makes a group of a warp the running one. It is inline because kernels with few instructions spend
// much of their time at the start of their warps.
#pragma once

#include "cpu/checks/checks.hpp"
#include "cpu/compile/plan.hpp"
#include "cpu/exec/interpreter.hpp"

namespace cucore::cpu {

inline void Interpreter::adopt() {
  Warp& w = w_;  // a copy of the reference, which stores do not change
  Group& g = w.groups[current_];
  Frame* const frame = g.frame;
  const DecodedFunction& function = *frame->function;
  g.stamp = ++w.clock;
  w.frame = frame;
  w.sites = frame->sites;
  w.active = w.mask = g.mask;
  w.bases[FRAME_BASE] = frame->registers;
  w.bases[CONSTANT_BASE] = function.constants.get();
  ops_ = function.ops.data();
  if (const BlockChecks* checks = w.block->checks) {
    table_ = &check_table(function);
    has_sites_ = function.module == checks->launch.traced;
    // Under a random schedule, an instruction may end a batch.
    plan_ = checks->launch.random ? nullptr : &checked_plan_of(function, *table_);
  } else {
    plan_ = &plan_of(function);
  }
  pc_ = g.pc;
  lanes_ = count_lanes(g.mask);
  limit_ = ~uint32_t{0};
  others_behind_ = false;
}

// Selects the only group of the warp. Returns false if it waits.
inline bool Interpreter::select_only() {
  if (w_.groups[0].state != GroupState::READY) return false;
  current_ = 0;
  adopt();
  return true;
}

}  // namespace cucore::cpu
