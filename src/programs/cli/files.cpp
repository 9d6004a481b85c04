// SPDX-License-Identifier: Apache-2.0
// Reading and writing whole files, with messages that name the file and the reason.
#include "files.hpp"

#include <fcntl.h>
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
#include <system_error>
#include <utility>

#include "failure.hpp"
#include "json.hpp"
#include "replacement.hpp"

namespace cucore::cli {
namespace {

namespace fs = std::filesystem;

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

[[noreturn]] void throw_too_large(const std::string& path, std::size_t most) {
  throw failed(
      fmt::format("{} has more than {} bytes, the most that such an input may have", path, most),
      Status::io);
}

std::string read_all(std::FILE* file, const std::string& path, std::size_t most) {
  struct stat status {};
  const bool is_regular = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
  if (is_regular && static_cast<std::size_t>(status.st_size) > most) throw_too_large(path, most);
  std::string bytes;
  char chunk[1 << 16];
  while (const std::size_t got = std::fread(chunk, 1, sizeof chunk, file)) {
    if (got > most - bytes.size()) throw_too_large(path, most);
    bytes.append(chunk, got);
  }
  if (std::ferror(file))
    throw failed(fmt::format("cannot read {}: {}", path, std::strerror(errno)), Status::io);
  return bytes;
}

// The stream can be read only once: a second "-" would find it empty.
std::string read_standard_input(std::size_t most) {
  static bool was_read = false;
  if (std::exchange(was_read, true))
    throw usage("- is named twice; the standard input can be read once");
  return read_all(stdin, "the standard input", most);
}

[[noreturn]] void cannot_write(const std::string& path, const std::string& reason) {
  throw failed(fmt::format("cannot write {}: {}", path, reason), Status::io);
}

void write_all(std::FILE* file, const std::string& path, std::string_view bytes) {
  const bool written = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
                       std::fflush(file) == 0;
  if (!written) cannot_write(path, std::strerror(errno));
}

void write_special(const std::string& path, std::string_view bytes) {
  File file(std::fopen(path.c_str(), "wb"));
  write_all(file.get(), path, bytes);
  // Some file systems report a full disk only here.
  if (std::fclose(file.release()) != 0) cannot_write(path, std::strerror(errno));
}

// The kernel's own check of the path, which includes its rules for links.
void require_writable(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0 && errno != ENOENT) cannot_write(path, std::strerror(errno));
  if (descriptor >= 0) close(descriptor);
}

// Pipes, devices and folders cannot be replaced; the command writes into them.
bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

std::string read_file(const std::string& path, std::size_t most) {
  if (path == "-") return read_standard_input(most);
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    const Status status = errno == ENOENT ? Status::not_found : Status::io;
    throw failed(fmt::format("cannot open {}: {}", path, std::strerror(errno)), status);
  }
  return read_all(file.get(), path, most);
}

void write_file(const std::string& path, std::string_view bytes) {
  if (path == "-") return write_all(stdout, "the standard output", bytes);
  if (is_special(path)) return write_special(path, bytes);
  // A rename would replace even a file without write permission.
  require_writable(path);
  try {
    Replacement file(real_path(path));
    file.write(bytes);
    file.commit();
  } catch (const std::system_error& error) {
    cannot_write(path, error.code().message());
  }
}

void require_output(const std::string& path) {
  if (path == "-" || is_special(path)) return;
  require_writable(path);
  const fs::path folder = fs::path(real_path(path)).parent_path();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
    cannot_write(path, std::strerror(errno));
}

std::string real_path(const std::string& path) {
  constexpr int MOST_LINKS = 40;  // the kernel's limit
  fs::path real = path;
  std::error_code missing;
  for (int i = 0; fs::is_symlink(real, missing); ++i) {
    if (i == MOST_LINKS) cannot_write(path, std::strerror(ELOOP));
    const fs::path target = fs::read_symlink(real, missing);
    if (missing) cannot_write(path, missing.message());
    real = real.parent_path() / target;
  }
  return real.string();
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string code_name(const std::string& path) {
  const std::string name = file_name(path);
  return Json::parse(Json(name).dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string file_suffix(const std::string& path) {
  std::string suffix = std::filesystem::path(path).extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return suffix;
}

}  // namespace cucore::cli
