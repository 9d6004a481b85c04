// SPDX-License-Identifier: Apache-2.0
// Runs a warp: selects the group of lanes that is furthest behind, executes it, and tracks lanes
// that diverge and reconverge.
#include <algorithm>
#include <bit>
#include <cstring>

#include "cpu/checks/checks.hpp"
#include "cpu/compile/plan.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"

namespace cucore::cpu {
namespace {

constexpr uint32_t PREEMPTION = 8;  // a random schedule preempts one access in so many

class Interpreter {
 public:
  explicit Interpreter(Warp& w) : w_(w) {}
  WarpStatus run();

 private:
  bool select();
  void install();
  void merge_here();
  bool join_frames(Frame* into, Frame* from, uint32_t levels);
  void copy_lanes(const Register& r, const Frame& into, const Frame& from);
  void park();
  void add_group(Frame* frame, uint32_t pc, uint32_t mask);
  void drop_current();
  void split(uint32_t on, uint32_t target, uint32_t rest);
  bool pass_or_wait(uint32_t ready, uint32_t partial, GroupState state);
  template <bool Checked>
  WarpStatus loop();
  template <bool Checked = false>
  bool step(const Op& op);
  void run_checked(const Op& op);
  void run_noted(const Op& op);
  uint32_t run_batch(const Op* op, uint32_t count);
  void run_planned(uint32_t count);
  bool step_control(const Op& op, uint32_t on);
  bool branch(const Op& op, uint32_t on);
  bool branch_table(const Op& op);
  bool call(const Op& op);
  bool call_indirect(const Op& op, const CallSite& site);
  void enter(const Op& op, const CallSite& site, const DecodedFunction& callee);
  void copy_spill(const Frame& frame, const Spill& spill);
  bool leave();
  bool exit();
  bool sync(const Op& op);
  uint32_t same_mask(Slot slot, uint32_t of) const;
  bool warp_barrier(const Op& op);
  void release_warp_barrier(uint32_t member);
  bool barrier(const Op& op);
  bool arrive(const Op& op);
  bool cluster_wait(const Op& op);
  uint32_t value(Slot slot) const { return w_.at<uint32_t>(slot)[std::countr_zero(w_.active)]; }

  Warp& w_;
  uint32_t current_ = 0;  // index of the running group
  uint32_t pc_ = 0;
  uint32_t limit_ = 0;          // another group of this frame waits there
  bool others_behind_ = false;  // lanes that wait for members at a lower address
  uint32_t lanes_ = 0;
  uint64_t count_ = 0;
  uint64_t thread_count_ = 0;
  const Op* ops_ = nullptr;
  const Plan* plan_ = nullptr;         // of the running function, in a launch without checks
  const CheckTable* table_ = nullptr;  // of the running function, in a checked launch
};

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
  Group& g = w_.groups[current_];
  g.stamp = ++w_.clock;
  w_.frame = g.frame;
  w_.active = w_.mask = g.mask;
  w_.bases[FRAME_BASE] = g.frame->registers;
  w_.bases[CONSTANT_BASE] = g.frame->function->constants.get();
  ops_ = g.frame->function->ops.data();
  if (w_.block->checks)
    table_ = &check_table(*g.frame->function);
  else
    plan_ = &plan_of(*g.frame->function);
  pc_ = g.pc;
  lanes_ = uint32_t(std::popcount(g.mask));
  limit_ = ~uint32_t{0};
  others_behind_ = false;
  if (w_.group_count == 1) return;
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
  lanes_ = uint32_t(std::popcount(w_.active));
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

void Interpreter::drop_current() { w_.groups[current_] = w_.groups[--w_.group_count]; }

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

WarpStatus Interpreter::run() {
  const bool runs = select();
  const WarpStatus status = runs      ? (w_.block->checks ? loop<true>() : loop<false>())
                            : w_.live ? WarpStatus::BLOCKED
                                      : WarpStatus::DONE;
  w_.rotate = status == WarpStatus::EXPIRED && w_.group_count > 1;
  w_.worker->warp_instructions += count_;
  w_.worker->thread_instructions += thread_count_;
  return status;
}

// ---- checked launches

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

void Interpreter::run_checked(const Op& op) {
  const auto index = size_t(&op - ops_);
  const CheckedOp& checked = table_->ops[index];
  if (checked.hook == Hook::NONE) return op.run(w_, op);
  const LaunchChecks& launch = w_.block->checks->launch;
  if (launch.random && launch.random->below(PREEMPTION) == 0) w_.quantum = 0;
  if (checked.hook == Hook::OTHER || checked.hook == Hook::SYNC) return run_noted(op);
  if (checked.hook == Hook::FENCE) {
    if (launch.set & CHECK_RACE) on_fence(w_);
    return op.run(w_, op);
  }
  if (launch.set == 0) return op.run(w_, op);
  const uint32_t before = w_.mask, good = before_access(w_, op, checked);
  if (good != before) {
    zero_lanes(w_, op, checked, before & ~good);
    w_.mask = good;
  }
  if (good) op.run(w_, op);
  if (w_.block->checks->acquiring) after_access(w_);
  w_.mask = before;
}

// Returns the number of instructions that ran: under a random schedule, memory instructions may end
// the batch.
uint32_t Interpreter::run_batch(const Op* op, uint32_t count) {
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

void Interpreter::run_planned(uint32_t count) {
  const Plan::Batch batch = plan_->batches[pc_];
  const Step* step = plan_->steps.data() + batch.first;
  if (batch.count) [[likely]] {
    for (const Step* end = step + batch.count; step != end; ++step) step->run(w_, *step->op);
    return;
  }
  const Op* op = ops_ + pc_;
  for (const Op* end = op + count; op != end; ++op) op->run(w_, *op);
}

template <bool Checked>
WarpStatus Interpreter::loop() {
  for (;;) {
    if (pc_ >= limit_ || w_.quantum <= 0) [[unlikely]] {
      park();
      if (w_.quantum <= 0) return WarpStatus::EXPIRED;
      if (w_.rotate) {
        merge_here();
      } else {
        select();
        continue;
      }
    }
    const Op* op = ops_ + pc_;
    if (uint32_t n = op->batch) {
      if constexpr (Checked)
        n = run_batch(op, n);
      else
        run_planned(n);
      pc_ += n;
      count_ += n;
      thread_count_ += uint64_t{n} * lanes_;
      w_.quantum -= n;
      continue;
    }
    ++count_;
    thread_count_ += lanes_;
    --w_.quantum;
    if (!step<Checked>(*op)) [[unlikely]] {
      if (!select()) return w_.live ? WarpStatus::BLOCKED : WarpStatus::DONE;
    }
  }
}

// Returns false if the running group has changed and another must be selected.
template <bool Checked>
bool Interpreter::step(const Op& op) {
  uint32_t on = w_.active;
  if (op.guard != NO_SLOT) {
    const uint32_t p = *w_.at<uint32_t>(op.guard);
    on &= op.guard_negated ? ~p : p;
  }
  if (op.kind == OpKind::BRANCH) return branch(op, on);
  if (op.kind == OpKind::PLAIN) {
    if (on) {
      w_.mask = on;
      if constexpr (Checked)
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
      w_.quantum = 0;
      ++pc_;
      return true;
    default:
      raise(w_, op, std::countr_zero(w_.active), CUDA_ERROR_LAUNCH_FAILED, "invalid program", "");
  }
}

bool Interpreter::branch(const Op& op, uint32_t on) {
  if (on == w_.active) {
    if (others_behind_ && op.target <= pc_) limit_ = 0;  // it may meet them now
    pc_ = op.target;
  } else if (on == 0) {
    ++pc_;
  } else {
    split(on, op.target, pc_ + 1);
    return false;
  }
  return true;
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
    split(same, targets[first], here);
    return false;
  }
  pc_ = targets[first];
  return true;
}

// ---- calls

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
    w_.groups[current_].mask = w_.active = w_.mask = same;
    lanes_ = uint32_t(std::popcount(same));
    add_group(w_.frame, pc_, others);
  }
  enter(op, site, *callee);
  return true;
}

void copy_argument(const Warp& w, const Frame& from, const Argument& a, const Frame& to,
                   const Argument& b) {
  auto place = [](const Frame& f, const Argument& x, int lane) {
    if (x.kind == Argument::PARAM) return f.params + size_t(lane) * f.param_stride + x.offset;
    std::byte* base = (x.slot & 3) == CONSTANT_BASE ? f.function->constants.get() : f.registers;
    return base + (x.slot & ~uint32_t{3}) + size_t(lane) * x.size;
  };
  const uint32_t size = a.size < b.size ? a.size : b.size;
  for (uint32_t m = w.active; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    __builtin_memcpy(place(to, b, lane), place(from, a, lane), size);
  }
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

bool Interpreter::exit() {
  const uint32_t gone = w_.active;
  for (Frame* frame = w_.frame; frame;) {
    Frame* parent = frame->parent;
    frame->lanes &= ~gone;
    if (parent && frame->lanes == 0) w_.block->leave(frame);
    frame = parent;
  }
  w_.live &= ~gone;
  drop_current();
  for (uint32_t i = 0; i < w_.group_count; ++i)
    if (w_.groups[i].state == GroupState::WARP_SYNC) w_.groups[i].state = GroupState::READY;
  for (uint32_t i = 0; i < w_.group_count; ++i) {
    if (w_.groups[i].state != GroupState::WARP_BARRIER) continue;
    release_warp_barrier(w_.groups[i].wait);
  }
  w_.block->threads_left(uint32_t(std::popcount(gone)));
  w_.block->cluster.leave(w_, gone);
  return false;
}

// ---- lanes that wait for each other

// Returns the lanes of `of` with the same member mask as its first lane.
uint32_t Interpreter::same_mask(Slot slot, uint32_t of) const {
  if ((slot & 3) == CONSTANT_BASE) return of;
  const uint32_t* masks = w_.at<uint32_t>(slot);
  const uint32_t first = masks[std::countr_zero(of)];
  uint32_t same = 0, differs = 0;
  for (int l = 0; l < LANES; ++l) differs |= masks[l] ^ first;
  if (differs == 0) return of;
  for (uint32_t m = of; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    same |= uint32_t{masks[lane] == first} << lane;
  }
  return same;
}

// Lanes that run together may belong to several groups. Each group continues when it is complete.
bool Interpreter::sync(const Op& op) {
  if (w_.group_count > 1) {
    const uint32_t before = w_.active;
    merge_here();
    if (w_.active != before) return step(op);  // the guard applies to the lanes that have arrived
  }
  uint32_t ready = 0, partial = 0;
  for (uint32_t rest = w_.active; rest; rest &= ~w_.mask) {
    w_.mask = same_mask(op[Exchange::MEMBERS], rest);
    const uint32_t member =
        w_.at<uint32_t>(op[Exchange::MEMBERS])[std::countr_zero(rest)] & w_.live;
    const bool whole = (member & ~w_.active) == 0;
    if (whole) op.run(w_, op);
    (whole ? ready : partial) |= w_.mask;
  }
  w_.mask = w_.active;
  if (ready && w_.block->checks) on_warp_barrier(w_);
  return pass_or_wait(ready, partial, GroupState::WARP_SYNC);
}

bool Interpreter::warp_barrier(const Op& op) {
  if (w_.block->checks) on_warp_barrier(w_);
  uint32_t waits[LANES], masks[LANES], count = 0, partial = 0;
  for (uint32_t rest = w_.active; rest;) {
    const uint32_t same = same_mask(op[Exchange::MEMBERS], rest);
    const uint32_t member = w_.at<uint32_t>(op[Exchange::MEMBERS])[std::countr_zero(rest)];
    rest &= ~same;
    if ((member & w_.live & ~w_.active) == 0) continue;
    waits[count] = member;
    masks[count++] = same;
    partial |= same;
  }
  if (partial == 0) {
    ++pc_;
    return true;
  }
  if (partial != w_.active) split(partial, pc_, pc_ + 1);
  w_.groups[current_].mask = masks[0];
  for (uint32_t i = 0; i < count; ++i) {
    if (i > 0) add_group(w_.frame, pc_, masks[i]);
    Group& g = w_.groups[i > 0 ? w_.group_count - 1 : current_];
    g.pc = pc_;
    g.wait = waits[i];
    g.state = GroupState::WARP_BARRIER;
  }
  for (uint32_t i = 0; i < count; ++i) release_warp_barrier(waits[i]);
  return false;
}

void Interpreter::release_warp_barrier(uint32_t member) {
  uint32_t present = 0;
  for (uint32_t i = 0; i < w_.group_count; ++i) {
    const Group& g = w_.groups[i];
    if (g.state == GroupState::WARP_BARRIER && g.wait == member) present |= g.mask;
  }
  if (member & w_.live & ~present) return;
  for (uint32_t i = 0; i < w_.group_count; ++i) {
    Group& g = w_.groups[i];
    if (g.state != GroupState::WARP_BARRIER || g.wait != member) continue;
    g.state = GroupState::READY;
    ++g.pc;
  }
}

uint32_t barrier_number(const Warp& w, const Op& op, uint32_t id, uint32_t threads) {
  if (id >= NUMBERED_BARRIERS || threads % LANES)
    raise(w, op, std::countr_zero(w.active), CUDA_ERROR_ILLEGAL_INSTRUCTION, "invalid barrier",
          std::to_string(id) + ", " + std::to_string(threads));
  return id;
}

bool Interpreter::barrier(const Op& op) {
  const uint32_t threads =
      op[BlockBarrier::THREADS] == NO_SLOT ? 0 : value(op[BlockBarrier::THREADS]);
  const Slot number = op[BlockBarrier::NUMBER];
  const uint32_t id = number == NO_SLOT ? NUMBERED_BARRIERS + w_.index / 4
                                        : barrier_number(w_, op, value(number), threads);
  uint32_t predicate = 0;
  if (op.kind == OpKind::REDUCE) {
    predicate = *w_.at<uint32_t>(op[BlockBarrier::PREDICATE]);
    if (op.target) predicate = ~predicate;
  }
  Group& g = w_.groups[current_];
  g.pc = pc_;
  g.wait = id;
  g.state = GroupState::BARRIER;
  if (w_.block->checks) on_block_barrier(w_, id);
  if (!w_.block->arrive(w_, id, threads, w_.active, predicate)) return false;
  if (w_.group_count > 1) return false;
  pc_ = g.pc;  // complete: this group was released too
  return true;
}

bool Interpreter::arrive(const Op& op) {
  const uint32_t threads = value(op[BlockBarrier::THREADS]);
  const uint32_t id = barrier_number(w_, op, value(op[BlockBarrier::NUMBER]), threads);
  if (w_.block->checks) on_block_barrier(w_, id);
  ++pc_;
  park();
  w_.block->arrive(w_, id, threads, w_.active, 0);
  return w_.group_count == 1;
}

// Lanes whose phase is complete continue; the others wait.
bool Interpreter::cluster_wait(const Op& op) {
  Cluster& cluster = w_.block->cluster;
  if (const uint32_t stray = w_.active & ~cluster.arrived(w_))
    raise(w_, op, std::countr_zero(stray), CUDA_ERROR_LAUNCH_FAILED,
          "invalid use of the barrier of a cluster", "a thread waits that has not arrived");
  const uint32_t ready = w_.active & cluster.completed(w_);
  const uint32_t partial = w_.active & ~ready;
  cluster.pass(w_, ready);
  if (ready && w_.block->checks) on_cluster_wait(w_);
  return pass_or_wait(ready, partial, GroupState::CLUSTER);
}

}  // namespace

WarpStatus run_warp(Warp& w) { return Interpreter(w).run(); }

}  // namespace cucore::cpu
