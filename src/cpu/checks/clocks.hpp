// SPDX-License-Identifier: Apache-2.0
// The order of accesses of one block's warps: barriers, fences, and order from atomics.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cpu/checks/segments.hpp"

namespace cucore::cpu {

// The released segments that happened before a warp, by block: those up to a tick. If a set would
// have too many blocks, it covers all blocks up to its last tick.
struct Knowledge {
  uint32_t all = 0;
  std::vector<std::pair<uint32_t, uint32_t>> blocks;  // block, tick; ascending
  uint32_t of(uint32_t block) const;
};
using Known = std::shared_ptr<const Knowledge>;
Known merged(const Known& a, const Known& b);
Known with(const Known& known, uint32_t block, uint32_t tick);

// Variables through which threads synchronise, by address.
class SyncVariables {
 public:
  void publish(uint64_t address, const Known& known);
  Known at(uint64_t address) const;
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  void clear();

 private:
  static constexpr size_t MOST = 1024;  // further addresses share one
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, Known> known_;
  Known overflow_;
  std::atomic<size_t> count_{0};
};

// The ids that one worker gives to segments, in ascending order.
class SegmentSource {
 public:
  uint32_t take();  // 0: none are left
  uint32_t last() const { return last_; }
  uint32_t chunk_start() const { return chunk_; }
  uint32_t end() const { return end_; }  // of the ids that it has at hand

 private:
  uint32_t next_ = 0, end_ = 0, last_ = 0, chunk_ = 0;
};

class BlockClock {
 public:
  BlockClock(uint32_t warps, SegmentSource& source);
  void begin(uint32_t operation, uint32_t block);

  // Returns the id of the warp's segment, with a new one after a synchronisation; 0: none left.
  uint32_t segment(uint32_t warp);
  // Returns the id for accesses of several warps since the last barrier of all.
  uint32_t several();
  uint32_t several_if_any() const { return several_; }
  // Ids up to this one are of accesses that happened before the warp's.
  uint32_t floor(uint32_t warp) const { return floor_[warp]; }
  bool is_current(uint32_t warp, uint32_t id) const { return current_[warp] == id; }
  // Whether the segment of this block, up to which `warp` has synchronised, happened before.
  bool ordered(uint32_t warp, uint32_t id, const Segment& segment) const;

  void arrive(uint32_t warp, uint32_t barrier);
  void release(uint32_t barrier, uint32_t waiting);  // one bit per warp
  void warp_barrier(uint32_t warp);
  // A narrow fence, or variable, is one for the threads of the block alone.
  void fence(uint32_t warp, bool is_narrow);
  // Publishes what the warp may release at this address, and takes over what others released.
  void acquire(uint32_t warp, const SyncVariables& variables, uint64_t address, bool is_narrow);
  void publish(uint32_t warp, SyncVariables& variables, uint64_t address, bool is_narrow);

  // Whether barriers of all warps were the only order, and the warp has had one segment since.
  bool is_simple(uint32_t warp) const {
    return !partial_ && !fenced_any_ && first_[warp] == current_[warp];
  }
  bool has_fenced() const { return fenced_any_; }
  // Changes with everything that a rule of the warp depends on.
  uint64_t version(uint32_t warp) const { return version_ + arrivals_[warp]; }
  // Changes with everything that rules depend on, except the arrival of their warp at a barrier.
  uint64_t common_version() const { return version_; }
  uint32_t block() const { return block_; }
  // The block has no smaller ids.
  uint32_t first_id() const { return first_id_; }
  const Known& known(uint32_t warp) const { return known_[warp]; }

 private:
  static constexpr uint32_t WARPS = 32;
  void set_floor(uint32_t warp);
  void begin_narrow();
  // Barriers of all warps are the only order in most blocks. Then one id describes what all have
  // seen, and the table is not valid.
  uint32_t seen(uint32_t warp, uint32_t other) const {
    return has_table_ ? seen_[warp * WARPS + other] : seen_by_all_;
  }
  void begin_table();

  const uint32_t warps_;
  SegmentSource& source_;
  uint32_t operation_ = 0, block_ = 0, several_ = 0, first_id_ = 1;
  uint64_t version_ = 1;
  uint64_t arrivals_[WARPS] = {};  // never reset, so that no sum with the version returns
  bool fenced_any_ = false;
  bool has_narrow_ = false;  // a narrow fence has been executed
  bool has_table_ = false;
  uint32_t seen_by_all_ = 0;
  bool partial_ = false;               // a barrier of a part of the warps has completed
  uint32_t seen_[WARPS * WARPS] = {};  // last ids of other warps that happened before
  uint32_t current_[WARPS] = {};       // 0: the next access begins a segment
  uint32_t last_[WARPS] = {};
  uint32_t first_[WARPS] = {};  // segment after the last barrier; 0: none yet
  uint32_t floor_[WARPS] = {};
  // Ids up to which a fence has made accesses visible: to the device, and to the block.
  uint32_t fenced_[WARPS] = {}, fenced_in_block_[WARPS] = {};
  Known known_[WARPS];
  Known wide_[WARPS];  // the part that is visible to the device; valid after a narrow fence
  struct Gathering {
    uint32_t warps = 0;
    uint32_t all = 0;  // seen of each warp
    uint32_t seen[WARPS] = {};
    Known known, wide;
  };
  std::map<uint32_t, Gathering> barriers_;
  std::vector<std::pair<uint32_t, uint32_t>> unreleased_;  // id, warp
};

}  // namespace cucore::cpu
