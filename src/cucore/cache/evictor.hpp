// SPDX-License-Identifier: Apache-2.0
// Keeps the folder of a cache within its limits: removes the files that were used least recently.
#pragma once

#include <functional>
#include <mutex>

#include "cache/file_walk.hpp"
#include "cache/statistics.hpp"
#include "cache/store.hpp"

namespace cucore::cache {

class Evictor {
 public:
  struct Limits {
    uint64_t bytes, entries;
  };

  // Before each eviction, `touch_used` marks the files whose results were found in memory.
  Evictor(Store& store, Statistics& statistics, Limits limits, std::function<void()> touch_used)
      : store_(store),
        statistics_(statistics),
        limits_(limits),
        touch_used_(std::move(touch_used)) {}

  const Limits& limits() const { return limits_; }
  // Evicts files if the folder exceeds the limits and no other thread evicts.
  void enforce();
  // Evicts files until the rest fits. Returns their number.
  uint64_t trim(Limits limits, const Report& report);
  // Throws INVALID_STATE if this thread runs a report of trim().
  void require_outside_report() const;

 private:
  uint64_t evict(Limits limits, size_t shards, const Report& report);
  Usage list_files(size_t shards, std::vector<FoundFile>& files);

  Store& store_;
  Statistics& statistics_;
  const Limits limits_;
  const std::function<void()> touch_used_;
  std::mutex mutex_;  // held during an eviction
};

}  // namespace cucore::cache
