// SPDX-License-Identifier: Apache-2.0
// nanosleep: the lanes that execute it together wait for the shortest of their times.
#include <algorithm>
#include <bit>
#include <chrono>
#include <thread>

#include "cpu/checks/check_set.hpp"
#include "cpu/exec/block.hpp"
#include "cpu/exec/interpreter.hpp"
#include "cpu/exec/operands.hpp"

namespace cucore::cpu {
namespace {

constexpr uint32_t MOST_NANOSECONDS = 1'000'000;  // PTX permits no longer times

// Time asleep counts towards the budget of instructions, at about the time that one takes.
constexpr uint32_t NANOSECONDS_OF_INSTRUCTION = 10;

uint64_t steady_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace

// Under a schedule that can be repeated, the order of warps must not depend on the time. The sleep
// then has length 0, which PTX permits.
bool Interpreter::sleep(const Op& op) {
  w_.quantum = 0;
  ++pc_;
  const uint32_t* times = w_.at<uint32_t>(op[Jump::INDEX]);
  uint32_t shortest = MOST_NANOSECONDS;
  for (uint32_t m = w_.active; m; m &= m - 1)
    shortest = std::min(shortest, times[std::countr_zero(m)]);
  if (w_.block->launch.budget)
    w_.worker->warp_instructions += shortest / NANOSECONDS_OF_INSTRUCTION;
  if (shortest == 0 || schedule().order != WarpOrder::PARALLEL) return true;
  Group& g = w_.groups[current_];
  g.pc = pc_;
  g.state = GroupState::ASLEEP;
  g.wake = steady_now() + shortest;
  w_.asleep = true;
  return false;
}

bool Interpreter::wake() {
  const uint64_t now = steady_now();
  w_.asleep = false;
  for (uint32_t i = 0; i < w_.group_count; ++i) {
    Group& g = w_.groups[i];
    if (g.state != GroupState::ASLEEP) continue;
    if (g.wake <= now)
      g.state = GroupState::READY;
    else
      w_.asleep = true;
  }
  if (w_.asleep) std::this_thread::yield();
  return !w_.asleep;
}

}  // namespace cucore::cpu
