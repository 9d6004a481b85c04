// SPDX-License-Identifier: Apache-2.0
#include "core/objects/context_access.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace cucore::core {
namespace detail {
namespace {

using namespace std::chrono_literals;

constinit ThreadAccesses full{.contexts = {}, .depth = ThreadAccesses::DEPTH};

// A fixed number, so that an access allocates nothing and cannot fail. The accesses of further
// threads are counted by their contexts.
constinit std::array<ThreadAccesses, 512> records{};

// Hands the record of an ending thread to another.
struct Departure {
  ~Departure() {
    ThreadAccesses* const own = std::exchange(thread_accesses, &full);
    if (own != &full) own->is_taken.store(false, std::memory_order_release);
  }
  void expect() noexcept {}
};
thread_local Departure departure;

// Makes earlier stores of other threads visible here, and makes their later loads recent. Without
// the system call it only waits: stores leave a processor in far less time.
void synchronize_memory() noexcept {
  (void)syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return;
  std::this_thread::sleep_for(10ms);
}

bool uses(const ThreadAccesses& accesses, const Context& context) noexcept {
  return std::ranges::any_of(accesses.contexts, [&](const auto& used) {
    return used.load(std::memory_order_acquire) == &context;
  });
}

}  // namespace

constinit thread_local ThreadAccesses* thread_accesses = &full;

ThreadAccesses* find_accesses() noexcept {
  if (thread_accesses != &full) return nullptr;
  for (ThreadAccesses& record : records) {
    if (record.is_taken.load(std::memory_order_relaxed) || record.is_taken.exchange(true)) continue;
    departure.expect();
    return thread_accesses = &record;
  }
  return nullptr;
}

}  // namespace detail

void wait_for_accesses(const Context& context) noexcept {
  constexpr std::chrono::microseconds PAUSE{20};
  detail::synchronize_memory();
  for (const detail::ThreadAccesses& record : detail::records) {
    if (&record == detail::thread_accesses) continue;
    while (detail::uses(record, context)) std::this_thread::sleep_for(PAUSE);
  }
  while (context.has_counted_accesses()) std::this_thread::sleep_for(PAUSE);
}

}  // namespace cucore::core
