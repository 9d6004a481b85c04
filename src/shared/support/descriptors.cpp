// SPDX-License-Identifier: Apache-2.0
#include "support/descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore {
namespace {

constexpr size_t NEEDED = 4;  // a library, its index, and the files that it opens itself

const char* meaning_of(int failure) {
  if (failure == EMFILE)
    return "the process has no free file descriptors (EMFILE); close some, or raise the limit "
           "(ulimit -n)";
  if (failure == ENFILE)
    return "the system has no free file descriptors (ENFILE); close some, or raise fs.file-max";
  return "";
}

}  // namespace

std::string descriptor_shortage() {
  std::array<int, NEEDED> taken{};
  size_t count = 0;
  int failure = 0;
  while (count < NEEDED && failure == 0) {
    const int fd = open("/", O_PATH | O_CLOEXEC);
    if (fd >= 0)
      taken[count++] = fd;
    else
      failure = errno;
  }
  for (size_t i = 0; i < count; ++i) close(taken[i]);
  return meaning_of(failure);
}

void require_descriptors(std::string_view what) {
  if (const std::string why = descriptor_shortage(); !why.empty())
    throw Error(Status::IO, concat("cannot ", what, ": ", why));
}

}  // namespace cucore
