// SPDX-License-Identifier: Apache-2.0
#include "cache/cache.hpp"

#include "cache/quietly.hpp"
#include "support/concat.hpp"

namespace cucore::cache {

Cache::Cache(Settings settings, Codec codec)
    : settings_(std::move(settings)),
      store_(
          settings_.is_off ? Root{} : open_root_or_warn(settings_.directory, settings_.read_only),
          settings_.durable),
      evictor_(store_, statistics_, {settings_.max_bytes, settings_.max_entries},
               [this] { maintenance_.touch_used(); }),
      tiers_(settings_, codec, store_, evictor_, statistics_),
      manifests_(settings_, tiers_, statistics_),
      misses_(store_, statistics_),
      builds_(settings_, tiers_, manifests_, misses_, statistics_),
      maintenance_(tiers_, manifests_, evictor_, statistics_) {}

Cache::~Cache() {
  tiers_.remotes().flush(std::chrono::milliseconds(2000));
  quietly([&] {
    maintenance_.flush_statistics();
    return maintenance_.touch_used(), true;
  });
}

// Returns false if the cache does not look the request up.
template <class Identity>
bool Cache::read_request(const Identity& identity, Request& request) const {
  if (settings_.is_off) return false;
  return quietly([&] { return request = request_of(identity, settings_.name_space), true; });
}

Result Cache::get_or_build(const container::BuildInputs& inputs, const Build& build) {
  Request request;
  const bool is_cached = inputs.bypass.empty() && read_request(inputs, request);
  return is_cached ? builds_.get_or_build(request, build) : builds_.build_bypassed(build);
}

Result Cache::get_or_build(const container::Digest& key, const Build& build) {
  Request request;
  const bool is_cached = read_request(key, request);
  return is_cached ? builds_.get_or_build(request, build) : builds_.build_bypassed(key, build);
}

Result Cache::find(const container::BuildInputs& inputs) {
  Request request;
  Result result;
  if (inputs.bypass.empty() && read_request(inputs, request))
    quietly([&] { return result = builds_.find(request), true; });
  return result;
}

Result Cache::get(const container::Digest& key) {
  Request request;
  Result result;
  if (settings_.is_off) return result;
  if (read_request(key, request))
    quietly([&] {
      result = builds_.find(request);
      if (!result.object) result = tiers_.find_remote(request, request.key);
      return true;
    });
  if (!result.object) statistics_.count(Event::MISSES);
  return result;
}

bool Cache::put(const container::Digest& key, const Object& object) {
  Request request;
  return read_request(key, request) && quietly([&] {
           tiers_.store(request, request.key, Ref<const Object>(&object));
           maintenance_.flush_statistics();
           return true;
         });
}

bool Cache::remove(const container::Digest& key) {
  if (settings_.read_only)
    throw Error(Status::NOT_PERMITTED,
                "the cache is read-only; remove the result with a cache that may write");
  if (settings_.is_off) return false;
  const bool of_caller = tiers_.remove(request_of(key, settings_.name_space).key);
  return tiers_.remove(key) || of_caller;
}

std::string Cache::explain(const container::BuildInputs& inputs) {
  if (settings_.is_off) return "bypassed: the cache is switched off (CUCORE_CACHE=off)\n";
  if (!inputs.bypass.empty()) return concat("bypassed: ", inputs.bypass, "\n");
  Request request = request_of(inputs, settings_.name_space);
  return builds_.explain(request);
}

}  // namespace cucore::cache
