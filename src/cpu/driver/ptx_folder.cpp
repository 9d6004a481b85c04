// SPDX-License-Identifier: Apache-2.0
#include "cpu/driver/ptx_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string_view>
#include <vector>

namespace cucore::cpu {
namespace {

constexpr size_t MAX_PTX_FILE_BYTES = size_t{1} << 28;
constexpr std::string_view SUFFIX = ".ptx";
constexpr std::string_view TEMPORARY = ".tmp";
constexpr size_t DIGEST_DIGITS = 64;

bool only_this_user_writes(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

void create_folders(const std::string& path) {
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0700);
  mkdir(path.c_str(), 0700);
}

class File {
 public:
  explicit File(int file) : file_(file) {}
  ~File() {
    if (file_ >= 0) close(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  explicit operator bool() const { return file_ >= 0; }

  std::optional<std::string> content() const {
    struct stat status {};
    if (fstat(file_, &status) != 0 || !S_ISREG(status.st_mode) || !only_this_user_writes(status) ||
        status.st_size <= 0 || static_cast<size_t>(status.st_size) > MAX_PTX_FILE_BYTES)
      return std::nullopt;
    std::string text(static_cast<size_t>(status.st_size), '\0');
    for (size_t done = 0; done < text.size();) {
      const ssize_t count = ::read(file_, text.data() + done, text.size() - done);
      if (count <= 0) return std::nullopt;
      done += static_cast<size_t>(count);
    }
    return text;
  }

  bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::write(file_, text.data(), text.size());
      if (count <= 0) return false;
      text.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

 private:
  const int file_;
};

std::string temporary_name() {
  static std::atomic<unsigned> next{0};
  return "." + std::to_string(getpid()) + "-" + std::to_string(next++) + std::string(TEMPORARY);
}

struct OldFile {
  timespec used;
  size_t size;
  std::string name;
};

bool is_older(const OldFile& a, const OldFile& b) {
  if (a.used.tv_sec != b.used.tv_sec) return a.used.tv_sec < b.used.tv_sec;
  return a.used.tv_nsec < b.used.tv_nsec;
}

bool has_only(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

// The digest of a CUBIN.
bool is_ptx_name(std::string_view name) {
  return name.size() == DIGEST_DIGITS + SUFFIX.size() && name.ends_with(SUFFIX) &&
         has_only(name.substr(0, DIGEST_DIGITS), "0123456789abcdef");
}

// As temporary_name() makes it.
bool is_temporary_name(std::string_view name) {
  constexpr std::string_view DIGITS = "0123456789";
  if (!name.starts_with('.') || !name.ends_with(TEMPORARY)) return false;
  name = name.substr(1, name.size() - 1 - TEMPORARY.size());
  const size_t dash = name.find('-');
  return dash != std::string_view::npos && has_only(name.substr(0, dash), DIGITS) &&
         has_only(name.substr(dash + 1), DIGITS);
}

// A program may choose a folder with files of its own, which are not listed. Temporary files of
// processes that ended before they renamed them are listed.
std::vector<OldFile> files_in(int folder) {
  std::vector<OldFile> files;
  const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* list = copy >= 0 ? fdopendir(copy) : nullptr;
  if (!list) {
    if (copy >= 0) close(copy);
    return files;
  }
  while (const dirent* entry = readdir(list)) {
    const std::string_view name = entry->d_name;
    struct stat status {};
    if (!is_ptx_name(name) && !is_temporary_name(name)) continue;
    if (fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    files.push_back({status.st_mtim, static_cast<size_t>(status.st_size), std::string(name)});
  }
  closedir(list);
  std::sort(files.begin(), files.end(), is_older);
  return files;
}

}  // namespace

PtxFolder::PtxFolder(const std::string& path) {
  if (path.empty() || path[0] != '/') return;
  create_folders(path);
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat status {};
  if (folder >= 0 && fstat(folder, &status) == 0 && only_this_user_writes(status))
    folder_ = folder;
  else if (folder >= 0)
    close(folder);
}

PtxFolder::~PtxFolder() {
  if (folder_ >= 0) close(folder_);
}

std::optional<std::string> PtxFolder::read(const std::string& name) const {
  if (folder_ < 0) return std::nullopt;
  const std::string file_name = name + std::string(SUFFIX);
  constexpr int FLAGS = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const File file(openat(folder_, file_name.c_str(), FLAGS));
  if (!file) return std::nullopt;
  // The time of the last use decides which files remain.
  utimensat(folder_, file_name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return file.content();
}

void PtxFolder::write(const std::string& name, const std::string& text) const {
  if (folder_ < 0 || text.empty() || text.size() > MAX_PTX_FILE_BYTES) return;
  const std::string temporary = temporary_name();
  constexpr int FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  const File file(openat(folder_, temporary.c_str(), FLAGS, 0600));
  if (!file) return;
  const std::string file_name = name + std::string(SUFFIX);
  const bool is_whole = file.write(text);
  if (!is_whole || renameat(folder_, temporary.c_str(), folder_, file_name.c_str()) != 0)
    unlinkat(folder_, temporary.c_str(), 0);
}

void PtxFolder::trim(size_t bytes) const {
  if (folder_ < 0) return;
  const std::vector<OldFile> files = files_in(folder_);
  size_t sum = 0;
  for (const OldFile& file : files) sum += file.size;
  for (const OldFile& file : files) {
    if (sum <= bytes) return;
    unlinkat(folder_, file.name.c_str(), 0);
    sum -= file.size;
  }
}

}  // namespace cucore::cpu
