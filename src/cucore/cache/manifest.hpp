// SPDX-License-Identifier: Apache-2.0
// Which files a compile has read, and what must not appear or go for a repetition to read the same:
// the second level of the key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/file_facts.hpp"
#include "container/objectcode.hpp"

namespace cucore::cache {

struct ManifestFile {
  std::string path;
  FileStamp stamp;  // all zero: only the content tells
  container::Digest digest{};
  uint32_t toolkit = 0;  // of Record::toolkits, from 1; 0: none
};

// A place that the compiler looked at, or would have, without reading it.
struct Probe {
  std::string path;
  bool is_there = false;
  uint32_t toolkit = 0;
};

// A folder of the toolkit's headers and a digest of the files that tell its version.
struct ToolkitFolder {
  std::string path;
  container::Digest fingerprint{};
  bool is_bound = false;  // macros choose among its headers: the version must be the same

  // Whether a file is one of the toolkit's own, by its path.
  bool has(std::string_view file) const;
};

// One state of the files, and the key of what came out of it.
struct Record {
  container::Digest result{};
  std::string directory;  // the one that it holds in; "": any
  std::vector<ManifestFile> files;
  std::vector<Probe> probes;
  std::vector<ToolkitFolder> toolkits;

  // Key of the result: that of the inputs, and what every file holds.
  container::Digest result_key(const container::Digest& inputs) const;
};

struct Manifest {
  static constexpr size_t MOST = 16;
  container::Digest key{};
  std::vector<Record> records;  // the last one used first

  void add(Record record);
  // Whether each result's key is that of what its record says.
  bool is_bound_to_results() const;
  // The keys do not hold the stamps: only the content tells then.
  void forget_stamps();
  image::Bytes serialize() const;
  // nullopt for bytes that are no manifest of this key, or damaged.
  static std::optional<Manifest> parse(std::span<const std::byte> bytes,
                                       const container::Digest& key);
};

}  // namespace cucore::cache
