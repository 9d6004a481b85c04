// SPDX-License-Identifier: Apache-2.0
#include "cache/evictor.hpp"

#include <algorithm>
#include <atomic>
#include <random>

#include "cache/file_facts.hpp"
#include "cache/inside.hpp"
#include "support/error.hpp"

namespace cucore::cache {
namespace {

// With so few files, the walk visits every shard and finds the oldest file of all.
constexpr int64_t FEW_FILES = 4096;
constexpr size_t SAMPLE = 16;  // shards of a walk over more files

// Leaves some room below the limit, so that not every store evicts. A small limit has no room.
uint64_t target(uint64_t limit) { return limit < 100 ? limit : limit - limit / 10; }

// Returns the part of a limit that the visited shards may hold. If they alone had to shrink below
// the whole limit, recently used files would be removed.
uint64_t share(uint64_t limit, size_t shards) {
  return shards == Store::SHARDS ? limit : limit / Store::SHARDS * shards;
}

// Sorts the least recently used first. A time in the future was stamped before the clock was set
// back. If it counted as recent, new files would be evicted at once and old ones never.
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

void Evictor::enforce() {
  const Usage now = store_.usage();
  const auto over = [&](int64_t value, uint64_t limit) {
    return value > 0 && static_cast<uint64_t>(value) > limit;
  };
  if (!over(now.bytes, limits_.bytes) && !over(now.files, limits_.entries)) return;
  if (Inside::of(&mutex_)) return;  // a report of trim() has stored something
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // another thread evicts
  const size_t shards = now.files <= FEW_FILES ? Store::SHARDS : SAMPLE;
  evict({target(limits_.bytes), target(limits_.entries)}, shards, nullptr);
}

void Evictor::require_outside_report() const {
  if (Inside::of(&mutex_))
    throw Error(Status::INVALID_STATE,
                "cache is one that this thread is trimming; a report must not trim it again");
}

uint64_t Evictor::trim(Limits limits, const Report& report) {
  require_outside_report();
  if (!store_.can_write()) return 0;
  std::lock_guard lock(mutex_);
  const Inside inside(&mutex_);
  return evict(limits, Store::SHARDS, report);
}

Usage Evictor::list_files(size_t shards, std::vector<FoundFile>& files) {
  Usage sum;
  const unsigned first = shards == Store::SHARDS ? 0 : random_shard();
  for (size_t i = 0; i < shards; ++i) {
    const unsigned shard = static_cast<unsigned>((first + i) % Store::SHARDS);
    const Usage exact =
        store_.recount(shard, [&](const FoundFile& file) { files.push_back(file); });
    sum.bytes += exact.bytes;
    sum.files += exact.files;
  }
  return sum;
}

uint64_t Evictor::evict(Limits limits, size_t shards, const Report& report) {
  touch_used_();
  std::vector<FoundFile> files;
  Usage left = list_files(shards, files);
  sort_by_use(files);
  limits = {share(limits.bytes, shards), share(limits.entries, shards)};
  uint64_t evicted = 0;
  for (const FoundFile& file : files) {
    if (static_cast<uint64_t>(left.bytes) <= limits.bytes &&
        static_cast<uint64_t>(left.files) <= limits.entries)
      break;
    if (!store_.remove(file.key, file.kind, file.identity)) continue;
    left.bytes -= static_cast<int64_t>(file.identity.size);
    left.files -= file.kind == FileKind::ENTRY;
    ++evicted;
    statistics_.count(Event::EVICTIONS, file.kind == FileKind::ENTRY);
    if (report && !report(report_of(file, evicted, files.size()))) break;
  }
  return evicted;
}

}  // namespace cucore::cache
