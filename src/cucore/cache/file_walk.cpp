// SPDX-License-Identifier: Apache-2.0
#include "cache/file_walk.hpp"

#include <algorithm>

#include "cache/manifest.hpp"
#include "container/reader.hpp"
#include "support/error.hpp"
#include "support/sha256.hpp"

namespace cucore::cache {
namespace {

bool ends_with_its_sum(std::span<const std::byte> bytes) {
  constexpr size_t SUM = sizeof(container::Digest);
  if (bytes.size() < SUM) return false;
  const container::Digest sum = sha256(bytes.first(bytes.size() - SUM));
  return std::equal(sum.begin(), sum.end(), bytes.end() - SUM);
}

void describe(const container::Code& code, EntryReport& report) {
  report.name = code.name;
  report.arch = code.arch.text();
  report.type = code.type;
}

void check_file(Store& store, const FoundFile& file, EntryReport& report) {
  const auto stored = store.read(file.key, file.kind);
  if (!stored) return;  // another process removed it
  try {
    if (file.kind == FileKind::MANIFEST) {
      report.is_sound = Manifest::parse(stored->bytes, file.key).has_value();
    } else if (file.kind == FileKind::LAST) {
      report.is_sound = ends_with_its_sum(stored->bytes);
    } else {
      const container::Code code = container::read(stored->bytes);
      report.is_sound = code.key && code.key->digest == file.key;
      describe(code, report);
    }
    if (!report.is_sound) report.problem = "it is not what its name says";
  } catch (const Error& error) {
    report.is_sound = false;
    report.problem = error.message();
  }
  if (!report.is_sound) store.remove(file.key, file.kind, stored->identity);
}

}  // namespace

EntryReport report_of(const FoundFile& file, size_t done, size_t total) {
  EntryReport report;
  report.key = file.key;
  report.kind = file.kind;
  report.size = file.identity.size;
  report.made_ns = file.identity.modified_ns;
  // The creation is a use, whichever of the two times the file system stamped first.
  report.used_ns = std::max(file.identity.used_ns, file.identity.modified_ns);
  report.done = done;
  report.total = std::max(done, total);
  return report;
}

uint64_t verify_files(Store& store, Statistics& statistics, const Report& report) {
  uint64_t bad = 0;
  size_t done = 0;
  bool goes_on = true;
  const auto total = static_cast<size_t>(store.usage().files);
  for (unsigned shard = 0; shard < Store::SHARDS && goes_on; ++shard) {
    std::vector<FoundFile> files;
    store.walk(shard, [&](const FoundFile& file) { return files.push_back(file), true; });
    for (const FoundFile& file : files) {
      EntryReport entry = report_of(file, done += file.kind == FileKind::ENTRY, total);
      check_file(store, file, entry);
      if (!entry.is_sound) {
        ++bad;
        statistics.count(Event::CORRUPT);
      }
      if (report && goes_on) goes_on = report(entry);
    }
    store.recount(shard, nullptr);
  }
  statistics.flush(store);
  return bad;
}

void list_entries(Store& store, const Report& report) {
  size_t done = 0;
  bool goes_on = true;
  const auto total = static_cast<size_t>(store.usage().files);
  for (unsigned shard = 0; shard < Store::SHARDS && goes_on; ++shard)
    store.walk(shard, [&](const FoundFile& file) {
      EntryReport entry = report_of(file, done += file.kind == FileKind::ENTRY, total);
      if (file.kind != FileKind::ENTRY) return true;
      try {
        const auto stored = store.read(file.key, file.kind);
        if (!stored) return true;
        describe(container::read(stored->bytes), entry);
      } catch (const Error& error) {
        entry.is_sound = false;
        entry.problem = error.message();
      }
      return goes_on = report(entry);
    });
}

}  // namespace cucore::cache
