// SPDX-License-Identifier: Apache-2.0
#include "cpu/driver/own_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cucore::cpu {
namespace {

bool may_append_to(int file, std::string_view first_words) {
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
      status.st_nlink != 1)
    return false;
  std::string words(first_words.size(), '\0');
  const ssize_t size = pread(file, words.data(), words.size(), 0);
  return size == 0 || (size == static_cast<ssize_t>(words.size()) && words == first_words);
}

}  // namespace

int open_own_file(const std::string& path, std::string_view first_words) {
  constexpr int FLAGS =
      O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  const int file = ::open(path.c_str(), FLAGS, 0644);
  if (file >= 0 && may_append_to(file, first_words)) return file;
  if (file >= 0) close(file);
  return -1;
}

}  // namespace cucore::cpu
