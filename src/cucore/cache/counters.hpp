// SPDX-License-Identifier: Apache-2.0
// The numbers of files and bytes in each of 256 shards, and the events of all processes. They are
// in one small file, so that a put does not count files. They may be lost or damaged, and without
// locks (NFS) an update may be lost. The users therefore count the files of a shard if its numbers
// are missing, and of some shards from time to time.
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

  // `folder`: that of the entries.
  Counters(int folder, bool read_only);

  // Returns the usage of every shard; nullopt for numbers that are missing or damaged.
  using Shards = std::array<std::optional<Usage>, SHARDS>;
  Shards shards();
  // Runs `work` with the numbers of a shard, and stores those that it returns, if any. All
  // additions and removals of files belong in it, because locks stop the counts of other processes.
  using Numbers = std::optional<Usage>;
  void update(unsigned shard, const std::function<Numbers(const Numbers& now)>& work);

  // Adds to numbers that live as long as the folder. `sums` receives the new ones.
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
