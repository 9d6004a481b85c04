// SPDX-License-Identifier: Apache-2.0
// The reaper's thread: when it sweeps, when it rests, and how it ends with the process. It writes
// no log: a receiver may lead into a language's runtime, which this thread must never enter.
#include <sys/prctl.h>
#include <time.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "core/completion/library_thread.hpp"
#include "core/completion/reaper.hpp"

namespace cucore::core {

using namespace std::chrono_literals;

namespace {

constexpr auto EVENTS_ARE_KEPT = 20ms;         // with nothing pending
constexpr int64_t SHORT_SLEEP_NS = 1'000'000;  // one that need not end early
// Between two questions while nobody spins for an answer: a question makes what other threads
// record in the meantime three times as dear (H200: 135 ns alone, 490 ns beside one).
constexpr auto BETWEEN_QUESTIONS = 4us;

struct Registry {
  std::mutex mutex;
  std::vector<Reaper*> reapers;
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

Reaper& Reaper::of(const Device& device) {
  if (Reaper* reaper = find(device)) return *reaper;
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  if (Reaper* reaper = find(device)) return *reaper;
  all.reapers.reserve(all.reapers.size() + 1);
  auto reaper = std::unique_ptr<Reaper>(new Reaper(device));
  reaper->start();
  // After the driver's own exit work was registered, so this runs before it.
  if (all.reapers.empty()) std::atexit([] { stop_all(); });
  all.reapers.push_back(reaper.get());
  device.reaper().store(reaper.get(), std::memory_order_release);
  return *reaper.release();
}

void Reaper::start() {
  start_library_thread(
      "cucore-reaper", [](void* self) noexcept { static_cast<Reaper*>(self)->run(); }, this);
}

uint64_t Reaper::cpu_ns() noexcept {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  uint64_t sum = 0;
  for (const Reaper* reaper : all.reapers) sum += reaper->cpu_ns_.load();
  return sum;
}

// In a child of a fork there is no thread to be stopped, and its locks may be held for ever.
void Reaper::stop_all() noexcept {
  if (driver::forked()) return;
  Registry& all = registry();
  const auto lock = lock_at_exit(all.mutex);
  if (!lock) return;
  for (Reaper* reaper : all.reapers) reaper->call_off();
  for (Reaper* reaper : all.reapers) wait_at_exit([&] { return reaper->ended_.load(); });
}

void Reaper::call_off() noexcept {
  {
    const auto lock = lock_at_exit(mutex_);
    stopping_.store(true);
  }
  changed_.notify_all();
}

void Reaper::run() noexcept {
  prctl(PR_SET_TIMERSLACK, 1);
  {
    const std::lock_guard lock(sweeping_);
    if (!must_stop()) relax_captures();
  }
  Clock::time_point last_news = Clock::now();
  while (!must_stop()) {
    const Swept swept = sweep_once();
    if (swept.news) last_news = Clock::now();
    rest(swept, last_news);
  }
  end_all();
}

// No call of the driver is under way once the driver's exit work begins, and nobody waits for ever.
// Here and not on the thread that exits: that one must not wait for locks, which threads may hold
// that were stopped for ever.
void Reaper::end_all() noexcept {
  {
    const std::lock_guard lock(sweeping_);
    stopping_.store(true);
    sweep();  // without asking the driver
  }
  ended_.store(true);
}

Reaper::Swept Reaper::sweep_once() noexcept {
  if (!has_work()) return {};
  const std::lock_guard lock(sweeping_);
  const bool came = absorb();
  if (must_stop()) return {};
  make_current();
  Swept swept = sweep();
  swept.news |= came;
  set_pace();
  return swept;
}

// The thread's own current context, so that asking costs no other call.
void Reaper::make_current() noexcept {
  if (!listed_ || listed_->context() == current_ || listed_->context()->is_lost()) return;
  current_ = listed_->context();
  if (const auto* cu = driver::cuda_if_available()) (void)cu->cuCtxSetCurrent(current_->native());
}

void Reaper::set_pace() noexcept {
  if (!listed_) return;
  pace_ = listed_->first().queue_->options();
  for (const Lane* lane = listed_; lane; lane = lane->next) {
    if (lane->is_empty()) continue;
    const QueueOptions& wanted = lane->first().queue_->options();
    pace_.spin_ns = std::max(pace_.spin_ns, wanted.spin_ns);
    pace_.sweep_ns = std::min(pace_.sweep_ns, wanted.sweep_ns);
  }
}

void Reaper::rest(const Swept& swept, Clock::time_point last_news) noexcept {
  if (Clock::now() - last_news < std::chrono::nanoseconds(pace_.spin_ns)) return pause();
  note_cpu_time();
  if (swept.pending)
    sleep();
  else
    wait_for_work();
}

void Reaper::pause() const noexcept {
  const auto end = Clock::now() + BETWEEN_QUESTIONS;
  unsigned turn = 0;
  do spin_pause(turn++);
  while (!Queue::has_spinners() && Clock::now() < end);
}

// A long pause ends when something comes, which may be of a queue that is more eager.
void Reaper::sleep() noexcept {
  if (pace_.sweep_ns <= SHORT_SLEEP_NS) return sleep_for(pace_.sweep_ns);
  std::unique_lock lock(mutex_);
  asleep_ = true;
  changed_.wait_for(lock, std::chrono::nanoseconds(pace_.sweep_ns),
                    [this] { return has_incoming_.load() || stopping_.load(); });
  asleep_ = false;
}

void Reaper::wait_for_work() noexcept {
  const auto is_called = [this] { return has_work() || stopping_.load(); };
  std::unique_lock lock(mutex_);
  asleep_ = true;
  while (!is_called() && !events_.is_empty()) {
    if (changed_.wait_for(lock, EVENTS_ARE_KEPT, is_called)) break;
    lock.unlock();
    trim_events();
    lock.lock();
  }
  changed_.wait(lock, [&] { return is_called() || !events_.is_empty(); });
  asleep_ = false;
}

// Of use to nobody now, and the driver's to hold.
void Reaper::trim_events() noexcept {
  const std::lock_guard lock(sweeping_);
  if (must_stop()) return;
  EventPool::Rest rest;
  {
    std::lock_guard lock_events(mutex_);
    rest = events_.empty();
  }
  current_ = nullptr;
  const auto* cu = driver::cuda_if_available();
  if (!cu || !rest.context || rest.context->is_lost()) return;
  (void)cu->cuCtxSetCurrent(rest.context->native());
  for (const CUevent event : rest.events) (void)cu->cuEventDestroy(event);
}

void Reaper::note_cpu_time() noexcept {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  cpu_ns_.store(static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 +
                static_cast<uint64_t>(used.tv_nsec));
}

}  // namespace cucore::core
