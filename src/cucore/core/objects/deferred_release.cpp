// SPDX-License-Identifier: Apache-2.0
#include "core/objects/deferred_release.hpp"

#include <time.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

#include "core/completion/library_thread.hpp"
#include "driver/cuda.hpp"
#include "driver/stream_capture.hpp"
#include "support/log.hpp"

namespace cucore::core {

using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

// The time that this thread has used. A blocking wait adds nothing to it.
std::chrono::nanoseconds processor_time() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// The releases that one look at a list has performed. Their time is that of a clock, which costs
// less than processor time. It includes waits, so a busy machine has shorter pauses.
struct Pass {
  size_t performed = 0;
  Clock::duration time_of_performed{};
};

// When the releases that wait are looked at. The pauses grow while nothing happens. A pass over
// many takes long, so the time that it spends on those that must wait on bounds the thread's share
// of a core. The time of performed ones is not bounded, because the program may add as many.
class PassTimes {
 public:
  Clock::time_point next() const { return next_; }

  void begin() { begin_ = processor_time(); }
  void end(const Pass& pass) {
    const auto used = processor_time() - begin_;
    const auto in_vain = std::max<Clock::duration>(used - pass.time_of_performed, 0ns);
    const auto now = Clock::now();
    pause_ = pass.performed ? SHORTEST : std::min(pause_ * 2, LONGEST);
    earliest_ = now + std::min<Clock::duration>(in_vain * PASSES_IN_PAUSE, LONGEST_OF_MANY);
    next_ = std::max(earliest_, now + pause_);
  }

  // For new releases: the pauses grow again from the shortest.
  void hasten() {
    pause_ = SHORTEST;
    next_ = std::min(next_, std::max(earliest_, Clock::now() + SHORTEST));
  }

 private:
  static constexpr std::chrono::microseconds SHORTEST{50}, LONGEST{5000};
  static constexpr int PASSES_IN_PAUSE = 8;
  static constexpr std::chrono::milliseconds LONGEST_OF_MANY{100};

  std::chrono::nanoseconds begin_{};
  Clock::time_point earliest_, next_;
  std::chrono::microseconds pause_ = SHORTEST;
};

}  // namespace

// The releases of one thread.
class DeferredReleases {
 public:
  enum class Duty { PROMPT, WAITING };

  void start() {
    (void)driver::cuda();  // throws in a forked process, where the mutex may stay locked
    std::lock_guard lock(mutex_);
    if (started_) return;
    start_library_thread(
        duty_ == Duty::PROMPT ? "cucore-release" : "cucore-wait",
        [](void* self) noexcept { static_cast<DeferredReleases*>(self)->run(); }, this);
    started_ = true;
    watch_exit();
  }

  // If the process cannot have another thread, queued releases never happen.
  void add(std::unique_ptr<DeferredRelease> release) noexcept {
    try {
      start();
    } catch (const std::exception& error) {
      log(LogLevel::ERROR, error.what());
    }
    bool is_soon = true;
    {
      std::lock_guard lock(mutex_);
      const bool is_delayed = release->not_before_ != Clock::time_point{};
      if (is_delayed) is_soon = look_until(release->not_before_);
      push(release.release(), is_delayed ? delayed_ : queue_);
      ++pending_;
    }
    if (is_soon) changed_.notify_one();
  }

  // The object stays pending until the thread ends it, so no one takes it for gone before.
  bool perform_delayed() noexcept {
    DeferredRelease* taken = nullptr;
    {
      std::lock_guard lock(mutex_);
      if (!delayed_ || waits_for_ready_ > 0) return false;
      taken = std::exchange(delayed_, delayed_->next_);
      ++taken_;
    }
    if (const auto* cu = driver::cuda_if_available()) {
      const driver::RelaxedCaptures relaxed;
      taken->perform(*cu);
    }
    bool is_soon = true;
    {
      std::lock_guard lock(mutex_);
      push(taken, queue_);
      --taken_;
      has_taken_ = true;
      is_soon = look_until(Clock::now() + DeferredRelease::DELAY);
    }
    if (is_soon) changed_.notify_one();
    passed_.notify_all();
    return true;
  }

  void add(std::unique_ptr<Held> held) noexcept {
    {
      std::lock_guard lock(mutex_);
      held->next = held_;
      held_ = held.release();
      ++pending_;
    }
    changed_.notify_one();
  }

  // Waits for two passes, because the present one may be past a release that has become ready.
  // Meanwhile, the thread alone takes releases.
  void perform_ready() noexcept {
    if (must_stop()) return;
    std::unique_lock lock(mutex_);
    if (std::this_thread::get_id() == thread_) return;  // its present pass cannot end
    ++waits_for_ready_;
    passed_.wait_for(lock, 1s, [&] { return taken_ == 0; });
    wait_for_passes(lock);
    --waits_for_ready_;
  }

  static DeferredReleases& with(Duty duty) {
    static auto* prompt = new DeferredReleases(Duty::PROMPT);  // never destroyed: no work at exit
    static auto* waiting = new DeferredReleases(Duty::WAITING);
    return duty == Duty::PROMPT ? *prompt : *waiting;
  }

 private:
  explicit DeferredReleases(Duty duty) : duty_(duty) {}

  void wait_for_passes(std::unique_lock<std::mutex>& lock) noexcept {
    const uint64_t wanted = passes_ + 2;
    const auto is_over = [&] { return pending_ == 0 || passes_ >= wanted; };
    if (is_over()) return;
    passes_wanted_ = wanted;
    changed_.notify_one();
    passed_.wait_for(lock, 1s, is_over);
  }

  // Registered after the driver's own exit handler, so this runs before it.
  static void watch_exit() {
    static const int watched = std::atexit([] {
      for (const Duty duty : {Duty::PROMPT, Duty::WAITING}) with(duty).wait_for_exit();
    });
    (void)watched;
  }

  // Waits until no driver call is in progress, before the driver's exit handler runs.
  void wait_for_exit() noexcept {
    if (driver::forked()) return;
    exiting_.store(true);
    (void)lock_at_exit(busy_);
  }

  bool must_stop() const noexcept { return exiting_.load() || driver::is_gone(); }

  void run() noexcept {
    {
      const std::lock_guard lock(mutex_);
      thread_ = std::this_thread::get_id();
    }
    {
      const std::lock_guard lock(busy_);
      if (!must_stop()) relax_captures();
    }
    PassTimes times;
    for (;;) {
      const bool is_wanted = take_new(times.next());
      if (must_stop()) return;
      if (new_) times.hasten();
      size_t performed = drop_held() + perform(new_).performed;
      while (new_) move_first(new_, waiting_);
      const bool is_pass = is_wanted || Clock::now() >= times.next();
      if (is_pass) {
        times.begin();
        const Pass pass = perform(waiting_);
        times.end(pass);
        performed += pass.performed;
      }
      end_pass(performed, is_pass);
    }
  }

  // Waits for new releases; while others wait, no longer than until their next pass. Returns
  // whether perform_ready() waits for a pass.
  bool take_new(Clock::time_point next_pass) {
    std::unique_lock lock(mutex_);
    const auto is_wanted = [this] { return passes_ < passes_wanted_; };
    const auto has_new = [&] {
      return queue_ != nullptr || held_ != nullptr || is_wanted() || looks_at_ < wakes_at_;
    };
    wakes_at_ = waiting_ ? std::min(next_pass, looks_at_) : looks_at_;
    if (wakes_at_ != Clock::time_point::max())
      changed_.wait_until(lock, wakes_at_, has_new);
    else
      changed_.wait(lock, has_new);
    while (queue_) move_first(queue_, new_);  // the first one added is first now
    take_delayed(is_wanted() ? Clock::time_point::max() : Clock::now());
    return is_wanted();
  }

  // With the lock. Takes those whose time has come by `now`. The latest one is the first. A
  // program that has performed one may do so in a loop. The thread looks again then, because to
  // wake it from a wait without an end would cost the loop a call of the system.
  void take_delayed(Clock::time_point now) noexcept {
    DeferredRelease** at = &delayed_;
    while (*at && (*at)->not_before_ > now) at = &(*at)->next_;
    for (DeferredRelease* due = std::exchange(*at, nullptr); due;) move_first(due, new_);
    const bool looks_again = std::exchange(has_taken_, false) || delayed_;
    looks_at_ = looks_again ? Clock::now() + DeferredRelease::DELAY : Clock::time_point::max();
  }

  // With the lock. Returns whether the thread must be woken, so that it looks by `time`.
  bool look_until(Clock::time_point time) noexcept {
    looks_at_ = std::min(looks_at_, time);
    return looks_at_ < wakes_at_;
  }

  static void push(DeferredRelease* release, DeferredRelease*& to) noexcept {
    release->next_ = to;
    to = release;
  }

  static void move_first(DeferredRelease*& from, DeferredRelease*& to) noexcept {
    DeferredRelease* const first = from;
    from = first->next_;
    push(first, to);
  }

  void end_pass(size_t performed, bool is_pass) {
    {
      std::lock_guard lock(mutex_);
      passes_ += is_pass;
      pending_ -= performed;
    }
    passed_.notify_all();
  }

  // Drops references on this thread, which may call the driver to release the last of them.
  size_t drop_held() noexcept {
    const std::lock_guard lock(busy_);
    if (must_stop()) return 0;
    Held* first = nullptr;
    {
      std::lock_guard queue(mutex_);
      first = std::exchange(held_, nullptr);
    }
    size_t dropped = 0;
    for (; first; ++dropped) {
      const std::unique_ptr<Held> last(first);
      first = last->next;
    }
    return dropped;
  }

  // Performs those of a list that are ready, and removes them from it.
  Pass perform(DeferredRelease*& list) noexcept {
    Pass pass;
    for (DeferredRelease** at = &list; *at && !must_stop();) {
      const std::unique_lock lock(busy_);
      if (must_stop()) break;
      if (duty_ == Duty::PROMPT && (*at)->may_wait()) {
        DeferredRelease* const waits = std::exchange(*at, (*at)->next_);
        with(Duty::WAITING).add(std::unique_ptr<DeferredRelease>(waits));
        ++pass.performed;
        continue;
      }
      if (!(*at)->is_ready()) {
        at = &(*at)->next_;
        continue;
      }
      const auto begin = Clock::now();
      std::unique_ptr<DeferredRelease> done(*at);
      *at = done->next_;
      ++pass.performed;
      if (const auto* cu = driver::cuda_if_available()) done->perform(*cu);
      done.reset();
      pass.time_of_performed += Clock::now() - begin;
    }
    return pass;
  }

  const Duty duty_;
  std::mutex mutex_;  // guards the queues, the counts and the two times
  std::condition_variable changed_, passed_;
  DeferredRelease* queue_ = nullptr;
  DeferredRelease* delayed_ = nullptr;  // the latest one first
  Held* held_ = nullptr;
  size_t pending_ = 0;  // releases and references added and not performed
  size_t taken_ = 0;    // delayed releases in progress on other threads
  bool has_taken_ = false;
  int waits_for_ready_ = 0;
  std::thread::id thread_;
  // When the thread is to look at its lists at the latest, and when it ends its wait.
  Clock::time_point looks_at_ = Clock::time_point::max(), wakes_at_ = looks_at_;
  uint64_t passes_ = 0, passes_wanted_ = 0;
  bool started_ = false;
  // the thread's own; reachable for leak checkers when it ends
  DeferredRelease *new_ = nullptr, *waiting_ = nullptr;
  std::mutex busy_;  // held during driver calls of the thread
  std::atomic<bool> exiting_{false};
};

namespace {

DeferredReleases& prompt() { return DeferredReleases::with(DeferredReleases::Duty::PROMPT); }
DeferredReleases& waiting() { return DeferredReleases::with(DeferredReleases::Duty::WAITING); }

}  // namespace

void start_deferred_releases() {
  prompt().start();
  waiting().start();
}

void defer_release(std::unique_ptr<DeferredRelease> release) noexcept {
  (release->may_wait() ? waiting() : prompt()).add(std::move(release));
}

void defer_release(std::unique_ptr<Held> held) noexcept { prompt().add(std::move(held)); }

bool perform_delayed_release() noexcept { return !driver::forked() && prompt().perform_delayed(); }

void perform_prompt_releases() noexcept { prompt().perform_ready(); }

// The first may hand releases to the second.
void perform_ready_releases() noexcept {
  perform_prompt_releases();
  waiting().perform_ready();
}

}  // namespace cucore::core
