// Keeping what was built: in memory, on disk, and with the remotes; and no more than the bounds.
#include <algorithm>
#include <random>
#include <system_error>

#include "cache/cache.hpp"
#include "cache/inside.hpp"
#include "cache/request.hpp"
#include "container/writer.hpp"
#include "support/log.hpp"
#include "support/text.hpp"

namespace cucore::cache {
namespace {

constexpr size_t COMPRESS_FROM = 64 << 10;
// With so few files the oldest of all is found by looking at all.
constexpr int64_t FEW_FILES = 4096;
constexpr size_t SAMPLE = 16;  // shards, else

// Some room below the bound, so that not every put has to evict; of small bounds none.
uint64_t target(uint64_t bound) { return bound < 100 ? bound : bound - bound / 10; }

// Some of the shards are to hold as much of the bound: what is taken from them alone for all of
// them would be far from what was used least recently.
uint64_t share(uint64_t bound, size_t shards) {
  return shards == Store::SHARDS ? bound : bound / Store::SHARDS * shards;
}

// The least recently used first. A time to come was stamped before the clock was set back: if it
// counted, what is new would go at once and what is old never.
void sort_by_use(std::vector<FoundFile>& files) {
  constexpr int64_t ROUGHLY = 60'000'000'000;
  const int64_t latest = file_clock_ns() + ROUGHLY;
  std::ranges::sort(files, {}, [&](const FoundFile& file) {
    return file.identity.used_ns > latest ? 0 : file.identity.used_ns;
  });
}

unsigned random_shard() {
  static std::atomic<unsigned> next{std::random_device{}()};
  return next.fetch_add(SAMPLE) % Store::SHARDS;
}

}  // namespace

bool Cache::keep(Request& request, const Ref<const Object>& object) {
  return keep_entry(request, request.key, object);
}

bool Cache::keep_entry(Request& request, const container::Digest& key,
                       const Ref<const Object>& object) {
  const container::Code& code = codec_.unwrap(*object);
  memory_.insert(key, object, weight(code), best_before(std::chrono::nanoseconds(0)));
  const bool shares = !remotes_.empty() && remotes_.can_write() && settings_.signing_key;
  if (!store_.can_write() && !shares) return true;
  container::Code keyed = code;
  keyed.key = container::Key{key, request.fields()};
  container::WriteOptions options;
  options.compress = code.bytes.size() >= COMPRESS_FROM;
  options.level = 1;
  const image::Bytes bytes = container::write(keyed, options);
  if (store_.can_write()) {
    if (store(key, bytes)) {
      statistics_.count(Event::STORES);
      statistics_.count(Event::BYTES_WRITTEN, bytes.size());
    } else {
      statistics_.count(Event::STORE_FAILURES);
    }
  }
  if (shares) remotes_.put(key, FileKind::ENTRY, container::sign(bytes, *settings_.signing_key));
  return true;
}

// One that is larger than all may be together would take everything else along.
bool Cache::store(const container::Digest& key, std::span<const std::byte> bytes) {
  if (bytes.size() > settings_.max_bytes || !write(key, FileKind::ENTRY, bytes)) return false;
  bound();
  return true;
}

// Says why a file could not be written, once for each reason: a full disk fails every put.
bool Cache::write(const container::Digest& key, FileKind kind, std::span<const std::byte> bytes) {
  if (!store_.can_write()) return false;
  if (store_.write(key, kind, bytes)) {
    write_failure_ = 0;
    return true;
  }
  const int failure = errno;
  if (write_failure_.exchange(failure) != failure)
    log(LogLevel::WARNING, text("cannot write to the cache in ", settings_.directory, ": ",
                                std::system_category().message(failure)));
  return false;
}

void Cache::keep_manifest(const Request& request, LiveManifest& live, Record record) {
  image::Bytes bytes;
  {
    std::lock_guard lock(live.mutex);
    live.manifest.key = request.key;
    live.manifest.add(std::move(record));
    bytes = live.manifest.serialize();
  }
  {
    std::lock_guard lock(manifests_mutex_);
    manifests_[request.key] = request.manifest;
  }
  if (store_.can_write() && !write(request.key, FileKind::MANIFEST, bytes))
    statistics_.count(Event::STORE_FAILURES);
  if (!remotes_.empty() && settings_.signing_key)
    remotes_.put(request.key, FileKind::MANIFEST, std::move(bytes));
}

void Cache::bound() {
  const Usage now = store_.usage();
  const auto over = [&](int64_t value, uint64_t bound) {
    return value > 0 && static_cast<uint64_t>(value) > bound;
  };
  if (!over(now.bytes, settings_.max_bytes) && !over(now.files, settings_.max_entries)) return;
  if (Inside::of(&bound_mutex_)) return;  // a report of trim() has put something
  const std::unique_lock lock(bound_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // another thread is at it
  uint64_t evicted = 0;
  const size_t shards = now.files <= FEW_FILES ? Store::SHARDS : SAMPLE;
  evict(target(settings_.max_bytes), target(settings_.max_entries), shards, nullptr, evicted);
}

MemoryTier::Time Cache::best_before(std::chrono::nanoseconds age) const {
  if (settings_.max_age.count() == 0) return MemoryTier::NEVER;
  return std::chrono::steady_clock::now() + settings_.max_age - age;
}

// What was found in memory is to look used on disk too: an entry, and the manifest that leads to
// it.
void Cache::touch_used() {
  memory_.take_used([&](const container::Digest& key) { store_.touch(key, FileKind::ENTRY); });
  std::lock_guard lock(manifests_mutex_);
  for (const auto& [key, live] : manifests_) {
    std::lock_guard one(live->mutex);
    if (std::exchange(live->used, false)) store_.touch(key, FileKind::MANIFEST);
  }
}

void Cache::evict(uint64_t max_bytes, uint64_t max_files, size_t shards, const Report& report,
                  uint64_t& evicted) {
  touch_used();
  std::vector<FoundFile> files;
  Usage left;
  const unsigned first = shards == Store::SHARDS ? 0 : random_shard();
  for (size_t i = 0; i < shards; ++i) {
    const unsigned shard = static_cast<unsigned>((first + i) % Store::SHARDS);
    const Usage exact =
        store_.recount(shard, [&](const FoundFile& file) { files.push_back(file); });
    left.bytes += exact.bytes;
    left.files += exact.files;
  }
  sort_by_use(files);
  max_bytes = share(max_bytes, shards);
  max_files = share(max_files, shards);
  size_t done = 0;
  for (const FoundFile& file : files) {
    if (static_cast<uint64_t>(left.bytes) <= max_bytes &&
        static_cast<uint64_t>(left.files) <= max_files)
      break;
    if (!store_.remove(file.key, file.kind, file.identity)) continue;
    left.bytes -= static_cast<int64_t>(file.identity.size);
    left.files -= file.kind == FileKind::ENTRY;
    ++evicted;
    statistics_.count(Event::EVICTIONS, file.kind == FileKind::ENTRY);
    if (!report) continue;
    if (!report(report_of(file, ++done, files.size()))) break;
  }
}

uint64_t Cache::trim(uint64_t max_bytes, uint64_t max_entries, const Report& report) {
  if (Inside::of(&bound_mutex_))
    throw Error(Status::INVALID_STATE,
                "cache is one that this thread is trimming; a report must not trim it again");
  if (max_bytes == 0 || max_entries == 0) {
    memory_.clear();
    std::lock_guard lock(manifests_mutex_);
    manifests_.clear();
  }
  if (!store_.can_write()) return 0;
  std::lock_guard lock(bound_mutex_);
  const Inside inside(&bound_mutex_);
  uint64_t evicted = 0;
  evict(max_bytes, max_entries, Store::SHARDS, report, evicted);
  flush_statistics();
  return evicted;
}

}  // namespace cucore::cache
