// SPDX-License-Identifier: Apache-2.0
// The tiers of a cache: memory, disk and remotes. A lookup visits them in this order, and puts what
// it finds into those before. A store writes to all of them.
#pragma once

#include "cache/evictor.hpp"
#include "cache/memory_tier.hpp"
#include "cache/remote.hpp"
#include "cache/request.hpp"
#include "cache/settings.hpp"
#include "cache/statistics.hpp"
#include "cache/store.hpp"

namespace cucore::cache {

class Tiers {
 public:
  Tiers(const Settings& settings, Codec codec, Store& store, Evictor& evictor,
        Statistics& statistics);

  // Looks in memory, then on disk.
  Result find_local(const Request& request, const container::Digest& key);
  Result find_remote(const Request& request, const container::Digest& key);
  // Stores a result in all tiers. Memory takes it also if the disk cannot.
  void store(const Request& request, const container::Digest& key, const Ref<const Object>& object);
  // Returns whether memory or the disk had a result. Remotes keep theirs.
  bool remove(const container::Digest& key);
  // Stores a manifest in all tiers except memory, which contains no manifests.
  void store_manifest(const container::Digest& key, image::Bytes bytes);

  // Marks the entries on disk whose objects were found in memory.
  void touch_used();
  void clear_memory() { memory_.clear(); }
  Store& disk() { return store_; }
  Remotes& remotes() { return remotes_; }
  const Remotes& remotes() const { return remotes_; }

 private:
  Ref<const Object> read_entry(const Request& request, const container::Digest& key);
  // The requested object, or null. Bytes that are not wrong may be sound, and only memory was
  // exhausted.
  struct Checked {
    Ref<const Object> object;
    bool is_wrong = false;
  };
  Checked validate(const Request& request, const container::Digest& key,
                   std::span<const std::byte> bytes, std::chrono::nanoseconds age,
                   bool must_be_signed);
  bool write_entry(const container::Digest& key, std::span<const std::byte> bytes);
  MemoryTier::Time best_before(std::chrono::nanoseconds age) const;

  const Settings& settings_;
  const Codec codec_;
  Store& store_;
  Evictor& evictor_;
  Statistics& statistics_;
  MemoryTier memory_;
  Remotes remotes_;
};

}  // namespace cucore::cache
