// SPDX-License-Identifier: Apache-2.0
// One access of a warp to the shadow of global or shared memory: initialisation and races.
#pragma once

#include "cpu/checks/checks.hpp"

namespace cucore::cpu {

// Bits of the bytes of a part of memory, and the cells, for the addresses from `base` on.
struct Target {
  std::atomic<uint64_t>* bits = nullptr;
  const Cells* cells = nullptr;
  uint64_t base = 0;
  bool in_shared = false;
  const char* space = "global";
};

class Visitor {
 public:
  Visitor(Warp& w, const Op& op, const CheckedOp& checked, const Lanes& lanes, Target target)
      : w_(w),
        op_(op),
        checked_(checked),
        lanes_(lanes),
        target_(target),
        checks_(*w.block->checks) {}
  void run(uint32_t active);
  // Records an earlier read.
  void record(uint32_t active, const Rule& rule, uint16_t site) {
    rule_ = &rule;
    site_ = site;
    races(active);
  }

 private:
  void initialisation(uint32_t active);
  bool initialise_parts();
  void initialise_lane(int lane);
  void races(uint32_t active);
  void exact(int lane, uint32_t recorded);
  bool same_values() const;
  AccessContext context() const;
  void divide(uint32_t active) const;

  Warp& w_;
  const Op& op_;
  const CheckedOp& checked_;
  const Lanes& lanes_;
  const Target target_;
  BlockChecks& checks_;
  const Rule* rule_ = nullptr;
  uint16_t site_ = 0;
};

}  // namespace cucore::cpu
