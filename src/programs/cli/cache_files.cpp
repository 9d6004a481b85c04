// SPDX-License-Identifier: Apache-2.0
// cucore cache list, verify, trim and clear: they process the files of the cache one by one.
#include <cucore.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdint>
#include <ctime>
#include <string>

#include "cache_actions.hpp"
#include "failure.hpp"
#include "image.hpp"
#include "print.hpp"
#include "progress_bar.hpp"
#include "report.hpp"

namespace cucore::cli {
namespace {

std::string key_of(const cucore_cache_entry_info& entry) {
  std::string text;
  for (const std::uint8_t byte : entry.key) text += fmt::format("{:02x}", byte);
  return text;
}

std::time_t seconds_of(const cucore_cache_entry_info& entry) {
  return static_cast<std::time_t>(entry.used_ns / 1'000'000'000);
}

Json describe_entry(const cucore_cache_entry_info& entry) {
  return {{"key", key_of(entry)},
          {"size", entry.size},
          {"used", fmt::format("{:%FT%TZ}", fmt::gmtime(seconds_of(entry)))},
          {"kind", entry.is_sound ? type_name(entry.type) : ""},
          {"arch", entry.arch},
          {"name", entry.name},
          {"sound", entry.is_sound != 0},
          {"problem", entry.problem}};
}

void print_entry(const cucore_cache_entry_info& entry) {
  print("{}  {:>10}  {:%F %T}  {:<6} {:<10} {}\n", key_of(entry), size_text(entry.size),
        fmt::localtime(seconds_of(entry)), type_name(entry.type), entry.arch,
        entry.is_sound ? entry.name : entry.problem);
}

// State of the iteration over the files.
struct Walk {
  ProgressBar bar;
  std::uint64_t files = 0;
  Json damaged = Json::array();
};

std::int32_t add_entry(const cucore_cache_entry_info* entry, void* user_data) {
  auto& entries = *static_cast<Json*>(user_data);
  entries.push_back(describe_entry(*entry));
  if (!wants_json()) print_entry(*entry);
  return 1;
}

std::int32_t add_file(const cucore_cache_entry_info* entry, void* user_data) {
  auto& walk = *static_cast<Walk*>(user_data);
  ++walk.files;
  if (!entry->is_sound) {
    walk.bar.clear();
    walk.damaged.push_back({{"key", key_of(*entry)}, {"problem", entry->problem}});
    if (!wants_json()) print("{}: {}\n", key_of(*entry), entry->problem);
  }
  walk.bar.show(entry->done, entry->total);
  return 1;
}

Json folder_of(const Cache& cache) { return {{"folder", cucore_cache_directory(cache.get())}}; }

}  // namespace

void list_cache(const CacheRequest& request) {
  const Cache cache = open_cache(request, true);
  Json entries = Json::array();
  call(cucore_cache_query, cache.get(), add_entry, static_cast<void*>(&entries));
  Json all = folder_of(cache);
  const std::size_t count = entries.size();
  all["entries"] = std::move(entries);
  print_done(fmt::format("{} entries", count), all, false);
}

void verify_cache(const CacheRequest& request) {
  const Cache cache = open_cache(request, false);
  Walk walk{ProgressBar("verifying")};
  std::uint64_t bad = 0;
  call(cucore_cache_verify, cache.get(), add_file, static_cast<void*>(&walk), &bad);
  walk.bar.clear();
  Json all = folder_of(cache);
  all["files"] = walk.files;
  all["damaged"] = walk.damaged;
  const bool fails_in_json = bad != 0 && wants_json();
  print_done(fmt::format("{} files, {} damaged{}", walk.files, bad, bad != 0 ? " and removed" : ""),
             all, fails_in_json);
  if (bad != 0) throw failed(fmt::format("{} files of the cache were damaged", bad)).with(all);
}

void trim_cache(const CacheRequest& request, std::uint64_t bytes, const char* what) {
  const Cache cache = open_cache(request, false);
  Walk walk{ProgressBar(what)};
  call(cucore_cache_trim, cache.get(), bytes, add_file, static_cast<void*>(&walk));
  walk.bar.clear();
  cucore_cache_statistics_info info = CUCORE_CACHE_STATISTICS_INFO_INIT;
  call(cucore_cache_statistics, cache.get(), &info);
  Json all = folder_of(cache);
  all["removed"] = walk.files;
  all["entries"] = info.entries;
  all["bytes"] = info.bytes;
  print_done(fmt::format("{} files removed; {} entries left, {}", walk.files, info.entries,
                         size_text(info.bytes)),
             all, false);
}

}  // namespace cucore::cli
