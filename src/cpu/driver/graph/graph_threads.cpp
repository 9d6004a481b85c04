// SPDX-License-Identifier: Apache-2.0
// A pool of threads that grows as long as none is idle.
#include "cpu/driver/graph/graph_threads.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "support/signals_blocked.hpp"

namespace cucore::cpu {
namespace {

constexpr auto GRAPH_THREAD_LIFE = std::chrono::milliseconds(500);

struct GraphThreads {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> work;
  size_t idle = 0;
};
GraphThreads& graph_threads() {
  static GraphThreads& t = *new GraphThreads;  // never destroyed
  return t;
}

void graph_thread_main() {
  GraphThreads& t = graph_threads();
  std::unique_lock lock(t.mutex);
  for (;;) {
    ++t.idle;
    const auto end = std::chrono::system_clock::now() + GRAPH_THREAD_LIFE;
    t.wake.wait_until(lock, end, [&] { return !t.work.empty(); });
    --t.idle;
    if (t.work.empty()) return;
    auto work = std::move(t.work.front());
    t.work.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
  }
}

}  // namespace

void run_on_graph_thread(std::function<void()> work) {
  GraphThreads& t = graph_threads();
  std::lock_guard lock(t.mutex);
  t.work.push_back(std::move(work));
  if (t.idle >= t.work.size()) {
    t.wake.notify_one();
    return;
  }
  SignalsBlocked blocked;
  try {
    std::thread(graph_thread_main).detach();
  } catch (...) {
    if (t.idle > 0) return t.wake.notify_one();
    t.work.pop_back();
    throw;
  }
}

}  // namespace cucore::cpu
