// SPDX-License-Identifier: Apache-2.0
// A process that compiles: NVRTC's front end does one program at a time in a process, and a
// compiler that crashes or never ends takes only itself along.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "core/compile/nvrtc_job.hpp"

namespace cucore::core {

// Belongs to one thread at a time. The process is started for the first job and kept for the next.
class Worker final : public NvrtcRunner {
 public:
  explicit Worker(std::chrono::milliseconds time_limit) : time_limit_(time_limit) {}
  ~Worker() override { stop(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // A process that dies is tried once more, then COMPILATION says how it died; so it does of one
  // that takes too long.
  NvrtcResult run(const NvrtcJob& job) override;

  // The program of the workers: $CUCORE_WORKER, or beside this library. Throws NOT_FOUND with every
  // path tried.
  static std::string find_program();

 private:
  enum class Fate { ANSWERED, DIED, TOO_SLOW };
  void start();
  void stop();
  Fate exchange(const std::string& request, std::string& answer);
  Fate transfer(int fd, bool writes, char* data, size_t size,
                std::chrono::steady_clock::time_point end);
  std::string how_it_died();

  const std::chrono::milliseconds time_limit_;  // 0: none
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  int socket_failure_ = 0;  // as in errno
};

}  // namespace cucore::core
