// SPDX-License-Identifier: Apache-2.0
// Finds a result or builds it, once per key: in this process by a single flight, among processes by
// a lock of the key.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cache/building.hpp"
#include "cache/manifest_index.hpp"
#include "cache/miss_report.hpp"
#include "cache/single_flight.hpp"
#include "cache/tiers.hpp"

namespace cucore::cache {

class BuildCoordinator {
 public:
  BuildCoordinator(const Settings& settings, Tiers& tiers, ManifestIndex& manifests,
                   MissReport& misses, Statistics& statistics)
      : settings_(settings),
        tiers_(tiers),
        manifests_(manifests),
        misses_(misses),
        statistics_(statistics) {}

  // Looks in the tiers of this machine, and for a request that reads files also in the remotes.
  Result find(Request& request);
  // Returns the reason of a miss, or a text that reports a hit.
  std::string explain(Request& request);
  // Throws only the failure of the build itself, or the refusal of a hermetic cache.
  Result get_or_build(Request& request, const Build& build);
  // Builds a result that the cache does not look up.
  Result build_bypassed(const Build& build);
  // Does the same under a key of the caller, which a build function must not request again.
  Result build_bypassed(const container::Digest& key, const Build& build);

 private:
  bool locks() const;
  BuildPlace place() const;
  bool find_before_build(Request& request, Result& result);
  Result lead(Request& request, const Build& build, SingleFlight::Flight& flight);
  Result build_and_store(Request& request, const Build& build);
  Result build_only(const Request& request, const Build& build);
  Ref<const Object> run(const Build& build);
  bool store(Request& request, std::optional<RecordBuilder>& record, const Build& build,
             const Ref<const Object>& object);
  Result not_stored(Ref<const Object> object);
  std::optional<std::vector<std::string>> traced_headers(const Request& request,
                                                         const RecordBuilder& record,
                                                         const Build& build) const;
  void require_hermetic(const Request& request, const std::optional<RecordBuilder>& record,
                        const Build& build) const;

  const Settings& settings_;
  Tiers& tiers_;
  ManifestIndex& manifests_;
  MissReport& misses_;
  Statistics& statistics_;
  SingleFlight flights_;
};

}  // namespace cucore::cache
