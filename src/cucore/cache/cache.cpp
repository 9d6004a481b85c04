// Finding, and building once what is not found.
#include "cache/cache.hpp"

#include <sys/stat.h>

#include <new>
#include <thread>

#include "cache/key_lock.hpp"
#include "cache/record_builder.hpp"
#include "cache/request.hpp"
#include "cache/time_trace.hpp"
#include "container/reader.hpp"
#include "support/log.hpp"
#include "support/text.hpp"

namespace cucore::cache {
namespace {

// Work that nobody has asked for: whatever goes wrong in it is not the caller's.
template <class Work>
bool quietly(Work&& work) noexcept {
  try {
    return work();
  } catch (...) {
    return false;
  }
}

// Failures that anyone would meet with the same inputs.
bool is_everyones(const Error& error) {
  return error.status() == Status::COMPILATION || error.status() == Status::LINKING;
}

// Ends a flight in any case, so that nobody waits for what is not coming.
class Landing {
 public:
  Landing(Flights& flights, const container::Digest& key, Flights::Flight& flight)
      : flights_(flights), key_(key), flight_(flight) {}
  Landing(const Landing&) = delete;
  Landing& operator=(const Landing&) = delete;
  ~Landing() { flights_.land(key_, flight_, std::move(object), std::move(error)); }

  Ref<const Object> object;
  std::optional<Error> error;

 private:
  Flights& flights_;
  const container::Digest key_;
  Flights::Flight& flight_;
};

}  // namespace

Ref<Cache> Cache::open(Settings settings, Codec codec) {
  // The same folder wherever the process goes later, and in its children.
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
      memory_(settings_.memory_bytes),
      toolkits_(settings_.trust_toolkit) {
  remotes_.on_put = [this] { statistics_.count(Event::REMOTE_STORES); };
  remotes_.on_failure = [this] { statistics_.count(Event::REMOTE_ERRORS); };
  if (const std::string& problem = store_.root().problem; !problem.empty())
    log(LogLevel::WARNING,
        text("the cache in ", settings_.directory, " is ",
             store_.is_open() ? "read-only" : "kept in memory alone", ": ", problem));
}

Cache& Cache::here() {
  // The remote would be asked on behalf of itself, without end.
  if (remotes_.is_calling())
    throw Error(Status::INVALID_STATE,
                "cache is one whose remote is being called by this thread; a remote must not use "
                "the cache that calls it");
  if (forks_ == fork_count()) return *this;
  return *in_child_.get([this] {
    Settings settings = settings_;
    if (!remotes_.empty())
      log(LogLevel::WARNING, "a cache in a process made by fork has no remotes: open it there");
    try {
      return open(settings, codec_);
    } catch (const Error& error) {
      log(LogLevel::WARNING, text("the cache in ", settings.directory,
                                  " is kept in memory alone after a fork: ", error.what()));
      settings.directory.clear();
      return open(settings, codec_);
    }
  });
}

void Cache::prepare_release() {
  if (remotes_.is_sending()) return release_elsewhere();
  // A child of a fork never destroys what its parent's threads may be in the middle of.
  if (forks_ == fork_count()) return;
  add_reference();
  quietly([&] {
    here().flush_statistics();
    return true;
  });
}

// The thread that sends to remotes must not wait for its own end.
void Cache::release_elsewhere() {
  add_reference();
  quietly([&] {
    std::thread([this] { drop_reference(); }).detach();
    return true;
  });
}

Cache::~Cache() {
  remotes_.flush(std::chrono::milliseconds(2000));
  quietly([&] {
    flush_statistics();
    touch_used();
    return true;
  });
}

void Cache::flush_statistics() {
  if (store_.can_write()) store_.counters().add_events(statistics_.take_news());
}

Counters::Events Cache::all_events() {
  flush_statistics();
  return store_.counters().events();
}

void Cache::add_remote(std::unique_ptr<Remote> remote) { remotes_.add(std::move(remote)); }

Result Cache::obtain(const container::BuildInputs& inputs, const Build& build) {
  Request request;
  const bool can = !settings_.is_off && inputs.bypass.empty() && quietly([&] {
    request = request_of(inputs);
    return true;
  });
  if (!can) {
    statistics_.count(Event::BYPASSES);
    statistics_.count(Event::BUILDS);
    return {build.build(), Outcome::BYPASSED};
  }
  return obtain(request, build);
}

Result Cache::find(const container::BuildInputs& inputs) {
  Result result;
  if (settings_.is_off || !inputs.bypass.empty()) return result;
  quietly([&] {
    Request request = request_of(inputs);
    result = find(request);
    return true;
  });
  return result;
}

Result Cache::get(const container::Digest& key) {
  Result result;
  if (settings_.is_off) return result;
  quietly([&] {
    Request request = request_of(key);
    result = find(request);
    if (!result.object) result = find_remote(request, request.key);
    return true;
  });
  if (!result.object) statistics_.count(Event::MISSES);
  return result;
}

bool Cache::put(const container::Digest& key, const Object& object) {
  return !settings_.is_off && quietly([&] {
    Request request = request_of(key);
    const bool kept = keep(request, Ref<const Object>(&object));
    flush_statistics();
    return kept;
  });
}

Result Cache::get_or_build(const container::Digest& key, const Build& build) {
  Request request;
  const bool can = !settings_.is_off && quietly([&] {
    request = request_of(key);
    return true;
  });
  if (can) return obtain(request, build);
  Building::refuse_within(place(), key);
  const Building building(place(), key);
  statistics_.count(Event::BYPASSES);
  statistics_.count(Event::BUILDS);
  return {build.build(), Outcome::BYPASSED};
}

// Whether a build holds the folder's lock for its key.
bool Cache::locks() const {
  return store_.can_write() && settings_.locking.value_or(!store_.root().is_remote);
}

BuildPlace Cache::place() const {
  BuildPlace place{this};
  struct stat status {};
  if (locks() && fstat(store_.root().folder.get(), &status) == 0) {
    place.device = status.st_dev;
    place.folder = status.st_ino;
  }
  return place;
}

Result Cache::obtain(Request& request, const Build& build) {
  Result result;
  const bool found = quietly([&] {
    result = find(request);
    return static_cast<bool>(result.object);
  });
  if (found) return result;
  const BuildPlace place = this->place();
  Building::refuse_within(place, request.key);
  const Building building(place, request.key);
  std::shared_ptr<Flights::Flight> flight;
  bool leads = true;
  if (!quietly([&] { return flight = flights_.join(request.key, leads), true; }))
    return this->build(request, build, nullptr);
  if (leads) return lead(request, build, *flight);
  if (!flight->wait(settings_.lock_timeout)) {
    statistics_.count(Event::LOCK_TIMEOUTS);
  } else if (flight->object()) {
    statistics_.count(Event::JOINS);
    return {flight->object(), Outcome::JOINED};
  } else if (flight->error()) {
    throw Error(*flight->error());
  }
  return this->build(request, build, flight.get());
}

Result Cache::lead(Request& request, const Build& build, Flights::Flight& flight) {
  Landing landing(flights_, request.key, flight);
  std::optional<KeyLock> lock;
  Result result;
  const bool found = quietly([&] {
    if (locks()) lock.emplace(store_.root().folder.get(), request.key, settings_.lock_timeout);
    if (lock && lock->timed_out()) statistics_.count(Event::LOCK_TIMEOUTS);
    // Another may have built it between the first look and the lock.
    request.manifest.reset();
    result = find(request);
    if (!result.object) result = find_remote(request, request.key);
    if (!result.object) count_miss(request);
    return static_cast<bool>(result.object);
  });
  if (found) {
    landing.object = result.object;
    return result;
  }
  try {
    result = this->build(request, build, nullptr);
  } catch (const Error& error) {
    if (is_everyones(error)) landing.error = error;
    throw;
  }
  landing.object = result.object;
  quietly([&] { return flush_statistics(), true; });
  return result;
}

// The headers that only the compiler can tell; nullopt where they are not to be had.
std::optional<std::vector<std::string>> Cache::traced_headers(const Request& request,
                                                              const RecordBuilder& record,
                                                              const Build& build) const {
  if (!record.needs_trace()) return std::vector<std::string>();
  if (!request.inputs->traces_files || !build.trace) return std::nullopt;
  const TraceFile trace(store_.can_write() ? store_.root().path + "/v1" : "");
  if (trace.name().empty()) return std::nullopt;
  build.trace(trace.name());
  return trace.headers();
}

// The one failure that is the cache's own, and asked for.
void Cache::require_hermetic(const Request& request, const std::optional<RecordBuilder>& record,
                             const Build& build) const {
  std::string file = record ? record->any_file() : "a file";
  if (record && file.empty() && record->needs_trace()) {
    std::optional<std::vector<std::string>> headers;
    // A program that cannot be read to its end is left to the compiler to report.
    const bool traced =
        quietly([&] { return headers = traced_headers(request, *record, build), true; });
    if (traced) file = headers ? record->any_file(*headers) : "what a macro names";
  }
  if (!file.empty())
    throw Error(Status::INVALID_ARGUMENT,
                text("the cache is hermetic and ", request.inputs->label, " would read ", file,
                     "; give its headers in memory (header_names, header_sources)"));
}

Result Cache::build(Request& request, const Build& build, const Flights::Flight* flight) {
  const bool keeps = flight == nullptr;
  std::optional<RecordBuilder> record;
  if (keeps && request.reads_files())
    quietly([&] {
      return record.emplace(*request.inputs, request.directory, files_, toolkits_), true;
    });
  if (settings_.hermetic && request.reads_files()) require_hermetic(request, record, build);
  statistics_.count(Event::BUILDS);
  Result result{nullptr, Outcome::BUILT};
  try {
    result.object = build.build();
  } catch (...) {
    statistics_.count(Event::BUILD_FAILURES);
    throw;
  }
  const bool kept = keeps && result.object && quietly([&] {
                      if (!request.reads_files()) return keep(request, result.object);
                      if (!record) return false;
                      const auto headers = traced_headers(request, *record, build);
                      auto made = headers ? record->finish(*headers, request.key) : std::nullopt;
                      if (!made) return false;
                      const container::Digest key = made->result;
                      if (!request.manifest) request.manifest = std::make_shared<LiveManifest>();
                      keep_manifest(request, *request.manifest, std::move(*made));
                      return keep_entry(request, key, result.object);
                    });
  if (kept) quietly([&] { return keep_last(request), true; });
  if (kept) return result;
  statistics_.count(Event::NOT_STORABLE);
  result.outcome = Outcome::NOT_STORED;
  if (record && !record->problem().empty())
    log(LogLevel::INFO, text("not kept: ", request.inputs->label, ": ", record->problem()));
  return result;
}

Result Cache::find(Request& request) {
  if (request.reads_files()) return find_by_files(request);
  return find_entry(request, request.key);
}

Result Cache::find_entry(Request& request, const container::Digest& key) {
  if (Ref<const Object> object = memory_.find(key)) {
    statistics_.count(Event::HITS_MEMORY);
    return {std::move(object), Outcome::HIT_MEMORY};
  }
  Ref<const Object> object = read_entry(request, key);
  if (!object) return {};
  statistics_.count(Event::HITS_DISK);
  return {std::move(object), Outcome::HIT_DISK};
}

// The manifest in memory first; where none of its records fits, another process may have added one
// on disk.
Result Cache::find_by_files(Request& request) {
  {
    std::lock_guard lock(manifests_mutex_);
    const auto found = manifests_.find(request.key);
    if (found != manifests_.end()) request.manifest = found->second;
  }
  for (const bool is_fresh : {false, true}) {
    if (is_fresh && !load_manifest(request)) break;
    if (!request.manifest) continue;
    std::unique_lock lock(request.manifest->mutex);
    Manifest& manifest = request.manifest->manifest;
    const ManifestMatch match = cache::match(manifest, request.directory, files_, toolkits_);
    request.changed = match.reason;
    if (match.record == ManifestMatch::NONE) continue;
    request.changed.clear();
    request.manifest->used = true;
    const container::Digest key = manifest.records[match.record].result;
    if (match.refreshed) store_.write(request.key, FileKind::MANIFEST, manifest.serialize());
    lock.unlock();
    if (Result result = find_entry(request, key); result.object) return result;
    if (Result result = find_remote(request, key); result.object) return result;
  }
  return {};
}

bool Cache::load_manifest(Request& request) {
  auto live = std::make_shared<LiveManifest>();
  std::optional<Manifest> parsed;
  if (auto file = store_.read(request.key, FileKind::MANIFEST)) {
    parsed = Manifest::parse(file->bytes, request.key);
    if (!parsed) {
      statistics_.count(Event::CORRUPT);
      store_.remove(request.key, FileKind::MANIFEST, file->identity);
    } else {
      statistics_.count(Event::BYTES_READ, file->bytes.size());
      store_.touch(request.key, FileKind::MANIFEST);
    }
  }
  if (!parsed && !remotes_.empty())
    remotes_.get(request.key, FileKind::MANIFEST, [&](image::Bytes bytes) {
      parsed = Manifest::parse(bytes, request.key);
      // Nobody signs it: what it says is bound to a signed entry by the key of the result, but for
      // the stamps, by which a file that has changed would pass for the one that was compiled.
      if (parsed && !parsed->is_bound_to_results()) parsed.reset();
      if (parsed) parsed->forget_stamps();
      return parsed.has_value();
    });
  if (!parsed) return false;
  live->manifest = std::move(*parsed);
  request.manifest = live;
  constexpr size_t MOST = 4096;
  std::lock_guard lock(manifests_mutex_);
  if (manifests_.size() >= MOST) manifests_.clear();
  manifests_[request.key] = std::move(live);
  return true;
}

Ref<const Object> Cache::read_entry(const Request& request, const container::Digest& key) {
  auto file = store_.read(key, FileKind::ENTRY);
  if (!file) return nullptr;
  const auto age = std::chrono::nanoseconds(
      std::chrono::system_clock::now().time_since_epoch().count() - file->identity.modified_ns);
  if (settings_.max_age.count() != 0 && age > settings_.max_age) {
    store_.remove(key, FileKind::ENTRY, file->identity);
    return nullptr;
  }
  Ref<const Object> object = accept(request, key, file->bytes, age, false);
  if (!object) {
    statistics_.count(Event::CORRUPT);
    store_.remove(key, FileKind::ENTRY, file->identity);
    return nullptr;
  }
  statistics_.count(Event::BYTES_READ, file->bytes.size());
  store_.touch(key, FileKind::ENTRY);
  return object;
}

// Proven to be what was asked for, and put into memory; null where it is not.
Ref<const Object> Cache::accept(const Request& request, const container::Digest& key,
                                std::span<const std::byte> bytes, std::chrono::nanoseconds age,
                                bool must_be_signed) {
  container::ReadOptions options;
  if (must_be_signed) {
    options.policy = container::SignaturePolicy::REQUIRED;
    options.keys = settings_.keys;
  }
  Ref<const Object> object;
  quietly([&] {
    container::Code code = container::read(bytes, options);
    if (!code.key || code.key->digest != key) return false;
    if (request.inputs) {
      const auto& [type, arch] = std::pair(request.inputs->target, request.inputs->arch);
      if (code.type != type) return false;
      if (code.arch.number != 0 && arch.number != 0 && code.arch.number != arch.number)
        return false;
    }
    std::optional<container::Key>().swap(code.key);
    const uint64_t size = weight(code);
    object = codec_.wrap(std::move(code));
    memory_.insert(key, object, size, best_before(age));
    return true;
  });
  return object;
}

Result Cache::find_remote(Request& request, const container::Digest& key) {
  Result result;
  if (remotes_.empty() || (request.reads_files() && key == request.key)) return result;
  remotes_.get(key, FileKind::ENTRY, [&](image::Bytes bytes) {
    result.object = accept(request, key, bytes, std::chrono::nanoseconds(0), true);
    if (!result.object) {
      statistics_.count(Event::REMOTE_REFUSED);
      return false;
    }
    store(key, bytes);
    return true;
  });
  if (!result.object) {
    statistics_.count(Event::REMOTE_MISSES);
    return {};
  }
  statistics_.count(Event::HITS_REMOTE);
  result.outcome = Outcome::HIT_REMOTE;
  return result;
}

}  // namespace cucore::cache
