// SPDX-License-Identifier: Apache-2.0
#include "cpu/driver/check_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "cpu/checks/reports.hpp"
#include "cpu/driver/own_file.hpp"

namespace cucore::cpu {
namespace {

std::string with_process_id(std::string path) {
  const std::string id = std::to_string(getpid());
  for (size_t at = 0; (at = path.find("%p", at)) != std::string::npos; at += id.size())
    path.replace(at, 2, id);
  return path;
}

int open_reports(std::string_view path) {
  return open_own_file(with_process_id(std::string(path)), "{\"reports\":");
}

// An empty file, as is_usable() leaves it, is a new one.
bool replace_text(int file, std::string_view text) {
  if (ftruncate(file, 0) != 0) return false;
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void write_json(const std::string& path) {
  static std::mutex& mutex = *new std::mutex;  // contexts of several threads may end
  std::lock_guard lock(mutex);
  const int file = open_reports(path);
  const bool done = file >= 0 && replace_text(file, Reports::instance().json() + '\n');
  if (!done)
    std::fprintf(stderr, "the reports cannot be written to %s: %s\n", path.c_str(),
                 std::strerror(errno));
  if (file >= 0) close(file);
}

}  // namespace

bool CheckOutput::is_usable(std::string_view json_file) {
  const int file = open_reports(json_file);
  if (file >= 0) close(file);
  return file >= 0;
}

void CheckOutput::write() const {
  const std::string text = Reports::instance().take_new_text();
  if (!text.empty()) std::fputs(text.c_str(), stderr);
  if (!json_file.empty()) write_json(json_file);
}

}  // namespace cucore::cpu
