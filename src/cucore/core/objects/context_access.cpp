// SPDX-License-Identifier: Apache-2.0
#include "core/objects/context_access.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "core/objects/thread_fence.hpp"

namespace cucore::core {
namespace detail {
namespace {

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

bool uses(const ThreadAccesses& accesses, const Context& context) noexcept {
  return std::ranges::any_of(accesses.contexts, [&](const auto& used) {
    return used.load(std::memory_order_acquire) == &context;
  });
}

}  // namespace

// Without the attribute, accesses after this definition in one unit would call a function.
constinit thread_local ThreadAccesses* thread_accesses __attribute__((tls_model("initial-exec"))) =
    &full;

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
  fence_all_threads();
  for (const detail::ThreadAccesses& record : detail::records) {
    if (&record == detail::thread_accesses) continue;
    while (detail::uses(record, context)) std::this_thread::sleep_for(PAUSE);
  }
  while (context.has_counted_accesses()) std::this_thread::sleep_for(PAUSE);
}

}  // namespace cucore::core
