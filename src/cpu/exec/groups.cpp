// SPDX-License-Identifier: Apache-2.0
// The groups of a warp: which one runs, and how lanes part and meet again.
#include "cpu/exec/interpreter.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/exec/adopt.hpp"

namespace cucore::cpu {

// Selects deeper calls first, so that callers wait for their lanes, then the lowest address. After
// a slice has run out, the group that has waited longest is next, because lanes that spin would
// block others.
bool Interpreter::select() {
  uint32_t best = LANES;
  const bool rotate = w_.rotate;
  for (uint32_t i = 0; i < w_.group_count; ++i) {
    const Group& g = w_.groups[i];
    if (g.state != GroupState::READY) continue;
    if (best == LANES) {
      best = i;
      continue;
    }
    const Group& b = w_.groups[best];
    const bool earlier =
        g.frame->depth != b.frame->depth ? g.frame->depth > b.frame->depth : g.pc < b.pc;
    if (rotate ? int32_t(g.stamp - b.stamp) < 0 : earlier) best = i;
  }
  if (best == LANES) return false;
  current_ = best;
  install();
  return true;
}

void Interpreter::install() {
  adopt();
  if (w_.group_count > 1) meet_others();
}

void Interpreter::meet_others() {
  merge_here();
  if (w_.rotate) {
    limit_ = 0;  // the order of addresses does not apply: check on every turn
    return;
  }
  for (uint32_t i = 0; i < w_.group_count; ++i) {
    const Group& other = w_.groups[i];
    const bool may_merge = other.state == GroupState::READY || other.state == GroupState::WARP_SYNC;
    if (i == current_ || other.frame != w_.frame || !may_merge) continue;
    if (other.pc < pc_)
      others_behind_ = true;
    else if (other.pc < limit_)
      limit_ = other.pc;
  }
}

// Merges the frames of lanes that called the same functions from the same places, but not together.
bool Interpreter::join_frames(Frame* into, Frame* from, uint32_t levels) {
  if (into == from) return true;
  if (into->function != from->function || into->return_pc != from->return_pc || levels == 0 ||
      !into->parent || !from->parent || into->local_base != from->local_base)
    return false;
  if (!join_frames(into->parent, from->parent, levels - 1)) return false;
  for (const Register& r : into->function->layout) copy_lanes(r, *into, *from);
  for (uint32_t m = from->lanes; m; m &= m - 1) {
    const size_t at = size_t(std::countr_zero(m)) * into->param_stride;
    std::memcpy(into->params + at, from->params + at, into->param_stride);
    into->dynamic_of[std::countr_zero(m)] = from->dynamic_of[std::countr_zero(m)];
  }
  into->dynamic = std::max(into->dynamic, from->dynamic);
  into->lanes |= from->lanes;
  for (uint32_t i = 0; i < w_.group_count; ++i)
    for (Frame** frame = &w_.groups[i].frame; *frame; frame = &(*frame)->parent)
      if (*frame == from) *frame = into;
  from->lanes = 0;
  w_.block->leave(from);
  return true;
}

void Interpreter::copy_lanes(const Register& r, const Frame& into, const Frame& from) {
  std::byte* to = into.registers + r.slot;
  const std::byte* source = from.registers + r.slot;
  if (r.bytes == 0) {
    uint32_t old = 0, bits = 0;
    std::memcpy(&old, to, 4);
    std::memcpy(&bits, source, 4);
    bits = (old & ~from.lanes) | (bits & from.lanes);
    std::memcpy(to, &bits, 4);
    return;
  }
  for (uint32_t m = from.lanes; m; m &= m - 1) {
    const size_t at = size_t(std::countr_zero(m)) * r.bytes;
    std::memcpy(to + at, source + at, r.bytes);
  }
}

void Interpreter::merge_here() {
  constexpr uint32_t LEVELS = 32;  // deeper recursion need not reconverge
  for (uint32_t i = 0; i < w_.group_count;) {
    Group& other = w_.groups[i];
    const bool may_merge = other.state == GroupState::READY || other.state == GroupState::WARP_SYNC;
    if (i == current_ || other.pc != pc_ || !may_merge ||
        !join_frames(w_.frame, other.frame, LEVELS)) {
      ++i;
      continue;
    }
    w_.groups[current_].mask |= other.mask;
    const uint32_t last = --w_.group_count;
    if (current_ == last) current_ = i;
    other = w_.groups[last];
  }
  w_.active = w_.mask = w_.groups[current_].mask;
  lanes_ = count_lanes(w_.active);
}

void Interpreter::park() { w_.groups[current_].pc = pc_; }

void Interpreter::add_group(Frame* frame, uint32_t pc, uint32_t mask) {
  Group& g = w_.groups[w_.group_count++];
  g = Group{};
  g.frame = frame;
  g.pc = pc;
  g.mask = mask;
  g.stamp = w_.clock;
}

void Interpreter::drop_current() {
  const uint32_t last = --w_.group_count;
  if (current_ != last) w_.groups[current_] = w_.groups[last];
}

// Moves the lanes in `ready` to the next instruction, and leaves those in `partial` in this one.
// Returns whether the group goes on.
bool Interpreter::pass_or_wait(uint32_t ready, uint32_t partial, GroupState state) {
  if (partial == 0) {
    ++pc_;
    return true;
  }
  if (ready) split(partial, pc_, pc_ + 1);
  Group& g = w_.groups[current_];
  g.pc = pc_;
  g.state = state;
  return false;
}

void Interpreter::split(uint32_t on, uint32_t target, uint32_t rest) {
  Group& g = w_.groups[current_];
  const uint32_t others = w_.active & ~on;
  g.mask = on;
  g.pc = target;
  add_group(w_.frame, rest, others);
}

}  // namespace cucore::cpu
