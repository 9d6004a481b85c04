// A shared folder as a remote: file:///shared/cache.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "remote/place.hpp"

namespace cucore::remote {
namespace {

constexpr off_t LARGEST = off_t{64} << 20;

class Directory final : public Place {
 public:
  explicit Directory(std::string path) : path_(std::move(path)) {
    struct stat status {};
    if (stat(path_.c_str(), &status) != 0)
      throw std::runtime_error(path_ + ": " + std::system_category().message(errno));
    if (!S_ISDIR(status.st_mode)) throw std::runtime_error(path_ + " is no folder");
  }

  cucore_cache_answer get(const std::string& name, std::string& out) override {
    const int fd = open((path_ + "/" + name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return absent_or_failed();
    struct stat status {};
    const bool is_file =
        fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= LARGEST;
    if (is_file) out.resize(static_cast<size_t>(status.st_size));
    size_t done = 0;
    for (ssize_t got; is_file && done < out.size();) {
      got = read(fd, out.data() + done, out.size() - done);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<size_t>(got);
    }
    close(fd);
    return is_file && done == out.size() ? CUCORE_CACHE_ANSWER_DONE : CUCORE_CACHE_ANSWER_ABSENT;
  }

  cucore_cache_answer put(const std::string& name, std::string_view bytes) override {
    static std::atomic<unsigned> count{0};
    const std::string file = path_ + "/" + name;
    make_folders(file);
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    const std::string temporary = file + ".tmp." + host + "." + std::to_string(getpid()) + "." +
                                  std::to_string(count.fetch_add(1));
    const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) return CUCORE_CACHE_ANSWER_FAILED;
    bool done = true;
    while (done && !bytes.empty()) {
      const ssize_t put = write(fd, bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      done = put > 0;
      if (done) bytes.remove_prefix(static_cast<size_t>(put));
    }
    close(fd);
    if (done && rename(temporary.c_str(), file.c_str()) == 0) return CUCORE_CACHE_ANSWER_DONE;
    unlink(temporary.c_str());
    return CUCORE_CACHE_ANSWER_FAILED;
  }

 private:
  static cucore_cache_answer absent_or_failed() {
    return errno == ENOENT || errno == ENOTDIR || errno == ESTALE ? CUCORE_CACHE_ANSWER_ABSENT
                                                                  : CUCORE_CACHE_ANSWER_FAILED;
  }
  void make_folders(const std::string& file) const {
    for (size_t at = path_.size() + 1; (at = file.find('/', at)) != std::string::npos; ++at)
      mkdir(file.substr(0, at).c_str(), 0755);
  }

  const std::string path_;
};

}  // namespace

std::unique_ptr<Place> make_place(const std::string& url, const cucore_cache_remote_options&) {
  constexpr std::string_view SCHEME = "file://";
  if (!url.starts_with(SCHEME) || url.size() == SCHEME.size())
    throw std::runtime_error("a shared folder is written file:///folder");
  return std::make_unique<Directory>(url.substr(SCHEME.size()));
}

}  // namespace cucore::remote
