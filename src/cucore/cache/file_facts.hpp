// SPDX-License-Identifier: Apache-2.0
// What is known of a file on disk: how to tell in one system call that it is unchanged, and what
// it holds.
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

// The time of change cannot be set by a user, so a file that is equal in all of these is unchanged
// whatever was done to its time of modification.
struct FileStamp {
  uint64_t device = 0, inode = 0, size = 0;
  int64_t modified_ns = 0, changed_ns = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// nullopt where there is no regular file.
std::optional<FileStamp> stamp_of(const std::string& path);

enum class PathState { NOTHING, FOLDER, FILE };
PathState path_state(const std::string& path);

// The clock that stamps files: it goes in ticks.
int64_t file_clock_ns();
// The exact one: newer kernels stamp some files by it.
int64_t clock_ns();

struct FileFacts {
  FileStamp stamp;
  container::Digest digest{};
  IncludeScan scan;
  int64_t read_at_ns = 0;  // of the file clock, before it was read

  // A change in the tick in which it was read would not show in the stamp.
  bool was_settled() const {
    return stamp.changed_ns < read_at_ns && stamp.modified_ns < read_at_ns;
  }
};

// Reads files once and again when they change. Belongs to any number of threads.
class FileIndex {
 public:
  // Null where it cannot be read, or changes while it is.
  std::shared_ptr<const FileFacts> facts(const std::string& path);
  // The same past what is remembered.
  static std::shared_ptr<const FileFacts> read(const std::string& path);

 private:
  static constexpr size_t MOST = 20000;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const FileFacts>> files_;
};

}  // namespace cucore::cache
