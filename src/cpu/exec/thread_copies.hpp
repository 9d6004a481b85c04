// SPDX-License-Identifier: Apache-2.0
// The copies of cp.async that the threads of a warp have issued and not waited for. The data moves
// in the wait, as late as PTX permits.
#pragma once

#include <cstdint>
#include <deque>

#include "cpu/exec/warp.hpp"

namespace cucore::cpu {

// One cp.async of a warp.
struct ThreadCopy {
  const Op* op = nullptr;
  const DecodedFunction* function = nullptr;
  uint64_t number = 0;  // in the order of the warp's copies
  uint32_t lanes = 0;   // whose copy is not complete
  uint32_t size = 0;
  uint32_t group[LANES] = {};  // of the thread; the current one has the number of committed groups
  uint64_t to[LANES] = {};
  uint64_t from[LANES] = {};
  uint8_t wanted[LANES] = {};  // bytes to read; the rest is zero
};

class ThreadCopies {
 public:
  // Without memory for another copy, the oldest copies complete.
  void add(Warp& w, const ThreadCopy& copy);
  void commit(uint32_t lanes);
  // Completes all groups of the lanes but the last `pending` ones.
  void wait_group(Warp& w, uint32_t lanes, uint32_t pending);
  void wait_all(Warp& w, uint32_t lanes) { finish(w, lanes, ~uint64_t{0}); }
  // Completes the copies of the lanes that have smaller numbers.
  void finish(Warp& w, uint32_t lanes, uint64_t number);
  uint64_t next_number() const { return next_; }
  bool has_pending(int lane) const;
  // The block ends without these copies.
  void clear(Block& block);

 private:
  template <class Lanes>
  void complete(Warp& w, Lanes lanes_of, bool waits);

  std::deque<ThreadCopy> pending_;
  uint64_t next_ = 0;
  uint32_t committed_[LANES] = {};
};

// The operands of a cp.async.
uint32_t copy_size(const Warp& w, const Op& op);  // bytes per thread
uint32_t copy_source_size(const Warp& w, const Op& op, int lane);
uint64_t copy_destination(const Warp& w, const Op& op, int lane);
uint64_t copy_source(const Warp& w, const Op& op, int lane);

}  // namespace cucore::cpu
