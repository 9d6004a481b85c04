// SPDX-License-Identifier: Apache-2.0
// cucore-worker: compiles for a process of libcucore, one job after another, until that process
// closes the socket on descriptor 3. Not for direct use.
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <exception>
#include <string>

#include "core/compile/worker_message.hpp"

namespace {

using cucore::Error;
using cucore::Status;
using namespace cucore::core;

constexpr int SOCKET = 3;
constexpr uint64_t LARGEST = uint64_t{1} << 31;

// Returns false at the end (errno 0) or on an error, with the reason in errno.
bool read_all(char* data, size_t size) {
  while (size > 0) {
    errno = 0;
    const ssize_t got = read(SOCKET, data, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool write_all(const char* data, size_t size) {
  while (size > 0) {
    const ssize_t put = write(SOCKET, data, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    data += put;
    size -= static_cast<size_t>(put);
  }
  return true;
}

std::string answer(const std::string& message) {
  try {
    const auto job = unpack_job(message);
    if (!job) return pack(Error(Status::INTERNAL, "a worker received an invalid job"));
    return pack(nvrtc_here().run(*job));
  } catch (const Error& error) {
    return pack(error);
  } catch (const std::bad_alloc&) {
    return pack(Error(Status::OUT_OF_MEMORY, "a worker is out of host memory"));
  } catch (const std::exception& error) {
    return pack(Error(Status::INTERNAL, error.what()));
  }
}

}  // namespace

int main() {
  // The parent may be killed at any time.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  uint64_t size = 0;
  while (read_all(reinterpret_cast<char*>(&size), sizeof size)) {
    if (size > LARGEST) return SOCKET_FAILED + EMSGSIZE;
    std::string message(size, '\0');
    if (!read_all(message.data(), message.size())) break;
    const std::string reply = answer(message);
    size = reply.size();
    if (!write_all(reinterpret_cast<const char*>(&size), sizeof size) ||
        !write_all(reply.data(), reply.size()))
      break;
  }
  return errno == 0 ? 0 : SOCKET_FAILED + errno;
}
