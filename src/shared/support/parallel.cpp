// SPDX-License-Identifier: Apache-2.0
#include "support/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "support/signals_blocked.hpp"

namespace cucore::detail {

namespace {

// Memory, not the number of processors, bounds the speed of more threads.
constexpr size_t MAX_THREADS = 16;

size_t helper_count(size_t count, size_t parts_per_thread) {
  const size_t processors = std::max(1u, std::thread::hardware_concurrency());
  const size_t wanted = std::min({processors, MAX_THREADS, count / parts_per_thread});
  return std::max<size_t>(wanted, 1) - 1;
}

}  // namespace

void for_each_part(size_t count, size_t parts_per_thread, Part part, const void* context) noexcept {
  std::atomic<size_t> next = 0;
  const auto work = [&]() noexcept {
    for (size_t i = next++; i < count; i = next++) part(context, i);
  };
  std::vector<std::jthread> helpers;
  try {
    const SignalsBlocked blocked;
    helpers.reserve(helper_count(count, parts_per_thread));
    while (helpers.size() < helpers.capacity()) helpers.emplace_back(work);
  } catch (const std::exception&) {
    // The program is at its limit of threads or memory: fewer threads do the same work.
  }
  work();
}

}  // namespace cucore::detail
