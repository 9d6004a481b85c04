// SPDX-License-Identifier: Apache-2.0
// cucore cache: shows the content and state of the program cache, and the reason of a miss.
#include <cucore.h>
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cache_actions.hpp"
#include "command.hpp"
#include "failure.hpp"
#include "print.hpp"
#include "report.hpp"
#include "sizes.hpp"
#include "terminal.hpp"

namespace cucore::cli {
namespace {

struct Count {
  const char* name;  // the member's name in the header
  std::uint64_t CacheStatistics::*field;
  const char* what;
};

#define COUNT(field, what) \
  { #field, &CacheStatistics::field, what }
// Every count of the header, in the header's order.
constexpr Count COUNTS[] = {
    COUNT(entries, "entries on disk"),
    COUNT(bytes, "bytes on disk"),
    COUNT(max_entries, "most entries on disk"),
    COUNT(max_bytes, "most bytes on disk"),
    COUNT(hits_memory, "hits in memory"),
    COUNT(hits_disk, "hits on disk"),
    COUNT(hits_remote, "hits of remotes"),
    COUNT(joins, "waits for another thread's build"),
    COUNT(misses, "misses"),
    COUNT(bypasses, "builds that did not look in the cache"),
    COUNT(builds, "compiles and links"),
    COUNT(build_failures, "compiles and links that failed"),
    COUNT(stores, "entries written to disk"),
    COUNT(store_failures, "entries that could not be written to disk"),
    COUNT(not_storable, "results that must not be stored"),
    COUNT(corrupt, "damaged files removed"),
    COUNT(evictions, "entries removed to stay below the bounds"),
    COUNT(lock_timeouts, "waits for a build that took too long"),
    COUNT(bytes_read, "bytes read from disk"),
    COUNT(bytes_written, "bytes written to disk"),
    COUNT(misses_new, "misses: nothing of that name"),
    COUNT(misses_source, "misses: another source"),
    COUNT(misses_options, "misses: other options"),
    COUNT(misses_compiler, "misses: another compiler"),
    COUNT(misses_target, "misses: another architecture"),
    COUNT(misses_expressions, "misses: other name expressions"),
    COUNT(misses_headers, "misses: another header in memory"),
    COUNT(misses_files, "misses: an included file changed"),
    COUNT(misses_inputs, "misses: another input of a link"),
    COUNT(misses_environment, "misses: another environment"),
    COUNT(misses_removed, "misses: evicted or removed"),
    COUNT(remote_misses, "requests that no remote could answer"),
    COUNT(remote_stores, "entries sent to remotes"),
    COUNT(remote_errors, "requests to remotes that failed"),
    COUNT(remote_refused, "entries of remotes that were refused"),
};
#undef COUNT
static_assert(sizeof(std::size_t) + std::size(COUNTS) * sizeof(std::uint64_t) ==
              sizeof(CacheStatistics));

// Values that are easier to read in larger units.
bool is_size(std::string_view name) { return name.find("bytes") != name.npos; }

void stats(const CacheRequest& request) {
  const Cache cache = open_to_read(request);
  const CacheStatistics info = cache.statistics_of_all();
  if (wants_json()) {
    Json object = {{"folder", cache.directory()}};
    for (const Count& count : COUNTS) object[count.name] = info.*count.field;
    print_json(object);
    return;
  }
  print("{:<18}  {}\n", "folder", cache.directory());
  for (const Count& count : COUNTS) {
    const std::uint64_t value = info.*count.field;
    print("{:<18}  {:>12}  {}\n", count.name,
          is_size(count.name) ? size_text(value) : std::to_string(value), count.what);
  }
}

using Action = void (*)(const CacheRequest&);

CLI::App* add(CLI::App& group, const char* name, const char* what, const char* example,
              const std::shared_ptr<CacheRequest>& request, Action action) {
  CLI::App* command = group.add_subcommand(name, what);
  command->footer(
      fmt::format("Example:\n  cucore cache {}{}{}", name, *example ? " " : "", example));
  command->callback([request, action] { action(*request); });
  return command;
}

}  // namespace

Cache open_cache(const CacheRequest& request, bool read_only) {
  // A mistyped name must not create another, empty cache.
  std::error_code ignored;
  if (!request.folder.empty() && !std::filesystem::is_directory(request.folder, ignored))
    throw failed(fmt::format("--folder is {}, which is not a folder", request.folder),
                 Status::not_found);
  CacheOptions options;
  if (!request.folder.empty()) options.directory = request.folder;
  options.read_only = read_only;
  Cache cache = Cache::open(options);
  if (cache.directory().empty())
    throw failed("the cache has no folder; set --folder, CUCORE_CACHE_DIR or a home folder");
  return cache;
}

Cache open_to_read(const CacheRequest& request) {
  if (request.folder.empty()) {
    const Silence silence;
    CacheOptions options;
    options.read_only = true;
    Cache cache = Cache::open(options);
    if (!cache.directory().empty()) return cache;
  }
  return open_cache(request, !request.folder.empty());
}

std::string size_text(std::uint64_t bytes) {
  constexpr const char* UNITS[] = {"B", "KiB", "MiB", "GiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit < 3; ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, UNITS[unit]);
}

void add_cache(CLI::App& app) {
  CLI::App* group = app.add_subcommand("cache", "Shows and maintains the program cache.");
  auto request = std::make_shared<CacheRequest>();
  group
      ->add_option("-C,--folder", request->folder,
                   "the cache's folder; default: $CUCORE_CACHE_DIR, $XDG_CACHE_HOME/cucore or "
                   "~/.cache/cucore")
      // An unset shell variable must not clear another cache.
      ->check([](const std::string& text) {
        return text.empty() ? "the folder's name is empty" : std::string();
      })
      ->type_name("DIR");
  group->require_subcommand(1);
  group->fallthrough();
  add(*group, "stats", "Shows the counts of all processes that have used the cache.", "", request,
      stats);
  add(*group, "list", "Lists the entries: key, size, last use, kind, architecture and name.", "",
      request, list_cache);
  add(*group, "remove", "Removes entries by their keys.", "3f9a12c0b5de", request, remove_entries)
      ->add_option("key", request->keys, "the first digits of a key, as 'cache list' prints them")
      ->required()
      ->type_name("KEY");
  add(*group, "verify", "Reads every file and removes damaged ones.", "", request, verify_cache);
  CLI::App* trim = add(*group, "trim", "Removes the least recently used entries.",
                       "--max-size 500M", request, [](const CacheRequest& asked) {
                         trim_cache(asked, parse_size(asked.max_size, "--max-size"), "trimming");
                       });
  trim->add_option("--max-size", request->max_size, "size to keep, such as 500M or 2G")
      ->required()
      ->type_name("SIZE");
  add(*group, "clear", "Removes all entries.", "", request,
      [](const CacheRequest& asked) { trim_cache(asked, 0, "clearing"); });
  CLI::App* explains = add(*group, "explain", "Shows why a compile would miss.",
                           "saxpy.cu --arch sm_90 --target cubin", request, explain_miss);
  explains->add_option("file", request->file, "CUDA C++, PTX (.ptx) or NVVM IR (.ll, .bc)")
      ->required()
      ->type_name("FILE");
  explains
      ->add_option("-t,--target", request->target,
                   "ptx, cubin or ltoir; default: as for a container of compile")
      ->check(CLI::IsMember({"ptx", "cubin", "ltoir"}))
      ->type_name("KIND");
  request->flags.add_all_to(*explains);
  group->footer(
      "Example:\n"
      "  cucore cache stats\n"
      "  cucore cache remove 3f9a12c0b5de\n"
      "  cucore cache trim --max-size 500M\n"
      "  cucore cache explain saxpy.cu --arch sm_90 --target cubin");
}

}  // namespace cucore::cli
