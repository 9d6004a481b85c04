// SPDX-License-Identifier: Apache-2.0
// Segments: parts of a warp's execution between synchronisations. Cells of shadow memory contain
// their ids. A bounded table maps an id to its block, warp and operation of a stream. An id that
// has left the table counts as ordered: reports stay true, and memory stays bounded.
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cpu/checks/check_table.hpp"
#include "cpu/checks/joined_reads.hpp"

namespace cucore::cpu {

// The number of operations of each stream, by the number of the stream, that happened before.
using StreamClock = std::vector<uint32_t>;

// A kernel, copy or fill of a stream.
struct StreamWork {
  std::string name;  // "kernel 'saxpy'", "cuMemcpyDtoHAsync_v2 call 3"
  uint32_t stream = 0;
  uint32_t position = 0;                      // in its stream, from 1; 0: not tracked
  std::shared_ptr<const StreamClock> before;  // nullptr: not tracked
  std::shared_ptr<const Places> places;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  // Set at its begin:
  uint32_t number = 0;
  uint32_t first_segment = 0;
  uint32_t floor = 0;  // segments before this one belong to work that happened before
  bool is_kernel = false;
  bool is_host = false;   // accesses of the program itself, see host_work.hpp
  bool is_alone = false;  // no other one was running
  // The order with accesses of the program is unknown, see host_work.hpp.
  std::atomic<bool> may_follow_host{false};

  // Reads of other operations, for which its records stand.
  mutable JoinedReads joined;
  // The first id of another operation that stands for a read of this one.
  mutable std::atomic<uint32_t> first_joined{~0u};

  bool after(const StreamWork& other) const;
  // A record of another operation stands for a read of this one.
  void note_record(uint32_t id) const;
};

inline constexpr uint32_t NO_BLOCK = ~uint32_t{0};  // an access of several blocks, or of a copy
inline constexpr uint32_t SEVERAL_WARPS = 255;
inline constexpr uint32_t NO_WARP = 254;  // an access of a copy or of the host

struct Segment {
  uint32_t operation = 0;
  uint32_t block = 0;
  uint32_t warp = 0;
  uint32_t released = 0;  // 0: no fence has published its accesses
};

class Segments {
 public:
  static Segments& instance();

  // Numbers the operation and computes its floor. Each begin needs an end.
  void begin(const std::shared_ptr<StreamWork>& operation);
  void end(const StreamWork& operation);
  std::shared_ptr<const StreamWork> operation(uint32_t number) const;

  static constexpr uint32_t CHUNK = 256;
  // Returns the first of CHUNK new ids; 0 if all are used.
  uint32_t take_chunk();
  void name(uint32_t id, uint32_t operation, uint32_t block, uint32_t warp);
  bool find(uint32_t id, Segment& segment) const;
  void release(uint32_t id, uint32_t tick);
  // Returns the end of the ids that belong to the operation alone, from its first one on. That is
  // the first one if another operation has run since its begin.
  uint32_t end_of_alone(const StreamWork& operation) const;
  uint32_t next_tick() { return ticks_.fetch_add(1, std::memory_order_relaxed) + 1; }

 private:
  Segments();
  struct State;
  std::unique_ptr<State> state_;
  std::atomic<uint32_t> next_{1};
  std::atomic<uint32_t> latest_{0};  // the operation that began last
  std::atomic<uint32_t> ticks_{0};
};

}  // namespace cucore::cpu
