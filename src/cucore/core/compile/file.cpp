// SPDX-License-Identifier: Apache-2.0
#include "core/compile/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::core {
namespace {

// More than any object code has and memory may hold, because sparse files have any size.
constexpr off_t LARGEST_FILE = off_t{1} << 31;

class File {
 public:
  explicit File(const std::string& path)
      // Without O_NONBLOCK, opening a FIFO waits for a writer that may never come.
      : path_(path), fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (fd_ < 0) fail("open", errno == ENOENT || errno == ENOTDIR ? Status::NOT_FOUND : Status::IO);
  }
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::vector<std::byte> read_all() {
    struct stat status {};
    if (fstat(fd_, &status) != 0) fail("read", Status::IO);
    if (!S_ISREG(status.st_mode)) throw Error(Status::IO, path_ + " is not a regular file");
    if (status.st_size > LARGEST_FILE)
      throw Error(Status::IO,
                  concat(path_, " has ", status.st_size, " bytes; expected object code of at most ",
                         LARGEST_FILE, " bytes"));
    std::vector<std::byte> bytes(static_cast<size_t>(status.st_size));
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got = ::read(fd_, bytes.data() + done, bytes.size() - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail("read", Status::IO);
      if (got == 0) break;  // the file shrank; the checks of the format detect missing bytes
      done += static_cast<size_t>(got);
    }
    bytes.resize(done);
    return bytes;
  }

 private:
  [[noreturn]] void fail(const char* verb, Status status) const {
    const std::string reason = std::system_category().message(errno);
    throw Error(status, concat("cannot ", verb, " ", path_, ": ", reason));
  }

  const std::string& path_;
  const int fd_;
};

}  // namespace

std::vector<std::byte> read_file(const std::string& path) { return File(path).read_all(); }

}  // namespace cucore::core
