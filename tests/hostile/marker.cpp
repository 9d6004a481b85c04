// SPDX-License-Identifier: Apache-2.0
// A library that must not be loaded: it creates a file when it is.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace {

__attribute__((constructor)) void leave_mark() {
  const char* file = std::getenv("HOSTILE_MARK");
  if (!file) return;
  const int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd >= 0) close(fd);
}

}  // namespace
