// SPDX-License-Identifier: Apache-2.0
// Runs a warp: selects the group of lanes that is furthest behind, executes it, and tracks lanes
// that diverge and reconverge.
#pragma once

#include <bit>

#include "cpu/exec/block.hpp"

namespace cucore::cpu {

struct CheckedOp;
struct CheckTable;
struct FunctionCounts;
struct Plan;
struct Step;

// The number of lanes in a mask; most warps are whole.
inline uint32_t count_lanes(uint32_t mask) {
  return mask == FULL_MASK ? uint32_t(LANES) : uint32_t(std::popcount(mask));
}

class Interpreter {
 public:
  explicit Interpreter(Warp& w) : w_(w) {}
  WarpStatus run();

 private:
  bool select();
  inline bool select_only();
  void install();
  inline void adopt();
  void meet_others();
  void merge_here();
  bool join_frames(Frame* into, Frame* from, uint32_t levels);
  void copy_lanes(const Register& r, const Frame& into, const Frame& from);
  void park();
  void add_group(Frame* frame, uint32_t pc, uint32_t mask);
  void drop_current();
  void split(uint32_t on, uint32_t target, uint32_t rest);
  bool pass_or_wait(uint32_t ready, uint32_t partial, GroupState state);
  template <bool Checked, bool Counted>
  WarpStatus loop();
  template <bool Checked, bool Counted>
  bool step(const Op& op);
  // checked_run.cpp
  void run_checked(const Op& op);
  void run_unusual(const Op& op, const CheckedOp& checked);
  inline bool check_as_usual(const Op& op, const CheckedOp& checked);
  void run_noted(const Op& op);
  uint32_t run_batch(const Op* op, uint32_t count);
  void run_steps(const Step* step, size_t count);
  // counted_run.cpp
  WarpStatus run_counted_loop();
  void follow_function();
  void charge_warp();
  void note_step(const Op& op, uint32_t on);
  void take_back(uint32_t lanes, bool warp);
  template <bool Checked>
  void run_counted(const Op& op);
  void run_observed(const Op& op);  // with counts, checks or both
  template <bool Checked>
  uint32_t run_each(const Op* op, uint32_t count);
  template <bool Checked>
  uint32_t run_counted_batch(const Op* op, uint32_t count);
  inline void run_planned(uint32_t count);
  WarpStatus idle(bool awake);
  bool step_control(const Op& op, uint32_t on);
  inline bool branch_together(const Op& op, uint32_t on);
  bool branch(const Op& op, uint32_t on);
  void leave_frames(uint32_t gone);
  bool branch_table(const Op& op);
  bool call(const Op& op);
  bool call_indirect(const Op& op, const CallSite& site);
  void enter(const Op& op, const CallSite& site, const DecodedFunction& callee);
  void copy_spill(const Frame& frame, const Spill& spill);
  bool leave();
  bool exit();
  void rouse_others();
  bool sync(const Op& op);
  uint32_t same_mask(Slot slot, uint32_t of) const;
  bool warp_barrier(const Op& op);
  void release_warp_barrier(uint32_t member);
  bool barrier(const Op& op);
  bool arrive(const Op& op);
  bool cluster_wait(const Op& op);
  // sleep.cpp
  bool sleep(const Op& op);
  bool wake();  // false: a group still sleeps
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
  const Plan* plan_ = nullptr;         // of the running function; not under a random schedule
  const CheckTable* table_ = nullptr;  // of the running function, in a checked launch
  bool has_sites_ = false;             // the running function is of the module with sites
  // In a counted launch: the counts of the running function, its instructions, and how much of
  // count_ its block has received.
  FunctionCounts* counts_ = nullptr;
  const Op* counted_ops_;
  uint64_t charged_;
};

}  // namespace cucore::cpu
