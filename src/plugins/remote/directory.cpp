// SPDX-License-Identifier: Apache-2.0
// A shared folder as a remote: file:///shared/cache.
#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "remote/deadline.hpp"
#include "remote/place.hpp"

namespace cucore::remote {
namespace {

constexpr size_t BLOCK = size_t{1} << 20;  // between two checks of the deadline

class Directory final : public Place {
 public:
  Directory(std::string path, const cucore_cache_remote_options& options)
      : path_(std::move(path)), options_(options) {
    struct stat status {};
    if (stat(path_.c_str(), &status) != 0)
      throw std::runtime_error(path_ + ": " + std::system_category().message(errno));
    if (!S_ISDIR(status.st_mode)) throw std::runtime_error(path_ + " is not a folder");
  }

  cucore_cache_answer get(const std::string& name, std::string& out) override {
    const Deadline deadline(options_.timeout_ms);
    const File file(open((path_ + "/" + name).c_str(),
                         O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY));
    if (file.fd < 0) return absent_or_failed();
    struct stat status {};
    if (fstat(file.fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > static_cast<off_t>(LARGEST))
      return CUCORE_CACHE_ANSWER_ABSENT;
    out.resize(static_cast<size_t>(status.st_size));
    for (size_t done = 0; done < out.size();) {
      if (deadline.has_passed()) return CUCORE_CACHE_ANSWER_FAILED;
      const ssize_t got = read(file.fd, out.data() + done, std::min(BLOCK, out.size() - done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return CUCORE_CACHE_ANSWER_FAILED;
      if (got == 0) return CUCORE_CACHE_ANSWER_ABSENT;  // another process is truncating the file
      done += static_cast<size_t>(got);
    }
    return CUCORE_CACHE_ANSWER_DONE;
  }

  cucore_cache_answer put(const std::string& name, std::string_view bytes) override {
    const std::string file = path_ + "/" + name;
    make_folders(file);
    // A number of this process and host could be that of a killed process, whose file remains.
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) return CUCORE_CACHE_ANSWER_FAILED;
    const std::string temporary = file + ".tmp." + std::to_string(number);
    // The umask decides whether the folder is shared with other users.
    const File fresh(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fresh.fd < 0) return CUCORE_CACHE_ANSWER_FAILED;
    if (write_all(fresh.fd, bytes) && rename(temporary.c_str(), file.c_str()) == 0)
      return CUCORE_CACHE_ANSWER_DONE;
    unlink(temporary.c_str());
    return CUCORE_CACHE_ANSWER_FAILED;
  }

 private:
  struct File {
    explicit File(int opened) : fd(opened) {}
    ~File() {
      if (fd >= 0) close(fd);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    const int fd;
  };

  bool write_all(int fd, std::string_view bytes) const {
    const Deadline deadline(options_.timeout_ms);
    while (!bytes.empty() && !deadline.has_passed()) {
      const ssize_t put = write(fd, bytes.data(), std::min(BLOCK, bytes.size()));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(put));
    }
    return bytes.empty();
  }
  static cucore_cache_answer absent_or_failed() {
    return errno == ENOENT || errno == ENOTDIR || errno == ESTALE || errno == ELOOP
               ? CUCORE_CACHE_ANSWER_ABSENT
               : CUCORE_CACHE_ANSWER_FAILED;
  }
  void make_folders(const std::string& file) const {
    for (size_t at = path_.size() + 1; (at = file.find('/', at)) != std::string::npos; ++at)
      mkdir(file.substr(0, at).c_str(), 0777);
  }

  const std::string path_;
  const cucore_cache_remote_options options_;
};

}  // namespace

std::unique_ptr<Place> make_place(const std::string& url,
                                  const cucore_cache_remote_options& options) {
  constexpr std::string_view SCHEME = "file://";
  // A relative path would depend on the current folder of the program.
  if (!url.starts_with("file:///"))
    throw std::runtime_error("a shared folder is written file:///folder");
  return std::make_unique<Directory>(url.substr(SCHEME.size()), options);
}

}  // namespace cucore::remote
