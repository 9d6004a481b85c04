// Reading and writing whole files, with messages that name the file and the reason.
#include "files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "failure.hpp"
#include "report.hpp"

namespace cucore::cli {
namespace {

namespace fs = std::filesystem;

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

/// Above any input that the library takes; devices have no end, and sparse files claim any size.
constexpr std::size_t LARGEST = std::size_t{1} << 30;

[[noreturn]] void throw_too_large(const std::string& path) {
  throw failed(
      fmt::format("{} has more than {} bytes, the most that an input may have", path, LARGEST),
      CUCORE_ERROR_IO);
}

std::string read_all(std::FILE* file, const std::string& path) {
  struct stat status {};
  const bool is_regular = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
  if (is_regular && static_cast<std::size_t>(status.st_size) > LARGEST) throw_too_large(path);
  std::string bytes;
  char chunk[1 << 16];
  while (const std::size_t got = std::fread(chunk, 1, sizeof chunk, file)) {
    if (bytes.size() + got > LARGEST) throw_too_large(path);
    bytes.append(chunk, got);
  }
  if (std::ferror(file))
    throw failed(fmt::format("cannot read {}: {}", path, std::strerror(errno)), CUCORE_ERROR_IO);
  return bytes;
}

/// It comes to an end once: a second - would find nothing there.
std::string read_standard_input() {
  static bool was_read = false;
  if (std::exchange(was_read, true)) throw usage("- is named twice: there is one standard input");
  return read_all(stdin, "the standard input");
}

[[noreturn]] void cannot_write(const std::string& path, const std::string& reason) {
  throw failed(fmt::format("cannot write {}: {}", path, reason), CUCORE_ERROR_IO);
}

void write_all(std::FILE* file, const std::string& path, std::string_view bytes) {
  const bool written = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
                       std::fflush(file) == 0;
  if (!written) cannot_write(path, std::strerror(errno));
}

void write_all(const std::string& path, std::string_view bytes) {
  File file(std::fopen(path.c_str(), "wb"));
  write_all(file.get(), path, bytes);
  // Some file systems tell of a full disk only here.
  if (std::fclose(file.release()) != 0) cannot_write(path, std::strerror(errno));
}

/// The file behind a link, which stays a link.
std::string real_path(const std::string& path) {
  std::error_code missing;
  if (!fs::is_symlink(path, missing)) return path;
  const fs::path real = fs::canonical(path, missing);
  return missing ? path : real.string();
}

/// Shorter than the longest name that a file may have, which the file's own may be.
std::string temporary_beside(const std::string& path) {
  static std::atomic<unsigned> count{0};
  return fs::path(path)
      .replace_filename(fmt::format(".cucore.{}.{}.tmp", getpid(), ++count))
      .string();
}

/// Pipes, devices and folders cannot be replaced, only written to.
bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

std::string read_file(const std::string& path) {
  if (path == "-") return read_standard_input();
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    const cucore_status status = errno == ENOENT ? CUCORE_ERROR_NOT_FOUND : CUCORE_ERROR_IO;
    throw failed(fmt::format("cannot open {}: {}", path, std::strerror(errno)), status);
  }
  return read_all(file.get(), path);
}

void write_file(const std::string& path, std::string_view bytes) {
  if (path == "-") return write_all(stdout, "the standard output", bytes);
  if (is_special(path)) return write_all(path, bytes);
  const std::string real = real_path(path);
  // A rename would replace a file that must not be written to.
  const bool exists = access(real.c_str(), F_OK) == 0;
  if (exists && access(real.c_str(), W_OK) != 0) cannot_write(path, std::strerror(errno));
  const std::string temporary = temporary_beside(real);
  try {
    write_all(temporary, bytes);
    if (exists) fs::permissions(temporary, fs::status(real).permissions());
    fs::rename(temporary, real);
  } catch (const fs::filesystem_error& error) {
    std::remove(temporary.c_str());
    cannot_write(path, error.code().message());
  } catch (const Failure&) {
    const std::string reason = std::strerror(errno);
    std::remove(temporary.c_str());
    cannot_write(path, reason);
  }
}

void require_other_file(const std::string& output, const std::vector<std::string>& inputs) {
  std::error_code missing;
  for (const std::string& input : inputs)
    if (output != "-" && input != "-" && fs::equivalent(output, input, missing) && !missing)
      throw usage(fmt::format("{} is an input and the output too: name another output", output));
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
