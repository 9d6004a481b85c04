// SPDX-License-Identifier: Apache-2.0
#include "support/log.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "support/per_process.hpp"

namespace cucore {
namespace {

struct Receiver {
  LogFn fn = nullptr;
  LogLevel least = LogLevel::ERROR;
  void* user_data = nullptr;
  void (*destroy)(void*) = nullptr;
};

// Held during a receiver's call, so that destroy() runs after it. Recursive, so that a receiver
// that calls the library against its contract does not hang the process. The child of a fork has
// its own mutex, because a receiver may have been running on another thread.
std::recursive_mutex& mutex() {
  static auto* m = new PerProcess<std::unique_ptr<std::recursive_mutex>>;
  return *m->get([] { return std::make_unique<std::recursive_mutex>(); });
}

constinit Receiver receiver;
constinit std::atomic<int> least{0};  // 0: no receiver; read without the mutex

}  // namespace

void log_set_receiver(LogFn fn, LogLevel least_level, void* user_data,
                      void (*destroy)(void*)) noexcept {
  Receiver old;
  {
    std::lock_guard lock(mutex());
    old = receiver;
    receiver = {fn, least_level, user_data, destroy};
    least.store(fn ? static_cast<int>(least_level) : 0, std::memory_order_relaxed);
  }
  if (old.destroy) old.destroy(old.user_data);
}

bool log_enabled(LogLevel level) noexcept {
  const int wanted = least.load(std::memory_order_relaxed);
  return wanted != 0 && static_cast<int>(level) >= wanted;
}

void log(LogLevel level, std::string_view message) noexcept {
  if (!log_enabled(level)) return;
  try {
    const std::string text(message);
    std::lock_guard lock(mutex());
    if (receiver.fn && level >= receiver.least)
      receiver.fn(level, text.c_str(), receiver.user_data);
  } catch (...) {
    // A message that is lost because memory is exhausted must not make the work fail.
  }
}

}  // namespace cucore
