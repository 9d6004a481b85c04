// SPDX-License-Identifier: Apache-2.0
// The launches of one thread in a session. Only that thread uses them while the session runs. A
// launch that is only counted needs no lock, and shares no memory with other threads.
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
  // Compares without a copy.
  bool is_of(const cucore_launch_options& options) const {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&options);
    constexpr size_t FIRST = offsetof(cucore_launch_options, grid);
    uint64_t differing = 0;
    for (size_t i = 0; i < words.size(); ++i) {
      uint64_t word = 0;
      std::memcpy(&word, bytes + FIRST + sizeof word * i, sizeof word);
      differing |= word ^ words[i];
    }
    return differing == 0;
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
  LaunchKey key;
  size_t entry = 0;        // of the launch table
  uint32_t countdown = 0;  // launches before the next one that the session looks at
  uint64_t calls = 0, captured = 0, failed = 0;
  LaunchAmounts hints;  // of all calls
  uint64_t with_bytes = 0, with_operations = 0;
  // The last launch that the session has looked at.
  Spacing spacing;     // to the next one
  double visited = 0;  // seconds since the begin of the session

  // Counts a launch that ended.
  void count(const cucore_operation& launch) {
    if (launch.status != CUCORE_OK) [[unlikely]] {
      ++failed;
    } else if (launch.captured) [[unlikely]] {
      ++captured;
    } else {
      ++calls;
      const cucore_launch_options& how = *launch.launch;
      if (how.bytes_read | how.bytes_written | how.operations) add_hints(how);
    }
  }

 private:
  void add_hints(const cucore_launch_options& options);
};

class ThreadLaunches {
 public:
  // The innermost range of the thread.
  size_t range = 0;

  // Returns the row of a launch; null if it has none yet.
  LaunchRow* find_known(const cucore_operation& launch) {
    const size_t place = place_of(launch);
    for (const size_t each : {place, place ^ 1})
      if (LaunchRow* const row = recent_[each]; row && is_of(launch, row->key)) return row;
    return find_old(launch);
  }
  // Returns the row of a launch. A new row has the entry NO_INDEX.
  LaunchRow& find(const cucore_operation& launch);

  // No launch may run.
  template <class Use>
  void for_each(Use&& use) const {
    for (const auto& [key, row] : rows_) use(row);
  }

 private:
  static constexpr size_t RECENT = 64;
  struct Hash {
    size_t operator()(const LaunchKey& key) const;
  };
  LaunchKey key_of(const cucore_operation& launch) const {
    return {launch.kernel, launch.device, launch.stream, range, LaunchShape::of(*launch.launch)};
  }
  bool is_of(const cucore_operation& launch, const LaunchKey& key) const {
    return key.kernel == launch.kernel && key.stream == launch.stream && key.range == range &&
           key.device == launch.device && key.shape.is_of(*launch.launch);
  }
  LaunchRow* find_old(const cucore_operation& launch);
  // Two launches may have the same place, so a row may also be in the next one.
  void remember(const cucore_operation& launch, LaunchRow& row) {
    LaunchRow*& first = recent_[place_of(launch)];
    recent_[place_of(launch) ^ 1] = first;
    first = &row;
  }
  static size_t place_of(const cucore_operation& launch) {
    const auto word = reinterpret_cast<uintptr_t>(launch.kernel) +
                      3 * reinterpret_cast<uintptr_t>(launch.stream) + launch.launch->grid[0];
    return (word * 0x9e3779b97f4a7c15u) >> 58;
  }

  std::array<LaunchRow*, RECENT> recent_{};
  std::unordered_map<LaunchKey, LaunchRow, Hash> rows_;
};

}  // namespace cucore::perf
