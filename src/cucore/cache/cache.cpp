// SPDX-License-Identifier: Apache-2.0
#include "cache/cache.hpp"

#include <thread>

#include "cache/quietly.hpp"
#include "support/log.hpp"
#include "support/sha256.hpp"
#include "support/text.hpp"

namespace cucore::cache {

Ref<Cache> Cache::open(Settings settings, Codec codec) {
  // The same folder after a change of the current directory, also in children.
  if (!settings.directory.empty() && !settings.directory.starts_with('/'))
    settings.directory = current_directory() + "/" + settings.directory;
  return Ref<Cache>::adopt(new Cache(std::move(settings), codec));
}

Cache::Cache(Settings settings, Codec codec)
    : settings_(std::move(settings)),
      codec_(codec),
      store_(settings_.is_off || settings_.directory.empty()
                 ? Root{}
                 : open_root(settings_.directory, settings_.read_only),
             settings_.durable),
      evictor_(store_, statistics_, {settings_.max_bytes, settings_.max_entries},
               [this] { touch_used(); }),
      tiers_(settings_, codec_, store_, evictor_, statistics_),
      manifests_(settings_, tiers_, statistics_),
      misses_(store_, statistics_),
      builds_(settings_, tiers_, manifests_, misses_, statistics_) {
  if (const std::string& problem = store_.root().problem; !problem.empty())
    log(LogLevel::WARNING,
        text("the cache in ", settings_.directory, " is ",
             store_.is_open() ? "read-only" : "kept in memory alone", ": ", problem));
}

Cache& Cache::here() {
  // The remote would call itself without end.
  if (tiers_.remotes().is_calling())
    throw Error(Status::INVALID_STATE,
                "cache is one whose remote is being called by this thread; a remote must not use "
                "the cache that calls it");
  if (forks_ == fork_count()) return *this;
  return *in_child_.get([this] { return reopen(); });
}

Ref<Cache> Cache::reopen() const {
  Settings settings = settings_;
  if (!tiers_.remotes().empty())
    log(LogLevel::WARNING, "a cache in a process made by fork has no remotes: open it there");
  try {
    return open(settings, codec_);
  } catch (const Error& error) {
    log(LogLevel::WARNING, text("the cache in ", settings.directory,
                                " is kept in memory alone after a fork: ", error.what()));
    settings.directory.clear();
    return open(settings, codec_);
  }
}

void Cache::prepare_release() {
  if (tiers_.remotes().is_sending()) return release_elsewhere();
  // A child of a fork never destroys an object that its parent's threads may be using.
  if (forks_ == fork_count()) return;
  add_reference();
  quietly([&] {
    Cache& cache = here();
    return cache.statistics_.flush(cache.store_), true;
  });
}

// The thread that sends to remotes must not wait for its own end.
void Cache::release_elsewhere() {
  add_reference();
  quietly([&] { return std::thread([this] { drop_reference(); }).detach(), true; });
}

Cache::~Cache() {
  tiers_.remotes().flush(std::chrono::milliseconds(2000));
  quietly([&] {
    statistics_.flush(store_);
    return touch_used(), true;
  });
}

// A result that was found in memory is also marked on disk, with the manifest that leads to it.
void Cache::touch_used() {
  tiers_.touch_used();
  manifests_.touch_used();
}

Counters::Events Cache::all_events() {
  statistics_.flush(store_);
  return store_.counters().events();
}

Result Cache::get_or_build(const container::BuildInputs& inputs, const Build& build) {
  Request request;
  const bool is_cached = !settings_.is_off && inputs.bypass.empty() && quietly([&] {
    return request = request_of(inputs, settings_.name_space), true;
  });
  return is_cached ? builds_.get_or_build(request, build) : builds_.build_bypassed(build);
}

Result Cache::get_or_build(const container::Digest& key, const Build& build) {
  Request request;
  const bool is_cached = !settings_.is_off && quietly([&] {
    return request = request_of(key, settings_.name_space), true;
  });
  return is_cached ? builds_.get_or_build(request, build) : builds_.build_bypassed(key, build);
}

Result Cache::find(const container::BuildInputs& inputs) {
  Result result;
  if (settings_.is_off || !inputs.bypass.empty()) return result;
  quietly([&] {
    Request request = request_of(inputs, settings_.name_space);
    return result = builds_.find(request), true;
  });
  return result;
}

Result Cache::get(const container::Digest& key) {
  Result result;
  if (settings_.is_off) return result;
  quietly([&] {
    Request request = request_of(key, settings_.name_space);
    result = builds_.find(request);
    if (!result.object) result = tiers_.find_remote(request, request.key);
    return true;
  });
  if (!result.object) statistics_.count(Event::MISSES);
  return result;
}

bool Cache::put(const container::Digest& key, const Object& object) {
  return !settings_.is_off && quietly([&] {
    const Request request = request_of(key, settings_.name_space);
    tiers_.store(request, request.key, Ref<const Object>(&object));
    statistics_.flush(store_);
    return true;
  });
}

uint64_t Cache::trim(uint64_t max_bytes, uint64_t max_entries, const Report& report) {
  evictor_.require_outside_report();
  if (max_bytes == 0 || max_entries == 0) {
    tiers_.clear_memory();
    manifests_.clear();
  }
  const uint64_t evicted = evictor_.trim({max_bytes, max_entries}, report);
  statistics_.flush(store_);
  return evicted;
}

uint64_t Cache::verify(const Report& report) { return verify_files(store_, statistics_, report); }

std::string Cache::explain(const container::BuildInputs& inputs) {
  if (settings_.is_off) return "bypassed: the cache is switched off (CUCORE_CACHE=off)\n";
  if (!inputs.bypass.empty()) return text("bypassed: ", inputs.bypass, "\n");
  Request request = request_of(inputs, settings_.name_space);
  const std::string key = text("key ", hex(request.key), "\n");
  // The lookup itself changes the tier that holds the result, so the text does not name it.
  if (builds_.find(request).object) return "hit: nothing has to be built\n" + key;
  return "miss: " + misses_.reason_of(request).text + key;
}

}  // namespace cucore::cache
