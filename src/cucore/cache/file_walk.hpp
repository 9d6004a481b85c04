// SPDX-License-Identifier: Apache-2.0
// Walks over all files of a cache on disk.
#pragma once

#include <functional>
#include <string>

#include "cache/statistics.hpp"
#include "cache/store.hpp"

namespace cucore::cache {

// A file of the cache as a walk reports it.
struct EntryReport {
  container::Digest key{};
  FileKind kind = FileKind::ENTRY;
  uint64_t size = 0;
  int64_t made_ns = 0, used_ns = 0;
  bool is_sound = true;
  std::string name, arch, problem;
  image::CodeType type{};
  size_t done = 0, total = 0;  // the progress of the walk
};
using Report = std::function<bool(const EntryReport&)>;  // false ends the walk

// Returns the facts of a file that need no read of its content.
EntryReport report_of(const FoundFile& file, size_t done, size_t total);

// Reads every file and removes the damaged ones. Returns the number of damaged files.
uint64_t verify_files(Store& store, Statistics& statistics, const Report& report);
// Reports every entry.
void list_entries(Store& store, const Report& report);

}  // namespace cucore::cache
