// SPDX-License-Identifier: Apache-2.0
// The facts about a file on disk: its stamp, which shows in one system call that it is unchanged,
// and its content.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "cache/include_scan.hpp"
#include "container/objectcode.hpp"

namespace cucore::cache {

// A user cannot set the time of change. Equality of all fields therefore proves that a file is
// unchanged, even if its time of modification was set.
struct FileStamp {
  uint64_t device = 0, inode = 0, size = 0;
  int64_t modified_ns = 0, changed_ns = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// Returns nullopt if the path is not a regular file.
std::optional<FileStamp> stamp_of(const std::string& path);

enum class PathState { NOTHING, FOLDER, FILE };
PathState path_state(const std::string& path);

// Returns the clock that stamps files, which advances in ticks.
int64_t file_clock_ns();
// Returns the exact clock, by which newer kernels stamp some files.
int64_t clock_ns();

struct FileFacts {
  FileStamp stamp;
  container::Digest digest{};
  IncludeScan scan;
  int64_t read_at_ns = 0;  // on the file clock, before it was read

  // A change in the same tick as the read would not change the stamp.
  bool was_settled() const {
    return stamp.changed_ns < read_at_ns && stamp.modified_ns < read_at_ns;
  }
};

// Reads files once, and again when they change. Any number of threads may use it.
class FileIndex {
 public:
  // Returns null if the file cannot be read, or changes during the read.
  std::shared_ptr<const FileFacts> facts(const std::string& path);
  // Does the same without the stored facts.
  static std::shared_ptr<const FileFacts> read(const std::string& path);

 private:
  static constexpr size_t MOST = 20000;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const FileFacts>> files_;
};

}  // namespace cucore::cache
