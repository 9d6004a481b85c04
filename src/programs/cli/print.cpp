// SPDX-License-Identifier: Apache-2.0
// All output of the command: strings are escaped, and a failed write does not end the process.
#include "print.hpp"

#include <fcntl.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "failure.hpp"

namespace cucore::cli {
namespace {

int output_error = 0;  // NOLINT: the first failed write; later ones may have another reason

void record(bool written) {
  if (!written && output_error == 0) output_error = errno == 0 ? EIO : errno;
}

}  // namespace

void prepare_streams() {
  for (const int stream : {0, 1, 2}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // The open returns the lowest free number, which is this one.
    open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

void write_output(std::string_view bytes) {
  if (!bytes.empty()) record(std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size());
}

void write_error(std::string_view bytes) noexcept {
  std::fwrite(bytes.data(), 1, bytes.size(), stderr);
}

void flush_output() {
  record(std::fflush(stdout) == 0);
  if (output_error != 0)
    throw failed(fmt::format("cannot write the standard output: {}", std::strerror(output_error)),
                 Status::io);
}

}  // namespace cucore::cli
