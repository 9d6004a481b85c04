// SPDX-License-Identifier: Apache-2.0
// The files of a cache: one per entry, written under a temporary name and renamed, read whole,
// never mapped.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cache/counters.hpp"
#include "cache/root.hpp"
#include "container/objectcode.hpp"

namespace cucore::cache {

enum class FileKind { ENTRY, MANIFEST, LAST };  // object code, its headers, the last key of a name

// Returns "v1/ab/<62 digits>.cuco", the path below the folder of a cache and on remotes.
std::string entry_name(const container::Digest& key, FileKind kind);

// Identifies the file that was read, so that no newer one is removed.
struct FileIdentity {
  uint64_t inode = 0, size = 0;
  int64_t modified_ns = 0;
  int64_t used_ns = 0;
  friend bool operator==(const FileIdentity& a, const FileIdentity& b) {
    return a.inode == b.inode && a.size == b.size && a.modified_ns == b.modified_ns;
  }
};

struct StoredFile {
  image::Bytes bytes;
  FileIdentity identity;
};

// A file found by a walk.
struct FoundFile {
  container::Digest key{};
  FileKind kind = FileKind::ENTRY;
  FileIdentity identity;
  unsigned shard = 0;
};

class Store {
 public:
  Store(Root root, bool durable);

  bool is_open() const { return static_cast<bool>(root_.folder); }
  bool can_write() const { return is_open() && !root_.read_only; }
  const Root& root() const { return root_; }

  // Returns nullopt if the file does not exist or cannot be read: a miss in both cases.
  std::optional<StoredFile> read(const container::Digest& key, FileKind kind) const;
  // Returns false, with the reason in errno, if the file could not be stored; readers never see a
  // part of it.
  bool write(const container::Digest& key, FileKind kind, std::span<const std::byte> bytes);
  // The same with a warning in the log, one per reason: a full disk fails every write. Returns
  // false without a warning if the folder cannot be written at all.
  bool write_or_warn(const container::Digest& key, FileKind kind, std::span<const std::byte> bytes);
  // Removes the file unless another one has replaced it.
  bool remove(const container::Digest& key, FileKind kind, const FileIdentity& identity);
  bool remove(const container::Digest& key, FileKind kind);
  // Marks the file as used, so that it is evicted last.
  void touch(const container::Digest& key, FileKind kind) const;

  Counters& counters() { return counters_; }
  // Returns the usage of all shards. Counts the files of shards without numbers.
  Usage usage();
  // Counts the files of a shard and visits each of them.
  Usage recount(unsigned shard, const std::function<void(const FoundFile&)>& visit);
  // Visits every file of one of the 256 shards, and removes abandoned temporary files. If `visit`
  // returns false, the walk ends. Returns false if some files could not be read.
  bool walk(unsigned shard, const std::function<bool(const FoundFile&)>& visit);

  static constexpr unsigned SHARDS = 256;

 private:
  void account(unsigned shard, const std::function<Usage()>& work);
  Counters::Numbers count(unsigned shard, const std::function<void(const FoundFile&)>& visit);
  Usage publish(const std::string& temporary, const char* name, FileKind kind, int& failure);
  Descriptor create_temporary(const std::string& folder, std::string& name) const;
  bool fill(const Descriptor& file, std::span<const std::byte> bytes) const;
  bool walk_folder(const std::string& folder, unsigned shard, FileKind kind,
                   const std::function<bool(const FoundFile&)>& visit);

  const Root root_;
  const bool durable_;
  Counters counters_;
  std::atomic<unsigned> changes_;
  std::atomic<int> write_failure_{0};  // the last failure, as in errno
};

}  // namespace cucore::cache
