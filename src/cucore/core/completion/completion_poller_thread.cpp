// SPDX-License-Identifier: Apache-2.0
// The thread of a completion poller: its sweeps, its pauses, and its end with the process. It
// writes no log, because a receiver may lead into a language's runtime, which this thread must
// never enter.
#include <sys/prctl.h>
#include <time.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "core/completion/completion_poller.hpp"
#include "core/completion/library_thread.hpp"
#include "support/nanoseconds.hpp"

namespace cucore::core {

using namespace std::chrono_literals;

namespace {

constexpr auto IDLE_EVENT_LIFETIME = 20ms;     // without pending work
constexpr int64_t SHORT_SLEEP_NS = 1'000'000;  // one that need not end early
// The pause between two queries while no thread spins for an answer. Each query makes concurrent
// event recording about three times slower (H200: 135 ns alone, 490 ns with a query).
constexpr auto BETWEEN_QUERIES = 4us;

struct Registry {
  std::mutex mutex;
  std::vector<CompletionPoller*> pollers;
};

Registry& registry() {
  static auto* registry = new Registry;  // never destroyed: no work at exit
  return *registry;
}

void sleep_for(int64_t nanoseconds) noexcept {
  const timespec duration{static_cast<time_t>(nanoseconds / 1'000'000'000),
                          nanoseconds % 1'000'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &duration, nullptr);
}

}  // namespace

CompletionPoller& CompletionPoller::of(const Device& device) {
  if (CompletionPoller* poller = find(device)) return *poller;
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  if (CompletionPoller* poller = find(device)) return *poller;
  all.pollers.reserve(all.pollers.size() + 1);
  auto poller = std::unique_ptr<CompletionPoller>(new CompletionPoller(device));
  poller->start();
  // After the driver's own exit work was registered, so this runs before it.
  if (all.pollers.empty()) std::atexit([] { stop_all(); });
  all.pollers.push_back(poller.get());
  device.completion_poller().store(poller.get(), std::memory_order_release);
  return *poller.release();
}

void CompletionPoller::start() {
  start_library_thread(
      "cucore-poller", [](void* self) noexcept { static_cast<CompletionPoller*>(self)->run(); },
      this);
}

uint64_t CompletionPoller::cpu_ns() noexcept {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  uint64_t sum = 0;
  for (const CompletionPoller* poller : all.pollers) sum += poller->cpu_ns_.load();
  return sum;
}

// The child of a fork has no thread that it could stop, and its locks may be held without end.
void CompletionPoller::stop_all() noexcept {
  if (driver::forked()) return;
  Registry& all = registry();
  const auto lock = lock_at_exit(all.mutex);
  if (!lock) return;
  for (CompletionPoller* poller : all.pollers) poller->stop();
  for (CompletionPoller* poller : all.pollers)
    wait_at_exit([&] { return poller->has_ended_.load(); });
}

void CompletionPoller::stop() noexcept {
  work_.close();
  { const auto lock = lock_at_exit(sleeping_); }
  changed_.notify_all();
}

void CompletionPoller::run() noexcept {
  prctl(PR_SET_TIMERSLACK, 1);
  {
    const std::lock_guard lock(sweeping_);
    if (!must_stop()) relax_captures();
  }
  Clock::time_point last_news = Clock::now();
  while (!must_stop()) {
    const Swept swept = sweep_once();
    if (swept.has_news) last_news = Clock::now();
    rest(swept, last_news);
  }
  end_all();
}

// No call of the driver is under way once the driver's exit work begins, and no wait is endless.
// The thread that exits does not do this: it must not wait for locks of threads that have been
// stopped.
void CompletionPoller::end_all() noexcept {
  {
    const std::lock_guard lock(sweeping_);
    work_.close();
    EventQuery query(device_, work_);
    work_.sweep(query);  // calls no driver
  }
  has_ended_.store(true);
}

PendingWork::Swept CompletionPoller::sweep_once() noexcept {
  if (work_.is_empty()) return {};
  const std::lock_guard lock(sweeping_);
  const bool came = work_.absorb();
  if (must_stop()) return {};
  make_current();
  EventQuery query(device_, work_);
  Swept swept = work_.sweep(query);
  swept.has_news |= came;
  pace_ = work_.pace().value_or(pace_);
  return swept;
}

// The context of the thread stays current, so that a query costs no other call.
void CompletionPoller::make_current() noexcept {
  const StreamBacklog* backlog = work_.any_backlog();
  if (!backlog || backlog->context() == current_ || backlog->context()->is_lost()) return;
  current_ = backlog->context();
  if (const auto* cu = driver::cuda_if_available()) (void)cu->cuCtxSetCurrent(current_->native());
}

void CompletionPoller::rest(const Swept& swept, Clock::time_point last_news) noexcept {
  if (Clock::now() - last_news < std::chrono::nanoseconds(pace_.spin_ns)) return pause();
  record_cpu_time();
  if (swept.has_pending)
    timed_wait();
  else
    wait_for_work();
}

void CompletionPoller::pause() const noexcept {
  const auto end = Clock::now() + BETWEEN_QUERIES;
  unsigned turn = 0;
  do spin_pause(turn++);
  while (!Queue::has_spinners() && Clock::now() < end);
}

// A long pause ends when a future comes, whose queue may request a shorter one.
void CompletionPoller::timed_wait() noexcept {
  if (pace_.sweep_ns <= SHORT_SLEEP_NS) return sleep_for(pace_.sweep_ns);
  std::unique_lock lock(sleeping_);
  is_asleep_.store(true);
  changed_.wait_for(lock, std::chrono::nanoseconds(pace_.sweep_ns),
                    [this] { return work_.has_incoming() || work_.is_closed(); });
  is_asleep_.store(false);
}

void CompletionPoller::wait_for_work() noexcept {
  const auto is_called = [this] { return !work_.is_empty() || work_.is_closed(); };
  std::unique_lock lock(sleeping_);
  is_asleep_.store(true);
  while (!is_called() && work_.has_idle_events()) {
    if (changed_.wait_for(lock, IDLE_EVENT_LIFETIME, is_called)) break;
    lock.unlock();
    trim_events();
    lock.lock();
  }
  changed_.wait(lock, [&] { return is_called() || work_.has_idle_events(); });
  is_asleep_.store(false);
}

// The thread writes is_asleep_ and then reads the state of the work; the caller has changed that
// state and now reads is_asleep_. All four are sequentially consistent, so one sees the other's.
void CompletionPoller::wake() noexcept {
  if (!is_asleep_.load()) return;
  { std::lock_guard lock(sleeping_); }
  changed_.notify_one();
}

// Idle events hold resources of the driver.
void CompletionPoller::trim_events() noexcept {
  const std::lock_guard lock(sweeping_);
  if (must_stop()) return;
  const EventPool::Rest rest = work_.take_idle_events();
  current_ = nullptr;
  const auto* cu = driver::cuda_if_available();
  if (!cu || !rest.context || rest.context->is_lost()) return;
  (void)cu->cuCtxSetCurrent(rest.context->native());
  for (const CUevent event : rest.events) (void)cu->cuEventDestroy(event);
}

void CompletionPoller::record_cpu_time() noexcept {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  cpu_ns_.store(static_cast<uint64_t>(nanoseconds(used)));
}

}  // namespace cucore::core
