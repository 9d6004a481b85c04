// SPDX-License-Identifier: Apache-2.0
#include "core/compile/batch.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/compile/worker.hpp"
#include "support/signals_blocked.hpp"

namespace cucore::core {
namespace {

class Batch {
 public:
  Batch(size_t count, std::chrono::milliseconds time_limit, const BatchWork& work)
      : count_(count), time_limit_(time_limit), work_(work) {}

  void run(size_t workers) {
    std::vector<std::jthread> helpers;
    pthread_sigmask(SIG_SETMASK, nullptr, &signals_);
    try {
      const SignalsBlocked blocked;
      helpers.reserve(workers - 1);
      while (helpers.size() < workers - 1) helpers.emplace_back([this] { serve(); });
    } catch (const std::exception&) {
      // The program is at its limit of threads or memory: fewer threads do the same work.
    }
    serve();
    helpers.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  // The body of a thread: its exception is stored for the caller's thread.
  void serve() noexcept {
    try {
      Worker worker(time_limit_, signals_);
      for (size_t index; (index = next_.fetch_add(1)) < count_;) work_(index, worker);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_.store(count_);
    }
  }

  const size_t count_;
  const std::chrono::milliseconds time_limit_;
  const BatchWork& work_;
  sigset_t signals_{};  // that the caller blocks
  std::atomic<size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void run_batch(size_t count, size_t workers, std::chrono::milliseconds time_limit,
               const BatchWork& work) {
  if (workers == 0) workers = std::max(1u, std::thread::hardware_concurrency());
  Batch(count, time_limit, work).run(std::min(workers, std::max<size_t>(count, 1)));
}

}  // namespace cucore::core
