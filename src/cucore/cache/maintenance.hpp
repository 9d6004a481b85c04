// SPDX-License-Identifier: Apache-2.0
// The upkeep of a cache: its size, its counts, and walks over its files.
#pragma once

#include "cache/evictor.hpp"
#include "cache/manifest_index.hpp"
#include "cache/tiers.hpp"

namespace cucore::cache {

class Maintenance {
 public:
  Maintenance(Tiers& tiers, ManifestIndex& manifests, Evictor& evictor, Statistics& statistics)
      : tiers_(tiers), manifests_(manifests), evictor_(evictor), statistics_(statistics) {}

  Usage usage() { return tiers_.disk().usage(); }
  // Adds the counts of this cache to those of all processes that have used the folder.
  void flush_statistics() { statistics_.flush(tiers_.disk()); }
  Counters::Events all_events();

  // Evicts the least recently used files until the rest fits; 0 empties the cache. Throws
  // INVALID_STATE within its own report.
  uint64_t trim(Evictor::Limits limits, const Report& report);
  // Returns the number of damaged files, which it removes.
  uint64_t verify(const Report& report);
  void query(const Report& report) { list_entries(tiers_.disk(), report); }

  // Marks the files on disk whose results were found in memory: entries and manifests.
  void touch_used();

 private:
  Tiers& tiers_;
  ManifestIndex& manifests_;
  Evictor& evictor_;
  Statistics& statistics_;
};

}  // namespace cucore::cache
