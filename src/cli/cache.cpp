// cucore cache: what is in the program cache, whether it is sound, and why something is not in it.
#include <cucore.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "failure.hpp"
#include "handles.hpp"
#include "image.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "source.hpp"
#include "strings.hpp"

namespace cucore::cli {
namespace {

struct CacheRequest {
  std::string folder;
  std::string max_size;
  std::string file, target = "ptx";
  CompileFlags flags;
};

Cache open_cache(const CacheRequest& request, bool read_only) {
  cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
  options.directory = request.folder.empty() ? nullptr : request.folder.c_str();
  options.read_only = read_only;
  Cache cache = make<Cache>(cucore_cache_open, static_cast<const cucore_cache_options*>(&options));
  if (std::string(cucore_cache_directory(cache.get())).empty())
    throw failed("there is no cache: --folder, CUCORE_CACHE_DIR or a home folder say where");
  return cache;
}

std::string size_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit < 3; ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

/// "500M", "2G"; a number alone is bytes.
std::uint64_t parse_size(const std::string& text) {
  std::uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data(), last, value);
  const std::string_view suffix(end, static_cast<std::size_t>(last - end));
  const std::string_view units = "KMGT";
  const std::size_t unit = suffix.empty() ? 0 : units.find(suffix[0]) + 1;
  const bool fits = value <= UINT64_MAX >> (10 * unit);
  if (failure != std::errc() || suffix.size() > 1 || (!suffix.empty() && unit == 0) || !fits)
    throw usage(fmt::format("'{}' is no size; write it as 500M or 2G", text));
  return value << (10 * unit);
}

std::string hex(const std::uint8_t* bytes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

// name in the output, field of cucore_cache_statistics_info
#define CUCORE_CLI_COUNTS(COUNT)                                 \
  COUNT("hits in memory", hits_memory)                           \
  COUNT("hits on disk", hits_disk)                               \
  COUNT("hits of remotes", hits_remote)                          \
  COUNT("waits for another's build", joins)                      \
  COUNT("misses", misses)                                        \
  COUNT("  nothing of that name", misses_new)                    \
  COUNT("  another source", misses_source)                       \
  COUNT("  other options", misses_options)                       \
  COUNT("  another compiler", misses_compiler)                   \
  COUNT("  another kind of code or architecture", misses_target) \
  COUNT("  other name expressions", misses_expressions)          \
  COUNT("  another header in memory", misses_headers)            \
  COUNT("  an included file changed", misses_files)              \
  COUNT("  another input of a link", misses_inputs)              \
  COUNT("  another environment", misses_environment)             \
  COUNT("  evicted or removed", misses_removed)                  \
  COUNT("bypasses", bypasses)                                    \
  COUNT("builds", builds)                                        \
  COUNT("builds that failed", build_failures)                    \
  COUNT("results that must not be kept", not_storable)           \
  COUNT("entries that the disk did not take", store_failures)    \
  COUNT("damaged files", corrupt)                                \
  COUNT("evictions", evictions)                                  \
  COUNT("waits given up", lock_timeouts)

void stats(const CacheRequest& request) {
  const Cache cache = open_cache(request, true);
  cucore_cache_statistics_info info = CUCORE_CACHE_STATISTICS_INFO_INIT;
  call(cucore_cache_statistics_of_all, cache.get(), &info);
  if (wants_json()) {
    Json object = {{"folder", cucore_cache_directory(cache.get())},
                   {"entries", info.entries},
                   {"bytes", info.bytes}};
#define COUNT(title, field) object[#field] = info.field;
    CUCORE_CLI_COUNTS(COUNT)
#undef COUNT
    print_json(object);
    return;
  }
  fmt::print("{:<40} {}\n", "folder", cucore_cache_directory(cache.get()));
  fmt::print("{:<40} {} of at most {}\n", "entries", info.entries, info.max_entries);
  fmt::print("{:<40} {} of at most {}\n", "size", size_text(info.bytes), size_text(info.max_bytes));
#define COUNT(title, field) \
  if (info.field != 0 || title[0] != ' ') fmt::print("{:<40} {}\n", title, info.field);
  CUCORE_CLI_COUNTS(COUNT)
#undef COUNT
}

struct Listing {
  std::size_t count = 0;
};

std::int32_t print_entry(const cucore_cache_entry_info* entry, void* user_data) {
  ++static_cast<Listing*>(user_data)->count;
  const auto used = static_cast<std::time_t>(entry->used_ns / 1'000'000'000);
  fmt::print("{}  {:>10}  {:%F %T}  {:<6} {:<10} {}\n", hex(entry->key, 32), size_text(entry->size),
             fmt::localtime(used), type_name(entry->type), entry->arch,
             entry->is_sound ? entry->name : entry->problem);
  return 1;
}

void list(const CacheRequest& request) {
  const Cache cache = open_cache(request, true);
  Listing listing;
  call(cucore_cache_query, cache.get(), print_entry, &listing);
  fmt::print("{} entries\n", listing.count);
}

struct Walk {
  ProgressBar bar;
  std::uint64_t files = 0;
};

std::int32_t show_progress(const cucore_cache_entry_info* entry, void* user_data) {
  auto& walk = *static_cast<Walk*>(user_data);
  ++walk.files;
  if (!entry->is_sound) {
    walk.bar.clear();
    fmt::print("{}: {}\n", hex(entry->key, 32), entry->problem);
  }
  walk.bar.show(entry->done, entry->total);
  return 1;
}

void verify(const CacheRequest& request) {
  const Cache cache = open_cache(request, false);
  Walk walk{ProgressBar("verifying")};
  std::uint64_t bad = 0;
  call(cucore_cache_verify, cache.get(), show_progress, static_cast<void*>(&walk), &bad);
  walk.bar.clear();
  fmt::print("{} files, {} damaged{}\n", walk.files, bad, bad ? " and removed" : "");
  if (bad != 0) throw failed(fmt::format("{} files of the cache were damaged", bad));
}

void trim_to(const CacheRequest& request, std::uint64_t bytes, const char* what) {
  const Cache cache = open_cache(request, false);
  Walk walk{ProgressBar(what)};
  call(cucore_cache_trim, cache.get(), bytes, show_progress, static_cast<void*>(&walk));
  walk.bar.clear();
  cucore_cache_statistics_info info = CUCORE_CACHE_STATISTICS_INFO_INIT;
  call(cucore_cache_statistics, cache.get(), &info);
  fmt::print("{} files removed; {} entries left, {}\n", walk.files, info.entries,
             size_text(info.bytes));
}

void explain(const CacheRequest& request) {
  const Cache cache = open_cache(request, true);
  const Program program = load_program(request.file, request.flags);
  const auto names = pointers(request.flags.names);
  const cucore_code_type target = request.target == "cubin"   ? CUCORE_CODE_TYPE_CUBIN
                                  : request.target == "ltoir" ? CUCORE_CODE_TYPE_LTOIR
                                                              : CUCORE_CODE_TYPE_PTX;
  std::size_t size = 0;
  const auto ask = [&](char* buffer, std::size_t capacity) {
    call(cucore_cache_explain_miss, cache.get(), program.get(), target, names.data(), names.size(),
         buffer, capacity, &size);
  };
  ask(nullptr, 0);
  std::string text(size, '\0');
  ask(text.data(), text.size());
  fmt::print("{}", text.c_str());
}

using Action = void (*)(const CacheRequest&);

CLI::App* add(CLI::App& group, const char* name, const char* what,
              const std::shared_ptr<CacheRequest>& request, Action action) {
  CLI::App* command = group.add_subcommand(name, what);
  command->callback([request, action] { action(*request); });
  return command;
}

}  // namespace

void add_cache(CLI::App& app) {
  CLI::App* group = app.add_subcommand("cache", "Shows and looks after the program cache.");
  auto request = std::make_shared<CacheRequest>();
  group
      ->add_option("-C,--folder", request->folder,
                   "the cache's folder; default: $CUCORE_CACHE_DIR, $XDG_CACHE_HOME/cucore or "
                   "~/.cache/cucore")
      ->type_name("DIR");
  group->require_subcommand(1);
  group->fallthrough();
  add(*group, "stats", "counts of every process that has used it", request, stats);
  add(*group, "list", "every entry: key, size, last use, kind, architecture, name", request, list);
  add(*group, "verify", "reads every file and removes what is damaged", request, verify);
  CLI::App* trim = add(
      *group, "trim", "removes what was used least recently", request,
      [](const CacheRequest& asked) { trim_to(asked, parse_size(asked.max_size), "trimming"); });
  trim->add_option("--max-size", request->max_size, "what may be left, 500M")
      ->required()
      ->type_name("SIZE");
  add(*group, "clear", "removes all", request,
      [](const CacheRequest& asked) { trim_to(asked, 0, "clearing"); });
  CLI::App* explains = add(*group, "explain", "says why a compile would miss", request, explain);
  explains->add_option("file", request->file, "CUDA C++ source")->required()->type_name("FILE");
  explains->add_option("-t,--target", request->target, "ptx (default), cubin or ltoir")
      ->check(CLI::IsMember({"ptx", "cubin", "ltoir"}))
      ->type_name("KIND");
  request->flags.add_to(*explains);
  group->footer(
      "Example:\n"
      "  cucore cache stats\n"
      "  cucore cache trim --max-size 500M\n"
      "  cucore cache explain saxpy.cu --arch sm_90 --target cubin");
}

}  // namespace cucore::cli
