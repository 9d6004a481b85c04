// SPDX-License-Identifier: Apache-2.0
// The manifests of the compiles that read files: in memory, with those on disk and on remotes
// behind them.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "cache/manifest_check.hpp"
#include "cache/record_builder.hpp"
#include "cache/tiers.hpp"

namespace cucore::cache {

// A manifest in memory. A match updates its stamps, so it holds the mutex.
struct LiveManifest {
  std::mutex mutex;
  Manifest manifest;
  bool used = false;
};

class ManifestIndex {
 public:
  ManifestIndex(const Settings& settings, Tiers& tiers, Statistics& statistics)
      : tiers_(tiers), statistics_(statistics), toolkits_(settings.trust_toolkit) {}

  // Finds the result of a compile for the present state of its files. Sets the manifest of the
  // request, and the file that has changed.
  Result find(Request& request);
  // Before the compile: finds the files that it may read.
  void begin_record(const Request& request, std::optional<RecordBuilder>& record) {
    record.emplace(*request.inputs, request.directory, files_, toolkits_);
  }
  void add(Request& request, Record record);

  // Marks the manifests on disk that were used in memory.
  void touch_used();
  void clear();

 private:
  Result find_match(Request& request);
  void find_loaded(Request& request);
  bool load(Request& request);
  void insert(const Request& request);
  std::optional<Manifest> read(const container::Digest& key);
  std::optional<Manifest> read_remote(const container::Digest& key);

  Tiers& tiers_;
  Statistics& statistics_;
  FileIndex files_;
  Toolkits toolkits_;
  std::mutex mutex_;
  DigestMap<std::shared_ptr<LiveManifest>> manifests_;
};

}  // namespace cucore::cache
