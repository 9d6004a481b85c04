// SPDX-License-Identifier: Apache-2.0
// A process that compiles. NVRTC's front end runs one program at a time per process, and a compiler
// that crashes or never ends affects only its own process.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <string>

#include "core/compile/nvrtc_job.hpp"

namespace cucore::core {

// Only one thread at a time may use it. The process is started for the first job and kept for the
// next.
class Worker final : public NvrtcRunner {
 public:
  // The process blocks `signals`: the threads of a batch block all, which it must not inherit.
  Worker(std::chrono::milliseconds time_limit, const sigset_t& signals)
      : time_limit_(time_limit), signals_(signals) {}
  ~Worker() override { stop(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // If a process dies, the job is tried once more; then COMPILATION reports its end. A process that
  // exceeds the time limit is not retried.
  NvrtcResult run(const NvrtcJob& job) override;

  // Returns the program of the workers: $CUCORE_WORKER, or the file next to this library. Throws
  // NOT_FOUND with every path tried.
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
  const sigset_t signals_;
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  int socket_failure_ = 0;  // as in errno
};

}  // namespace cucore::core
