// SPDX-License-Identifier: Apache-2.0
#include "cache/store.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <system_error>

#include "support/concat.hpp"
#include "support/log.hpp"
#include "support/nanoseconds.hpp"
#include "support/sha256.hpp"

namespace cucore::cache {
namespace {

constexpr uint64_t LARGEST_ENTRY = uint64_t{1} << 31;
constexpr int64_t SECOND = 1'000'000'000;
constexpr int64_t ABANDONED = 3600 * SECOND;  // age of an abandoned temporary file
constexpr unsigned BETWEEN_COUNTS = 32;       // changes of files between two counts
constexpr const char* TEMPORARY = ".tmp.";

struct KindTraits {
  const char* folder;  // precedes the shard's
  const char* suffix;
};
constexpr KindTraits KINDS[] = {{"", ".cuco"}, {"m/", ".man"}, {"n/", ".key"}};
const KindTraits& traits(FileKind kind) { return KINDS[static_cast<size_t>(kind)]; }

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now);
}

FileIdentity identity_of(const struct stat& status) {
  return {status.st_ino, static_cast<uint64_t>(status.st_size), nanoseconds(status.st_mtim),
          nanoseconds(status.st_atim)};
}

// "m/ab" and the name below it, built in place because every hit does it.
struct Place {
  char folder[8];
  char file[96];
};

char* put_hex(char* to, std::span<const std::byte> bytes) {
  constexpr char DIGITS[] = "0123456789abcdef";
  for (const std::byte byte : bytes) {
    *to++ = DIGITS[static_cast<unsigned>(byte) >> 4];
    *to++ = DIGITS[static_cast<unsigned>(byte) & 15];
  }
  return to;
}

Place place_of(const container::Digest& key, FileKind kind) {
  Place place{};
  char* to = stpcpy(place.folder, traits(kind).folder);
  put_hex(to, std::span(key).first(1));
  to = stpcpy(place.file, place.folder);
  *to++ = '/';
  to = put_hex(to, std::span(key).subspan(1));
  stpcpy(to, traits(kind).suffix);
  return place;
}

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Returns the key of "<62 digits>.cuco" in shard 0xab.
std::optional<container::Digest> key_of(std::string_view name, unsigned shard, FileKind kind) {
  container::Digest key{};
  if (name.size() != 62 + std::strlen(traits(kind).suffix) || !name.ends_with(traits(kind).suffix))
    return std::nullopt;
  key[0] = static_cast<std::byte>(shard);
  for (size_t i = 0; i < 31; ++i) {
    const int high = nibble(name[2 * i]), low = nibble(name[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    key[i + 1] = static_cast<std::byte>(high * 16 + low);
  }
  return key;
}

std::string temporary_name(const std::string& folder) {
  static std::atomic<uint64_t> count{0};
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  for (char* c = host; *c; ++c)
    if (*c == '/') *c = '_';
  return concat(folder, "/", TEMPORARY, static_cast<const char*>(host), ".", getpid(), ".",
                now_ns(), ".", count.fetch_add(1));
}

}  // namespace

std::string entry_name(const container::Digest& key, FileKind kind) {
  return concat("v1/", static_cast<const char*>(place_of(key, kind).file));
}

Store::Store(Root root, bool durable)
    : root_(std::move(root)),
      durable_(durable),
      counters_(root_.folder.get(), root_.read_only),
      changes_(static_cast<unsigned>(now_ns() >> 10) ^ static_cast<unsigned>(getpid())) {}

std::optional<StoredFile> Store::read(const container::Digest& key, FileKind kind) const {
  if (!is_open()) return std::nullopt;
  const Descriptor file(openat(root_.folder.get(), place_of(key, kind).file,
                               O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (static_cast<uint64_t>(status.st_size) > LARGEST_ENTRY) return std::nullopt;
  StoredFile stored{image::Bytes(static_cast<size_t>(status.st_size)), identity_of(status)};
  if (!read_all(file.get(), stored.bytes.data(), stored.bytes.size())) {
    if (errno != 0) return std::nullopt;  // the content may be sound
    // A short file was truncated by another process; its checksum shows it.
    stored.bytes.clear();
  }
  return stored;
}

Descriptor Store::create_temporary(const std::string& folder, std::string& name) const {
  constexpr int FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  for (int attempt = 0; attempt < 3; ++attempt) {
    name = temporary_name(folder);
    Descriptor file(openat(root_.folder.get(), name.c_str(), FLAGS, 0600));
    if (file || errno != ENOENT) return file;
    // The first entry of its shard, or a trim has just removed the folder.
    const size_t slash = folder.find('/');
    if (slash != folder.npos) mkdirat(root_.folder.get(), folder.substr(0, slash).c_str(), 0700);
    if (mkdirat(root_.folder.get(), folder.c_str(), 0700) != 0 && errno != EEXIST) return {};
  }
  return {};
}

bool Store::fill(const Descriptor& file, std::span<const std::byte> bytes) const {
  if (!write_all(file.get(), bytes.data(), bytes.size())) return false;
  return !durable_ || fdatasync(file.get()) == 0;
}

bool Store::write(const container::Digest& key, FileKind kind, std::span<const std::byte> bytes) {
  if (!can_write()) return false;
  const Place place = place_of(key, kind);
  std::string temporary;
  const Descriptor file = create_temporary(place.folder, temporary);
  if (!file) return false;
  int failure = 0;
  if (!fill(file, bytes)) failure = errno != 0 ? errno : EIO;
  const auto shard = static_cast<unsigned>(key[0]);
  if (failure == 0) account(shard, [&] { return publish(temporary, place.file, kind, failure); });
  if (failure != 0) {
    unlinkat(root_.folder.get(), temporary.c_str(), 0);
    errno = failure;
    return false;
  }
  if (durable_) {
    const Descriptor folder(
        openat(root_.folder.get(), place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder) fsync(folder.get());
  }
  return true;
}

// Renames a complete file to its final name; returns the growth of the shard. `failure` is as
// errno.
Usage Store::publish(const std::string& temporary, const char* name, FileKind kind, int& failure) {
  const int folder = root_.folder.get();
  struct stat fresh {};
  struct stat old {};
  const bool replaces = fstatat(folder, name, &old, AT_SYMLINK_NOFOLLOW) == 0;
  // A file system may write a file that replaces another immediately (ext4 does). For a file that
  // only explains misses, a moment without it is better.
  if (replaces && kind == FileKind::LAST) unlinkat(folder, name, 0);
  if (fstatat(folder, temporary.c_str(), &fresh, AT_SYMLINK_NOFOLLOW) != 0 ||
      renameat(folder, temporary.c_str(), folder, name) != 0) {
    failure = errno;
    return {};
  }
  return {fresh.st_size - (replaces ? old.st_size : 0),
          !replaces && kind == FileKind::ENTRY ? 1 : 0};
}

bool Store::write_or_warn(const container::Digest& key, FileKind kind,
                          std::span<const std::byte> bytes) {
  if (!can_write()) return false;
  if (write(key, kind, bytes)) {
    write_failure_ = 0;
    return true;
  }
  const int failure = errno;
  if (write_failure_.exchange(failure) != failure)
    log(LogLevel::WARNING, concat("cannot write to the cache in ", root_.path, ": ",
                                  std::system_category().message(failure)));
  return false;
}

bool Store::remove(const container::Digest& key, FileKind kind, const FileIdentity& identity) {
  if (!can_write()) return false;
  const Place place = place_of(key, kind);
  bool removed = false;
  account(static_cast<unsigned>(key[0]), [&]() -> Usage {
    struct stat status {};
    removed = fstatat(root_.folder.get(), place.file, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
              identity_of(status) == identity && unlinkat(root_.folder.get(), place.file, 0) == 0;
    if (!removed) return {};
    return {-static_cast<int64_t>(identity.size), kind == FileKind::ENTRY ? -1 : 0};
  });
  return removed;
}

bool Store::remove(const container::Digest& key, FileKind kind) {
  struct stat status {};
  return can_write() &&
         fstatat(root_.folder.get(), place_of(key, kind).file, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         remove(key, kind, identity_of(status));
}

void Store::touch(const container::Digest& key, FileKind kind) const {
  if (!can_write()) return;
  // Sets the time of use explicitly, because mounts with relatime or noatime do not.
  const timespec times[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  utimensat(root_.folder.get(), place_of(key, kind).file, times, AT_SYMLINK_NOFOLLOW);
}

// Runs `work`, which changes files of the shard and returns the growth. From time to time the files
// are counted instead, which corrects numbers that are wrong without a sign of it.
void Store::account(unsigned shard, const std::function<Usage()>& work) {
  const bool counts = changes_.fetch_add(1, std::memory_order_relaxed) % BETWEEN_COUNTS == 0;
  counters_.update(shard, [&](const Counters::Numbers& now) -> Counters::Numbers {
    const Usage change = work();
    if (counts || !now)
      if (const Counters::Numbers exact = count(shard, nullptr)) return exact;
    if (!now) return std::nullopt;
    return Usage{now->bytes + change.bytes, now->files + change.files};
  });
}

// Returns nullopt if some files cannot be read, because the count would then be wrong.
Counters::Numbers Store::count(unsigned shard, const std::function<void(const FoundFile&)>& visit) {
  Usage exact;
  const bool is_whole = walk(shard, [&](const FoundFile& file) {
    exact.bytes += static_cast<int64_t>(file.identity.size);
    exact.files += file.kind == FileKind::ENTRY;
    if (visit) visit(file);
    return true;
  });
  return is_whole ? Counters::Numbers(exact) : std::nullopt;
}

Usage Store::recount(unsigned shard, const std::function<void(const FoundFile&)>& visit) {
  Usage best;
  counters_.update(shard, [&](const Counters::Numbers& now) {
    const Counters::Numbers exact = count(shard, visit);
    best = exact ? *exact : now.value_or(Usage{});
    return exact;
  });
  return best;
}

Usage Store::usage() {
  Usage sum;
  if (!is_open()) return sum;
  const Counters::Shards shards = counters_.shards();
  for (unsigned shard = 0; shard < SHARDS; ++shard) {
    const Usage one = shards[shard] ? *shards[shard] : recount(shard, nullptr);
    sum.bytes += one.bytes;
    sum.files += one.files;
  }
  return sum;
}

bool Store::walk(unsigned shard, const std::function<bool(const FoundFile&)>& visit) {
  if (!is_open()) return false;
  bool goes_on = true, is_whole = true;
  const auto counted = [&](const FoundFile& file) { return goes_on = goes_on && visit(file); };
  for (const FileKind kind : {FileKind::ENTRY, FileKind::MANIFEST, FileKind::LAST}) {
    const std::byte first{static_cast<unsigned char>(shard)};
    const std::string folder = traits(kind).folder + hex(std::span(&first, 1));
    if (goes_on && !walk_folder(folder, shard, kind, counted)) is_whole = false;
  }
  return is_whole;
}

bool Store::walk_folder(const std::string& folder, unsigned shard, FileKind kind,
                        const std::function<bool(const FoundFile&)>& visit) {
  const int fd =
      openat(root_.folder.get(), folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return errno == ENOENT;
  const std::unique_ptr<DIR, int (*)(DIR*)> list(fdopendir(fd), closedir);
  if (!list) {
    close(fd);
    return false;
  }
  errno = 0;
  for (const dirent* entry; (entry = readdir(list.get())); errno = 0) {
    const std::string_view name = entry->d_name;
    struct stat status {};
    if (name == "." || name == ".." ||
        fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
      continue;
    if (name.starts_with(TEMPORARY)) {
      if (can_write() && now_ns() - nanoseconds(status.st_mtim) > ABANDONED)
        unlinkat(fd, entry->d_name, 0);
      continue;
    }
    const auto key = key_of(name, shard, kind);
    if (key && !visit({*key, kind, identity_of(status), shard})) return true;
  }
  return errno == 0;
}

}  // namespace cucore::cache
