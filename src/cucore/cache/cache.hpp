// SPDX-License-Identifier: Apache-2.0
// The program cache: builds the result of a compile or a link once, and later finds it in memory,
// on disk or with a remote. Its own failures never fail the work that it saves.
#pragma once

#include <string>

#include "cache/build_coordinator.hpp"
#include "cache/maintenance.hpp"

namespace cucore::cache {

class Cache final : public Object {
 public:
  Cache(Settings settings, Codec codec);

  // Throws only the failure of the build itself.
  Result get_or_build(const container::BuildInputs& inputs, const Build& build);
  // Does what get_or_build() does without a build or a remote; null on a miss.
  Result find(const container::BuildInputs& inputs);
  // Returns the reason of a miss, or a text that reports a hit.
  std::string explain(const container::BuildInputs& inputs);

  // Do the same under a key of the caller. get() returns null on a miss.
  Result get(const container::Digest& key);
  bool put(const container::Digest& key, const Object& object);
  Result get_or_build(const container::Digest& key, const Build& build);
  // `key` is that of get(), or that of an entry. Returns whether there was a result.
  bool remove(const container::Digest& key);

  Remotes& remotes() { return tiers_.remotes(); }
  const Remotes& remotes() const { return tiers_.remotes(); }
  Maintenance& maintenance() { return maintenance_; }
  const Statistics& statistics() const { return statistics_; }
  const Settings& settings() const { return settings_; }
  bool has_disk() const { return store_.is_open(); }

 private:
  ~Cache() override;
  template <class Identity>
  bool read_request(const Identity& identity, Request& request) const;

  const Settings settings_;
  Statistics statistics_;
  Store store_;
  Evictor evictor_;
  Tiers tiers_;
  ManifestIndex manifests_;
  MissReport misses_;
  BuildCoordinator builds_;
  Maintenance maintenance_;
};

}  // namespace cucore::cache
