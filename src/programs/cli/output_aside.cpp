// SPDX-License-Identifier: Apache-2.0
// Keeps the standard output free for the result of a run.
#include "output_aside.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace cucore::cli {

OutputAside::OutputAside() {
  std::fflush(stdout);
  constexpr int FIRST_FREE = 3;  // after the standard streams
  output_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_FREE);
  if (output_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
}

OutputAside::~OutputAside() {
  std::fflush(stdout);
  if (output_ < 0) return;
  dup2(output_, STDOUT_FILENO);
  close(output_);
}

}  // namespace cucore::cli
