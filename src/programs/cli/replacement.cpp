// SPDX-License-Identifier: Apache-2.0
// A file that replaces another in one step, or leaves nothing behind.
#include "replacement.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace cucore::cli {
namespace {

// The file that a signal removes. A handler can access only static storage.
char removed_by_signal[PATH_MAX];

void remove_and_end(int signal) {
  if (removed_by_signal[0] != '\0') unlink(removed_by_signal);
  // The signal is blocked until the handler returns; then the process ends as without a handler.
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

void require(bool good) {
  if (!good) fail();
}

// Shorter than the longest possible file name, because the file's own name may have that length.
std::string temporary_beside(const std::string& path) {
  static unsigned count = 0;
  return std::filesystem::path(path)
      .replace_filename(fmt::format(".cucore.{}.{}.tmp", getpid(), ++count))
      .string();
}

}  // namespace

Replacement::Replacement(std::string path) : path_(std::move(path)) {
  struct sigaction action {};
  action.sa_handler = remove_and_end;
  sigfillset(&action.sa_mask);
  for (std::size_t i = 0; i < SIGNALS.size(); ++i) {
    sigaction(SIGNALS[i], nullptr, &old_actions_[i]);
    // A signal that the caller ignores, for example through nohup, stays ignored.
    if (old_actions_[i].sa_handler != SIG_IGN) sigaction(SIGNALS[i], &action, nullptr);
  }
  try {
    open();
  } catch (...) {
    close();
    throw;
  }
}

Replacement::~Replacement() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
  close();
}

void Replacement::open() {
  // A name that exists belongs to a killed process, or was planted so that the command writes
  // through it.
  constexpr int ATTEMPTS = 100;
  for (int i = 0; i < ATTEMPTS && descriptor_ < 0; ++i) {
    const std::string name = temporary_beside(path_);
    if (name.size() >= sizeof removed_by_signal)
      throw std::system_error(ENAMETOOLONG, std::generic_category());
    std::memcpy(removed_by_signal, name.c_str(), name.size() + 1);
    descriptor_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, permissions());
    if (descriptor_ >= 0) temporary_ = name;
    require(descriptor_ >= 0 || errno == EEXIST);
  }
  require(descriptor_ >= 0);
}

mode_t Replacement::permissions() const {
  struct stat status {};
  return stat(path_.c_str(), &status) == 0 ? status.st_mode & 0777 : 0666;
}

void Replacement::close() {
  removed_by_signal[0] = '\0';
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  for (std::size_t i = 0; i < SIGNALS.size(); ++i) sigaction(SIGNALS[i], &old_actions_[i], nullptr);
}

void Replacement::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    require(written >= 0);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Replacement::commit() {
  if (access(path_.c_str(), F_OK) == 0) require(fchmod(descriptor_, permissions()) == 0);
  // Some file systems report a full disk only here.
  require(::close(std::exchange(descriptor_, -1)) == 0);
  require(std::rename(temporary_.c_str(), path_.c_str()) == 0);
  temporary_.clear();
}

}  // namespace cucore::cli
