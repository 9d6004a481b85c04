// Reading and writing whole files, with messages that name the file and the reason.
#include "files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "failure.hpp"

namespace cucore::cli {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

std::string read_all(std::FILE* file, const std::string& path) {
  std::string bytes;
  char chunk[1 << 16];
  while (const std::size_t got = std::fread(chunk, 1, sizeof chunk, file)) bytes.append(chunk, got);
  if (std::ferror(file))
    throw failed(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  return bytes;
}

void write_all(std::FILE* file, const std::string& path, std::string_view bytes) {
  const bool written = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
                       std::fflush(file) == 0;
  if (!written) throw failed(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

void write_all(const std::string& path, std::string_view bytes) {
  const File file(std::fopen(path.c_str(), "wb"));
  write_all(file.get(), path, bytes);
}

/// Pipes, devices and folders cannot be replaced, only written to.
bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

std::string read_file(const std::string& path) {
  if (path == "-") return read_all(stdin, "the standard input");
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) throw failed(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  return read_all(file.get(), path);
}

void write_file(const std::string& path, std::string_view bytes) {
  if (path == "-") return write_all(stdout, "the standard output", bytes);
  if (is_special(path)) return write_all(path, bytes);
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  try {
    write_all(temporary, bytes);
    std::filesystem::rename(temporary, path);
  } catch (const std::exception&) {
    const std::string reason = std::strerror(errno);
    std::remove(temporary.c_str());
    throw failed(fmt::format("cannot write {}: {}", path, reason));
  }
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string file_suffix(const std::string& path) {
  std::string suffix = std::filesystem::path(path).extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return suffix;
}

}  // namespace cucore::cli
