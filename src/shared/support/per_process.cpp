// SPDX-License-Identifier: Apache-2.0
#include "support/per_process.hpp"

#include <pthread.h>

namespace cucore {
namespace {

std::atomic<unsigned> forks{0};

}  // namespace

unsigned fork_count() noexcept {
  static const int watched = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });
  (void)watched;
  return forks.load(std::memory_order_relaxed);
}

}  // namespace cucore
