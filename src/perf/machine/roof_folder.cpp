// SPDX-License-Identifier: Apache-2.0
#include "perf/machine/roof_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "support/concat.hpp"
#include "support/environment.hpp"
#include "support/sha256.hpp"

namespace cucore::perf {
namespace {

constexpr off_t MOST_ROOF_BYTES = 1 << 16;

class RoofFile {
 public:
  explicit RoofFile(int file) : file_(file) {}
  ~RoofFile() {
    if (file_ >= 0) close(file_);
  }
  RoofFile(const RoofFile&) = delete;
  RoofFile& operator=(const RoofFile&) = delete;
  explicit operator bool() const { return file_ >= 0; }

  std::optional<std::string> content() const {
    struct stat status {};
    if (fstat(file_, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
        (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 || status.st_size > MOST_ROOF_BYTES)
      return std::nullopt;
    std::string text(static_cast<size_t>(status.st_size), '\0');
    for (size_t done = 0; done < text.size();) {
      const ssize_t count = read(file_, text.data() + done, text.size() - done);
      if (count <= 0) return std::nullopt;
      done += static_cast<size_t>(count);
    }
    return text;
  }

  bool write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = write(file_, text.data(), text.size());
      if (count <= 0) return false;
      text.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

 private:
  const int file_;
};

std::string last_failure() { return std::system_category().message(errno); }

// As mkdir -p; the new folders are private. A failure shows when the file is opened.
void create_roof_folder(const std::string& path) {
  for (size_t at = path.find('/', 1); at != path.npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0700);
  mkdir(path.c_str(), 0700);
}

// No other writer of the folder has this name.
std::string temporary_roof_name() {
  static std::atomic<unsigned> next{0};
  return concat(".", getpid(), "-", next++, ".tmp");
}

}  // namespace

std::string default_roof_folder() {
  const std::string cache = environment("XDG_CACHE_HOME");
  // The specification of that variable requires that a relative path is ignored.
  if (cache.starts_with('/')) return cache + "/cucore/roof";
  const std::string home = environment("HOME");
  return home.starts_with('/') ? home + "/.cache/cucore/roof" : std::string();
}

std::string roof_file_name(const RoofMachine& machine) {
  const std::string key =
      concat(machine.arch, "\n", machine.driver, "\n", machine.clock_limit_mhz, "\n",
             machine.memory_clock_mhz, "\n", machine.is_emulated ? 1 : 0, "\n", machine.threads);
  return concat(machine.uuid, "-", hex(sha256(key)).substr(0, 16), ".json");
}

std::optional<std::string> read_roof_file(const std::string& folder, const std::string& name) {
  const RoofFile file(
      open(concat(folder, "/", name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return file ? file.content() : std::nullopt;
}

std::string write_roof_file(const std::string& folder, const std::string& name,
                            const std::string& text) {
  create_roof_folder(folder);
  const std::string temporary = concat(folder, "/", temporary_roof_name());
  const std::string path = concat(folder, "/", name);
  {
    const RoofFile file(
        open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return last_failure();
    if (file.write_all(text)) {
      if (std::rename(temporary.c_str(), path.c_str()) == 0) return {};
    }
  }
  std::string reason = last_failure();
  unlink(temporary.c_str());
  return reason;
}

}  // namespace cucore::perf
