// SPDX-License-Identifier: Apache-2.0
// The launches of one thread in a session. Only that thread uses them while the session runs. Most
// launches are only counted, by the core in the tally of their row. Those need no lock, and share
// no memory with other threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>

#include "perf/profile/launch_table.hpp"
#include "perf/profile/timing_budget.hpp"

namespace cucore::perf {

// The numbers of a launch as its caller has written them, from the grid to the shared memory.
struct LaunchShape {
  std::array<uint64_t, 5> words{};

  static LaunchShape of(const cucore_launch_options& options) {
    LaunchShape shape;
    static_assert(offsetof(cucore_launch_options, dynamic_shared) + sizeof(uint32_t) -
                      offsetof(cucore_launch_options, grid) ==
                  sizeof shape.words);
    std::memcpy(shape.words.data(), options.grid, sizeof shape.words);
    return shape;
  }
  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

struct LaunchKey {
  const cucore_kernel* kernel = nullptr;
  const cucore_device* device = nullptr;
  const cucore_stream* stream = nullptr;
  size_t range = 0;  // the innermost of the thread
  LaunchShape shape;
  friend bool operator==(const LaunchKey&, const LaunchKey&) = default;
};

// The launches of one kernel, shape and stream in one range. It shares no line of the cache with
// other memory.
struct alignas(64) LaunchRow {
  cucore_launch_tally tally = CUCORE_LAUNCH_TALLY_INIT;  // of all launches
  LaunchKey key;
  size_t entry = 0;     // of the launch table
  uint32_t paused = 0;  // what the tally had left when the thread left the range
  // Of the rows whose tallies the observer has set.
  bool is_set = false;
  LaunchRow* next_set = nullptr;
  // The last launch that the session has looked at.
  Spacing spacing;     // to the next one
  double visited = 0;  // seconds since the begin of the session

  // Counts a launch that ended, and was observed.
  void count(const cucore_operation& launch);
};

class ThreadLaunches {
 public:
  // Of the thread, the innermost one. Launches of the previous range have no tally any more.
  size_t range() const { return range_; }
  void set_range(size_t range);

  // Returns the row of a launch that is only counted, and counts down; null for other launches.
  LaunchRow* find_counted(const cucore_operation& launch);
  // Returns the row of a launch. A new row has the entry NO_INDEX.
  LaunchRow& find(const cucore_operation& launch);
  // Lets the next launches of the row be counted without a call, as many as its tally has left.
  // Call in the begin of a launch of the row.
  void set_tally(const cucore_operation& launch, LaunchRow& row);

  // No launch may run.
  template <class Use>
  void for_each(Use&& use) const {
    for (const auto& [key, row] : rows_) use(row);
  }

 private:
  struct Hash {
    size_t operator()(const LaunchKey& key) const;
  };
  LaunchKey key_of(const cucore_operation& launch) const {
    return {launch.kernel, launch.device, launch.stream, range_, LaunchShape::of(*launch.launch)};
  }

  size_t range_ = 0;
  LaunchRow* first_set_ = nullptr;
  std::unordered_map<LaunchKey, LaunchRow, Hash> rows_;
};

}  // namespace cucore::perf
