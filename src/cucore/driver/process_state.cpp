// SPDX-License-Identifier: Apache-2.0
#include "driver/process_state.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "driver/cuda.hpp"

namespace cucore::driver {
namespace {

constinit std::atomic<bool> opening{false};
constinit std::atomic<bool> lost_in_fork{false};
constinit std::atomic<bool> process_exits{false};
constinit std::atomic<ForkSafeMutex*> mutexes{nullptr};

}  // namespace

void renew_mutexes_in_child() noexcept {
  for (ForkSafeMutex* m = mutexes.load(); m; m = m->next_) new (&m->mutex_) std::mutex;
}

namespace {

// Runs in the child, which has only this thread: it only stores values.
void after_fork_in_child() noexcept {
  if (opening.load() || detail::published.load()) lost_in_fork.store(true);
  detail::published.store(nullptr);
  renew_mutexes_in_child();
}

void watch_forks() noexcept {
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, &after_fork_in_child); });
}

}  // namespace

ForkSafeMutex::ForkSafeMutex() {
  watch_forks();
  next_ = mutexes.load();
  while (!mutexes.compare_exchange_weak(next_, this)) {
  }
}

void begin_opening() noexcept {
  watch_forks();
  opening.store(true);
}

void end_opening() noexcept { opening.store(false); }

void watch_exit() noexcept {
  std::atexit([] { process_exits.store(true); });
}

bool forked() noexcept { return lost_in_fork.load(std::memory_order_relaxed); }

bool exiting() noexcept { return process_exits.load(std::memory_order_relaxed); }

}  // namespace cucore::driver
