// SPDX-License-Identifier: Apache-2.0
// The second level of the key: the files that a compile has read. It also has the paths whose
// appearance or removal would change the files of a repetition.
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
  FileStamp stamp;  // all zero: only the content decides
  container::Digest digest{};
  uint32_t toolkit = 0;  // index in Record::toolkits, from 1; 0: none
};

// A path that the compiler tested, or would have tested, without reading it.
struct Probe {
  std::string path;
  bool is_there = false;
  uint32_t toolkit = 0;
};

// A folder of the toolkit's headers and a digest of the files that contain the version.
struct ToolkitFolder {
  std::string path;
  container::Digest fingerprint{};
  bool is_bound = false;  // macros choose among its headers, so the version must be the same

  // Returns whether the path is that of the toolkit's own file.
  bool has(std::string_view file) const;
};

// One state of the files, and the key of its result.
struct Record {
  container::Digest result{};
  std::string directory;  // the only folder in which it is valid; "": any
  std::vector<ManifestFile> files;
  std::vector<Probe> probes;
  std::vector<ToolkitFolder> toolkits;

  // Returns the key of the result: the key of the inputs and the content of every file.
  container::Digest result_key(const container::Digest& inputs) const;
};

struct Manifest {
  static constexpr size_t MOST = 16;
  container::Digest key{};
  std::vector<Record> records;  // the last used one first

  void add(Record record);
  // Returns whether each result's key is computed from its record.
  bool is_bound_to_results() const;
  // Clears the stamps, which the keys do not contain; then only the content decides.
  void forget_stamps();
  image::Bytes serialize() const;
  // Returns nullopt for bytes that are damaged or not a manifest of this key.
  static std::optional<Manifest> parse(std::span<const std::byte> bytes,
                                       const container::Digest& key);
};

}  // namespace cucore::cache
