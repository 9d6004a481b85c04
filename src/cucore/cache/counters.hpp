// SPDX-License-Identifier: Apache-2.0
// How many files and bytes each of 256 shards holds, and what has happened in all processes: small
// numbers in one file, so that no put has to count files. They may be lost or damaged, and without
// locks (NFS) an update may be lost: who uses them counts the files of a shard where they are
// missing, and of some shards again.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "cache/descriptor.hpp"

namespace cucore::cache {

struct Usage {
  int64_t bytes = 0;
  int64_t files = 0;
};

class Counters {
 public:
  static constexpr unsigned SHARDS = 256;

  // `folder`: of the entries.
  Counters(int folder, bool read_only);

  // Of every shard; nullopt where there are none, or they are damaged.
  using Shards = std::array<std::optional<Usage>, SHARDS>;
  Shards shards();
  // Runs `work` with the numbers of a shard, and keeps those that it returns, if any. What adds or
  // removes files belongs into it: where there are locks, no other process counts meanwhile.
  using Numbers = std::optional<Usage>;
  void update(unsigned shard, const std::function<Numbers(const Numbers& now)>& work);

  // Adds to numbers that live for as long as the folder. `sums` then has the new ones.
  static constexpr size_t EVENTS = 64;
  using Events = std::array<uint64_t, EVENTS>;
  void add_events(const Events& change);
  Events events() const;

 private:
  bool open_usage();

  const int folder_;
  const bool read_only_;
  std::mutex opening_;
  Descriptor usage_, events_;
};

}  // namespace cucore::cache
