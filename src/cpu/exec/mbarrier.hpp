// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory (mbarrier): their 64 bits and their place in a cluster. One worker runs
// all blocks of a cluster, so atomic operations are not needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cpu/exec/access.hpp"
#include "cpu/exec/warp.hpp"

namespace cucore::cpu {

inline constexpr uint32_t MBARRIER_LIMIT = (1u << 20) - 1;  // limit of counts

// The 64 bits of an mbarrier; mbarrier.arrive returns a copy of them as its state.
struct MbarrierWord {
  uint32_t phase = 0;     // 1 bit
  uint32_t expected = 0;  // arrivals expected in the next phases
  uint32_t pending = 0;   // arrivals missing in this phase
  int32_t bytes = 0;      // bytes that copies have still to deliver

  static MbarrierWord of(uint64_t v) {
    MbarrierWord b;
    b.phase = v & 1;
    b.expected = uint32_t(v >> 1) & MBARRIER_LIMIT;
    b.pending = uint32_t(v >> 21) & MBARRIER_LIMIT;
    b.bytes = int32_t(int64_t(v) >> 41);
    return b;
  }
  uint64_t packed() const {
    return uint64_t(int64_t(bytes)) << 41 | uint64_t{pending} << 21 | uint64_t{expected} << 1 |
           phase;
  }
  void complete_if_done() {
    if (pending != 0 || bytes != 0) return;
    phase ^= 1;
    pending = expected;
  }
};

// An mbarrier of a cluster: its block, and its offset in the shared memory of the block.
struct Mbarrier {
  Block* block = nullptr;
  uint32_t offset = 0;

  uint64_t bits() const;
  void store(uint64_t bits) const;
  MbarrierWord word() const { return MbarrierWord::of(bits()); }
  void store(const MbarrierWord& word) const { store(word.packed()); }
  // One of few values for each block, with the offset: a key for tables of the cluster.
  uint64_t key() const;
  bool operator==(const Mbarrier&) const = default;
};

// Finds the mbarrier at the lane's address. Faults if the address is not in shared memory, or if no
// mbarrier.init has made an mbarrier there.
Mbarrier find_mbarrier(Warp& w, const Op& op, int lane, uint64_t address, Region region);
// Does the same for the place of a new mbarrier.
Mbarrier place_mbarrier(Warp& w, const Op& op, int lane, uint64_t address, Region region);

[[noreturn]] void misused_mbarrier(const Warp& w, const Op& op, int lane, const char* what);
// Adds to the bytes that copies have still to deliver.
void change_bytes(const Warp& w, const Op& op, int lane, MbarrierWord& word, int64_t change);

}  // namespace cucore::cpu
