// SPDX-License-Identifier: Apache-2.0
// cucore cache list, remove, verify, trim and clear: they process the files of the cache one by
// one.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "cache_actions.hpp"
#include "columns.hpp"
#include "failure.hpp"
#include "image.hpp"
#include "print.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "support/counted.hpp"

namespace cucore::cli {
namespace {

std::string key_of(const CacheEntry& entry) {
  std::string text;
  for (const std::uint8_t byte : entry.key) text += fmt::format("{:02x}", byte);
  return text;
}

std::time_t seconds_of(const CacheEntry& entry) {
  return std::chrono::floor<std::chrono::seconds>(entry.used).count();
}

const char* type_of(const CacheEntry& entry) { return type_name(entry.type.value_or(CodeType{})); }

Json describe_entry(const CacheEntry& entry) {
  return {{"key", key_of(entry)},
          {"size", entry.size},
          {"used", fmt::format("{:%FT%TZ}", fmt::gmtime(seconds_of(entry)))},
          {"kind", entry.is_sound ? type_of(entry) : ""},
          {"arch", entry.arch},
          {"name", entry.name},
          {"sound", entry.is_sound},
          {"problem", entry.problem}};
}

constexpr std::size_t KEY_DIGITS = 64;
constexpr std::size_t SHOWN_DIGITS = 12;
// The columns of a line, and of its part before the name.
constexpr std::size_t PIPE_COLUMNS = 100, OTHER_COLUMNS = 66, FEWEST_OF_NAME = 14;

struct Entry {
  std::string key, size, kind, arch, text;
  std::time_t used;
};

// Returns how many digits distinguish all keys, at least SHOWN_DIGITS.
std::size_t digits_of(const std::vector<Entry>& entries) {
  if (wants_verbose()) return KEY_DIGITS;
  std::vector<std::string_view> keys;
  for (const Entry& entry : entries) keys.push_back(entry.key);
  std::ranges::sort(keys);
  std::size_t digits = SHOWN_DIGITS;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const auto [end, unused] = std::ranges::mismatch(keys[i - 1], keys[i]);
    digits = std::max<std::size_t>(digits, end - keys[i - 1].begin() + 1);
  }
  return std::min(digits, KEY_DIGITS);
}

// Returns the end of a long name, which distinguishes it from others.
std::string shortened(const std::string& name) {
  const std::size_t terminal = terminal_columns(STDOUT_FILENO);
  const std::size_t most =
      std::max((terminal == 0 ? PIPE_COLUMNS : terminal), OTHER_COLUMNS + FEWEST_OF_NAME) -
      OTHER_COLUMNS;
  if (wants_verbose() || name.size() <= most) return name;
  std::size_t from = name.size() - (most - 3);
  while (from < name.size() && (name[from] & 0xC0) == 0x80) ++from;  // inside a UTF-8 sequence
  return "..." + name.substr(from);
}

void print_entries(const std::vector<Entry>& entries) {
  const std::size_t digits = digits_of(entries);
  for (const Entry& entry : entries)
    print("{}  {:>10}  {:%F %R}  {:<6} {:<10} {}\n", entry.key.substr(0, digits), entry.size,
          fmt::localtime(entry.used), entry.kind, entry.arch, shortened(entry.text));
}

// State of cache list.
struct Listing {
  std::vector<Entry> lines;
  Json entries = Json::array();

  void add(const CacheEntry& entry) {
    entries.push_back(describe_entry(entry));
    lines.push_back({key_of(entry), size_text(entry.size), type_of(entry), std::string(entry.arch),
                     std::string(entry.is_sound ? entry.name : entry.problem), seconds_of(entry)});
  }
};

// State of the iteration over the files.
struct Walk {
  ProgressBar bar;
  std::uint64_t files = 0;
  Json damaged = Json::array();

  void add(const CacheEntry& entry) {
    ++files;
    if (!entry.is_sound) {
      bar.clear();
      damaged.push_back({{"key", key_of(entry)}, {"problem", entry.problem}});
      if (!wants_json()) print("{}: {}\n", key_of(entry), entry.problem);
    }
    bar.show(entry.done, entry.total);
  }
};

// Returns the lower-case digits of a key or of its beginning.
std::string parse_digits(std::string text) {
  constexpr std::size_t FEWEST = 4;
  for (char& digit : text)
    digit = static_cast<char>(std::tolower(static_cast<unsigned char>(digit)));
  if (text.size() < FEWEST || text.size() > KEY_DIGITS ||
      text.find_first_not_of("0123456789abcdef") != text.npos)
    throw usage(fmt::format("'{}' is not a key; expected {} to {} hexadecimal digits", text, FEWEST,
                            KEY_DIGITS));
  return text;
}

// Returns the one key among `keys` that begins with the given digits.
std::string find_key(std::vector<std::string> keys, const std::string& digits) {
  std::erase_if(keys, [&](const std::string& key) { return !key.starts_with(digits); });
  if (keys.empty())
    throw failed(
        fmt::format("no key in the cache begins with {}; 'cucore cache list' shows the keys",
                    digits),
        Status::not_found);
  if (keys.size() == 1) return keys.front();
  constexpr std::size_t MOST_SHOWN = 4;
  const std::size_t count = keys.size();
  std::ranges::sort(keys);
  keys.resize(std::min(count, MOST_SHOWN));
  for (std::string& key : keys) key.resize(std::max(SHOWN_DIGITS, digits.size() + 4));
  throw failed(fmt::format("{} is ambiguous; {} keys begin with it: {}{}", digits, count,
                           fmt::join(keys, ", "), count > MOST_SHOWN ? ", ..." : ""));
}

CacheKey bytes_of(const std::string& key) {
  CacheKey bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    std::from_chars(key.data() + 2 * i, key.data() + 2 * i + 2, bytes[i], 16);
  return bytes;
}

Json folder_of(const Cache& cache) { return {{"folder", cache.directory()}}; }

}  // namespace

void list_cache(const CacheRequest& request) {
  const Cache cache = open_to_read(request);
  Listing listing;
  cache.query([&](const CacheEntry& entry) { listing.add(entry); });
  if (!wants_json()) print_entries(listing.lines);
  Json all = folder_of(cache);
  all["entries"] = std::move(listing.entries);
  print_done(counted(listing.lines.size(), "entry", "entries"), all, false);
}

void remove_entries(const CacheRequest& request) {
  std::vector<std::string> digits;
  for (const std::string& key : request.keys) digits.push_back(parse_digits(key));
  const Cache cache = open_cache(request, false);
  std::vector<std::string> keys;
  cache.query([&](const CacheEntry& entry) { keys.push_back(key_of(entry)); });
  std::vector<std::string> found;
  for (const std::string& each : digits) found.push_back(find_key(keys, each));
  std::uint64_t count = 0;
  for (const std::string& key : found) count += cache.remove(bytes_of(key));
  Json all = folder_of(cache);
  all["removed"] = count;
  all["keys"] = found;
  print_done(counted(count, "entry", "entries") + " removed", all, false);
}

void verify_cache(const CacheRequest& request) {
  const Cache cache = open_cache(request, false);
  Walk walk{ProgressBar("verifying")};
  std::uint64_t bad = 0;
  cache.verify([&](const CacheEntry& entry) { walk.add(entry); }, &bad);
  walk.bar.clear();
  Json all = folder_of(cache);
  all["files"] = walk.files;
  all["damaged"] = walk.damaged;
  const bool fails_in_json = bad != 0 && wants_json();
  print_done(fmt::format("{}, {} damaged{}", counted(walk.files, "file"), bad,
                         bad != 0 ? " and removed" : ""),
             all, fails_in_json);
  if (bad != 0)
    throw failed(
        fmt::format("{} of the cache {} damaged", counted(bad, "file"), bad == 1 ? "was" : "were"))
        .with(all);
}

void trim_cache(const CacheRequest& request, std::uint64_t bytes, const char* what) {
  const Cache cache = open_cache(request, false);
  Walk walk{ProgressBar(what)};
  cache.trim(bytes, [&](const CacheEntry& entry) { walk.add(entry); });
  walk.bar.clear();
  const CacheStatistics info = cache.statistics();
  Json all = folder_of(cache);
  all["removed"] = walk.files;
  all["entries"] = info.entries;
  all["bytes"] = info.bytes;
  print_done(fmt::format("{} removed; {} left, {}", counted(walk.files, "file"),
                         counted(info.entries, "entry", "entries"), size_text(info.bytes)),
             all, false);
}

}  // namespace cucore::cli
