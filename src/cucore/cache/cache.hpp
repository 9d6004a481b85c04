// SPDX-License-Identifier: Apache-2.0
// The program cache: builds the result of a compile or a link once, and later finds it in memory,
// on disk or with a remote. Its own failures never fail the work that it saves.
#pragma once

#include <memory>
#include <string>

#include "cache/build_coordinator.hpp"
#include "support/per_process.hpp"

namespace cucore::cache {

class Cache final : public Object {
 public:
  static Ref<Cache> open(Settings settings, Codec codec);

  // Returns this cache. In a child of a fork, returns another one of the same settings, with empty
  // memory and without remotes, whose connections belong to the parent. Every call of a user begins
  // here. Throws INVALID_STATE within a function of one of its remotes.
  Cache& here();
  // Precedes the release of a user's reference.
  void prepare_release();

  // Throws only the failure of the build itself.
  Result get_or_build(const container::BuildInputs& inputs, const Build& build);
  // Does what get_or_build() does without a build or a remote; null on a miss.
  Result find(const container::BuildInputs& inputs);

  // Under a key of the caller's. get() returns null on a miss.
  Result get(const container::Digest& key);
  bool put(const container::Digest& key, const Object& object);
  Result get_or_build(const container::Digest& key, const Build& build);

  void add_remote(std::unique_ptr<Remote> remote) { tiers_.remotes().add(std::move(remote)); }

  const Statistics& statistics() const { return statistics_; }
  Counters::Events all_events();  // of every process that has used the folder
  Usage usage() { return store_.usage(); }
  const Settings& settings() const { return settings_; }
  bool has_disk() const { return store_.is_open(); }

  // Evicts the least recently used files until the rest fits; 0 empties the cache. Throws
  // INVALID_STATE within its own report.
  uint64_t trim(uint64_t max_bytes, uint64_t max_entries, const Report& report);
  uint64_t verify(const Report& report);
  void query(const Report& report) { list_entries(store_, report); }
  // Returns the reason of a miss, or that there is a hit.
  std::string explain(const container::BuildInputs& inputs);

 private:
  Cache(Settings settings, Codec codec);
  ~Cache() override;
  Ref<Cache> reopen() const;
  void release_elsewhere();
  void touch_used();

  const Settings settings_;
  const Codec codec_;
  Statistics statistics_;
  Store store_;
  Evictor evictor_;
  Tiers tiers_;
  ManifestIndex manifests_;
  MissReport misses_;
  BuildCoordinator builds_;
  const unsigned forks_ = fork_count();
  PerProcess<Ref<Cache>> in_child_;
};

}  // namespace cucore::cache
