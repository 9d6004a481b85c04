// SPDX-License-Identifier: Apache-2.0
#include "perf/report/report_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::perf {
namespace {

// Each function returns whether it succeeded, with the reason in errno.
class OutputFile {
 public:
  OutputFile() = default;
  ~OutputFile() { (void)close(); }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool open(const std::string& name, int flags) {
    descriptor_ = ::open(name.c_str(), flags | O_WRONLY | O_NOFOLLOW, 0666);
    return descriptor_ >= 0;
  }
  bool get_status(struct stat& status) const { return ::fstat(descriptor_, &status) == 0; }
  bool set_mode(mode_t mode) const { return ::fchmod(descriptor_, mode & 0777) == 0; }
  bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::write(descriptor_, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count == 0) errno = ENOSPC;
      if (count <= 0) return false;
      text.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }
  // Some file systems report a full disk only here.
  bool close() {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor < 0 || ::close(descriptor) == 0;
  }

 private:
  int descriptor_ = -1;
};

// In the folder of the file, so that a rename can replace it.
std::string temporary_name_of(const std::string& file) {
  static constinit std::atomic<unsigned> next{0};
  const size_t folder = file.rfind('/') + 1;  // 0 without a folder
  return concat(std::string_view(file).substr(0, folder), ".cucore.", getpid(), ".", next++,
                ".tmp");
}

// A name that exists belongs to a process that was killed, or another user has made it.
bool create_temporary(OutputFile& output, const std::string& file, std::string& name) {
  constexpr int ATTEMPTS = 100;
  for (int i = 0; i < ATTEMPTS; ++i) {
    name = temporary_name_of(file);
    if (output.open(name, O_CREAT | O_EXCL | O_CLOEXEC)) return true;
    if (errno != EEXIST) break;
  }
  return false;
}

// `earlier` is null for a new file.
bool replace_report(const std::string& file, const struct stat* earlier, std::string_view text) {
  OutputFile output;
  std::string name;
  if (!create_temporary(output, file, name)) return false;
  const bool is_written = (!earlier || output.set_mode(earlier->st_mode)) && output.write(text) &&
                          output.close() && std::rename(name.c_str(), file.c_str()) == 0;
  const int reason = errno;
  if (!is_written) ::unlink(name.c_str());
  errno = reason;
  return is_written;
}

bool write_or_replace(const std::string& file, std::string_view text) {
  OutputFile present;
  if (!present.open(file, O_CLOEXEC)) return errno == ENOENT && replace_report(file, nullptr, text);
  struct stat status {};
  if (!present.get_status(status)) return false;
  if (!S_ISREG(status.st_mode)) return present.write(text) && present.close();
  return replace_report(file, &status, text);
}

}  // namespace

void write_report_file(const std::string& file, std::string_view text) {
  if (!write_or_replace(file, text))
    throw Error(Status::IO, concat("cannot write ", file, ": ", std::strerror(errno)));
}

}  // namespace cucore::perf
