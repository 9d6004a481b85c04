// SPDX-License-Identifier: Apache-2.0
#include "cache/file_facts.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "cache/descriptor.hpp"
#include "support/nanoseconds.hpp"
#include "support/sha256.hpp"

namespace cucore::cache {
namespace {

constexpr uint64_t LARGEST_HEADER = uint64_t{1} << 28;  // larger than any header

FileStamp to_stamp(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<uint64_t>(status.st_size),
          nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

}  // namespace

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return to_stamp(status);
}

PathState path_state(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return PathState::NOTHING;
  return S_ISDIR(status.st_mode) ? PathState::FOLDER : PathState::FILE;
}

int64_t file_clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return nanoseconds(now);
}

int64_t clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now);
}

std::shared_ptr<const FileFacts> FileIndex::read(const std::string& path) {
  auto facts = std::make_shared<FileFacts>();
  facts->read_at_ns = file_clock_ns();
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat before {
  }, after{};
  if (!file || fstat(file.get(), &before) != 0 || !S_ISREG(before.st_mode)) return nullptr;
  if (static_cast<uint64_t>(before.st_size) > LARGEST_HEADER) return nullptr;
  std::string text(static_cast<size_t>(before.st_size), '\0');
  if (!read_all(file.get(), text.data(), text.size())) return nullptr;
  if (fstat(file.get(), &after) != 0 || !(to_stamp(after) == to_stamp(before))) return nullptr;
  facts->stamp = to_stamp(before);
  facts->digest = sha256(text);
  facts->scan = scan_includes(text);
  return facts;
}

std::shared_ptr<const FileFacts> FileIndex::facts(const std::string& path) {
  const auto stamp = stamp_of(path);
  if (!stamp) return nullptr;
  {
    std::lock_guard lock(mutex_);
    const auto found = files_.find(path);
    if (found != files_.end() && found->second->stamp == *stamp && found->second->was_settled())
      return found->second;
  }
  auto facts = read(path);
  if (!facts) return nullptr;
  std::lock_guard lock(mutex_);
  if (files_.size() >= MOST) files_.clear();
  return files_[path] = std::move(facts);
}

}  // namespace cucore::cache
