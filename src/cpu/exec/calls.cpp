// SPDX-License-Identifier: Apache-2.0
// Calls of functions, returns and exits.
#include "cpu/exec/interpreter.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/checks/checks.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"

namespace cucore::cpu {
namespace {

constexpr uint32_t WORD = 8;  // the halves of 128-bit registers are in separate planes

std::byte* base_of(const Frame& f, const Argument& a) {
  std::byte* base = (a.slot & 3) == CONSTANT_BASE ? f.function->constants.get() : f.registers;
  return base + (a.slot & ~uint32_t{3});
}

// Returns the lane's bytes from `part` on, a multiple of a word.
std::byte* place(const Frame& f, const Argument& a, int lane, uint32_t part) {
  if (a.kind == Argument::PARAM) return f.params + size_t(lane) * f.param_stride + a.offset + part;
  return base_of(f, a) + size_t(part) * LANES + size_t(lane) * std::min(a.size, WORD);
}

void copy_values(const Warp& w, const Frame& from, const Argument& a, const Frame& to,
                 const Argument& b, uint32_t part, uint32_t size) {
  for (uint32_t m = w.active; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    __builtin_memcpy(place(to, b, lane, part), place(from, a, lane, part), size);
  }
}

bool has_planes(const Argument& a) { return a.kind == Argument::REGISTER && a.size > WORD; }

uint32_t predicate_of(const Warp& w, const Frame& f, const Argument& a) {
  uint32_t bits = 0;
  if (a.is_predicate()) {
    std::memcpy(&bits, base_of(f, a), sizeof bits);
    return bits;
  }
  for (uint32_t m = w.active; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    uint64_t value = 0;
    std::memcpy(&value, place(f, a, lane, 0), std::min(a.size, WORD));
    bits |= uint32_t{value != 0} << lane;
  }
  return bits;
}

// A predicate has one bit per lane. Elsewhere it is 0 or 1.
void copy_predicate(const Warp& w, const Frame& from, const Argument& a, const Frame& to,
                    const Argument& b) {
  const uint32_t bits = predicate_of(w, from, a);
  if (b.is_predicate()) {
    uint32_t old = 0;
    std::memcpy(&old, base_of(to, b), sizeof old);
    const uint32_t merged = (old & ~w.active) | (bits & w.active);
    std::memcpy(base_of(to, b), &merged, sizeof merged);
    return;
  }
  for (uint32_t m = w.active; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const uint64_t value = bits >> lane & 1;
    std::memcpy(place(to, b, lane, 0), &value, std::min(b.size, WORD));
  }
}

void copy_argument(const Warp& w, const Frame& from, const Argument& a, const Frame& to,
                   const Argument& b) {
  if (a.is_predicate() || b.is_predicate()) return copy_predicate(w, from, a, to, b);
  const uint32_t size = std::min(a.size, b.size);
  if (!has_planes(a) && !has_planes(b)) return copy_values(w, from, a, to, b, 0, size);
  for (uint32_t part = 0; part < size; part += WORD)
    copy_values(w, from, a, to, b, part, std::min(size - part, WORD));
}

}  // namespace

bool Interpreter::call(const Op& op) {
  const CallSite& site = w_.frame->function->calls[op.target];
  if (site.builtin != Builtin::NONE) {
    call_builtin(w_, op, site);
    ++pc_;
    return true;
  }
  if (site.target != NO_SLOT) return call_indirect(op, site);
  enter(op, site, *site.callee);
  return true;
}

bool Interpreter::call_indirect(const Op& op, const CallSite& site) {
  const uint64_t* targets = w_.at<uint64_t>(site.target);
  const int first = std::countr_zero(w_.active);
  const uint64_t target = targets[first];
  const DecodedFunction* callee = function_at(target);
  if (!callee || callee->inputs.size() != site.inputs.size() || callee->source->is_entry)
    raise(w_, op, first, CUDA_ERROR_INVALID_PC,
          "call of an address that is not a function of this type", hex_text(target));
  uint32_t same = 0;
  for (uint32_t m = w_.active; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    if (targets[lane] == target) same |= uint32_t{1} << lane;
  }
  const uint32_t others = w_.active & ~same;
  if (others) {
    if (counts_) take_back(others, true);
    w_.groups[current_].mask = w_.active = w_.mask = same;
    lanes_ = count_lanes(same);
    add_group(w_.frame, pc_, others);
  }
  enter(op, site, *callee);
  return true;
}

void Interpreter::copy_spill(const Frame& frame, const Spill& spill) {
  for (uint32_t m = w_.active; m; m &= m - 1) {
    const size_t lane = size_t(std::countr_zero(m));
    std::memcpy(w_.local + lane * w_.local_stride + frame.local_base + spill.local,
                frame.params + lane * frame.param_stride + spill.param, spill.size);
    if (w_.block->checks) on_spill(w_, int(lane), frame.local_base + spill.local, spill.size);
  }
}

void Interpreter::enter(const Op& op, const CallSite& site, const DecodedFunction& callee) {
  Frame* caller = w_.frame;
  Frame* frame = w_.block->enter(w_, op, callee);
  frame->return_pc = pc_ + 1;
  for (size_t i = 0; i < site.inputs.size() && i < callee.inputs.size(); ++i)
    copy_argument(w_, *caller, site.inputs[i], *frame, callee.inputs[i]);
  for (const Spill& spill : callee.spills) copy_spill(*frame, spill);
  Group& g = w_.groups[current_];
  g.frame = frame;
  g.pc = 0;
  install();
}

bool Interpreter::leave() {
  Frame* frame = w_.frame;
  Frame* caller = frame->parent;
  const Op& op = caller->function->ops[frame->return_pc - 1];
  const CallSite& site = caller->function->calls[op.target];
  const auto& results = frame->function->returns;
  for (size_t i = 0; i < site.returns.size() && i < results.size(); ++i)
    copy_argument(w_, *frame, results[i], *caller, site.returns[i]);
  Group& g = w_.groups[current_];
  g.frame = caller;
  g.pc = frame->return_pc;
  frame->lanes &= ~w_.active;
  if (frame->lanes == 0) w_.block->leave(frame);
  return false;
}

// Leaves the calls of the lanes that end.
void Interpreter::leave_frames(uint32_t gone) {
  for (Frame* frame = w_.frame; frame;) {
    Frame* parent = frame->parent;
    frame->lanes &= ~gone;
    if (parent && frame->lanes == 0) w_.block->leave(frame);
    frame = parent;
  }
}

bool Interpreter::exit() {
  Warp& w = w_;
  const uint32_t gone = w.active;
  w.live &= ~gone;
  if (w.group_count == 1 && !w.frame->parent) {
    w.group_count = w.frame->lanes = 0;
  } else {
    leave_frames(gone);
    drop_current();
    if (w.group_count != 0) rouse_others();
  }
  Block& block = *w.block;
  block.threads_left(w, count_lanes(gone));
  block.cluster.leave(w, gone);
  return false;
}

// Groups that wait for lanes of the warp may no longer have to.
void Interpreter::rouse_others() {
  for (uint32_t i = 0; i < w_.group_count; ++i)
    if (w_.groups[i].state == GroupState::WARP_SYNC) w_.groups[i].state = GroupState::READY;
  for (uint32_t i = 0; i < w_.group_count; ++i) {
    if (w_.groups[i].state != GroupState::WARP_BARRIER) continue;
    release_warp_barrier(w_.groups[i].wait);
  }
}

}  // namespace cucore::cpu
