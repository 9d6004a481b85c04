// SPDX-License-Identifier: Apache-2.0
#include "core/completion/queue.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>

#include "driver/cuda.hpp"
#include "support/concat.hpp"
#include "support/log.hpp"

namespace cucore::core {
namespace {

constexpr size_t FIRST_RING = 64;
constexpr std::chrono::milliseconds EXIT_CHECKS{20};
constexpr size_t KEPT_RING = 4096;  // an empty queue keeps at most this many places

// Never the same in a process, so that a late resume cannot mean another function.
uint64_t next_ticket() noexcept {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

Ref<Queue> Queue::create(const QueueOptions& options) {
  const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0)
    throw Error(Status::IO, concat("cannot make the descriptor of a queue: ", std::strerror(errno),
                                   "; raise the limit of open files (ulimit -n)"));
  try {
    return make<Queue>(options, descriptor);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
}

Queue::~Queue() { ::close(descriptor_); }

int Queue::descriptor() const noexcept {
  if (driver::forked()) return descriptor_;  // another thread may have held the mutex at the fork
  std::lock_guard lock(mutex_);
  watched_ = true;
  if (waiting_ != 0 || closed_) signal();
  return descriptor_;
}

// Call with the mutex held. Costs a system call, so it runs only if the queue was empty and the
// descriptor is in use.
void Queue::signal() const noexcept {
  if (!watched_ || signalled_) return;
  const uint64_t one = 1;
  signalled_ = ::write(descriptor_, &one, sizeof one) == sizeof one;
}

void Queue::require_running() const {
  if (driver::forked()) driver::cuda();  // throws the error
  if (driver::exiting())
    throw Error(Status::INVALID_STATE, "cannot wait for a queue: the process is exiting");
}

size_t Queue::wait(int64_t timeout_ns, std::span<cucore_completion> out) {
  if (driver::forked()) require_running();
  const Deadline deadline = deadline_after(timeout_ns);
  bool spun = timeout_ns == 0, expecting = false;
  std::optional<TimedWaits> waits;
  for (;;) {
    uint32_t seen = 0;
    {
      const auto lock = lock_briefly(mutex_);
      if (waiting_ != 0) return take(out);
      if (closed_)
        throw Error(Status::INVALID_STATE,
                    "cannot wait for a queue that was closed: nothing more comes out of it");
      seen = arrivals_.load(std::memory_order_relaxed);
      expecting = pending_ != 0;
      if (spun) ++sleepers_;
      if (spun && !expecting) sleeps_idly_.store(true, std::memory_order_relaxed);
    }
    if (!spun) {
      spun = true;
      (void)spin(deadline);
      continue;
    }
    if (!is_over(deadline) && !driver::exiting()) sleep(seen, expecting, waits, deadline);
    std::lock_guard lock(mutex_);
    --sleepers_;
    if (waiting_ != 0) return take(out);
    if (closed_) continue;
    require_running();
    if (is_over(deadline)) return 0;
  }
}

void Queue::sleep(uint32_t seen, bool expecting, std::optional<TimedWaits>& waits,
                  const Deadline& deadline) {
  if (!expecting) return wait_while(arrivals_, seen, deadline);
  if (!waits) waits.emplace(options_.sweep_ns);
  waits->wait_while(arrivals_, seen, deadline);
}

// Spins until a completion arrives, for the time that the owner of the queue has set.
bool Queue::spin(const Deadline& deadline) const {
  if (options_.spin_ns == 0) return false;
  const uint32_t before = arrivals_.load(std::memory_order_acquire);
  {
    std::lock_guard lock(mutex_);
    if (waiting_ != 0 || closed_) return true;
  }
  const Spinner spinner;
  if (spinner.is_one_too_many) return false;
  const Deadline end = deadline_after(options_.spin_ns);
  for (unsigned turn = 0; arrivals_.load(std::memory_order_acquire) == before; ++turn) {
    if (turn % 16 == 0 && (is_over(end) || is_over(deadline))) return false;
    spin_pause(turn);
  }
  return true;
}

size_t Queue::take(std::span<cucore_completion> out) noexcept {
  const size_t count = std::min(out.size(), waiting_);
  for (size_t i = 0; i < count; ++i) out[i] = ring_[(first_ + i) & (ring_.size() - 1)];
  first_ += count;
  waiting_ -= count;
  if (waiting_ == 0) settle_ring();
  // A completion woke one thread. If that had no room, the next one must be woken.
  else if (out.empty() && sleepers_ != 0)
    wake_one(arrivals_);
  return count;
}

// Resets an empty ring.
void Queue::settle_ring() noexcept {
  first_ = 0;
  if (pending_ == 0 && ring_.size() > KEPT_RING) std::vector<cucore_completion>().swap(ring_);
  uint64_t value = 0;
  if (signalled_ && !closed_) {
    (void)!::read(descriptor_, &value, sizeof value);
    signalled_ = false;
  }
}

void Queue::close() noexcept {
  if (driver::forked()) return;
  {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    closed_ = true;
    signal();
    arrivals_.fetch_add(1, std::memory_order_release);
    wake_all(arrivals_);
  }
  const std::lock_guard lock(host_mutex_);
  suspended_.clear();
  resumed_.notify_all();
}

Queue::Counts Queue::counts() const {
  if (driver::forked()) require_running();
  std::lock_guard lock(mutex_);
  return {pending_, waiting_, completed_, closed_};
}

void Queue::expect() {
  const auto lock = lock_briefly(mutex_);
  if (closed_)
    throw Error(Status::INVALID_STATE,
                "cannot make a future for a queue that was closed; make a new queue");
  if (waiting_ + pending_ == ring_.size()) grow();
  ++pending_;
}

void Queue::grow() {
  std::vector<cucore_completion> larger(std::max(FIRST_RING, ring_.size() * 2));
  for (size_t i = 0; i < waiting_; ++i) larger[i] = ring_[(first_ + i) & (ring_.size() - 1)];
  ring_.swap(larger);
  first_ = 0;
}

void Queue::forget() noexcept {
  const auto lock = lock_briefly(mutex_);
  --pending_;
}

void Queue::wake() noexcept {
  if (!sleeps_idly_.load(std::memory_order_relaxed)) return;
  {
    std::lock_guard lock(mutex_);
    sleeps_idly_.store(false, std::memory_order_relaxed);
    arrivals_.fetch_add(1, std::memory_order_release);
  }
  wake_all(arrivals_);
}

void Queue::put(uint64_t token, cucore_status status) noexcept {
  bool wake = false;
  {
    const auto lock = lock_briefly(mutex_);
    --pending_;
    if (closed_) return;
    ring_[(first_ + waiting_) & (ring_.size() - 1)] = {
        token, status, CUCORE_COMPLETION_KIND_FUTURE, 0, {}};
    ++waiting_;
    ++completed_;
    signal();
    arrivals_.fetch_add(1, std::memory_order_release);
    wake = sleepers_ != 0;
  }
  if (wake) wake_one(arrivals_);
}

void Queue::require_open() const {
  const auto lock = lock_briefly(mutex_);
  if (closed_)
    throw Error(Status::INVALID_STATE,
                "cannot add a host function for a queue that was closed; make a new queue");
}

void Queue::put_host(uint64_t token, bool waits) noexcept try {
  if (!waits) {
    (void)add_host(token, 0);
    return;
  }
  const uint64_t ticket = next_ticket();
  {
    const std::lock_guard lock(host_mutex_);
    suspended_.insert(ticket);
  }
  // A close after this finds the ticket; one before it has refused the completion.
  bool is_added = false;
  try {
    is_added = add_host(token, ticket);
  } catch (const std::bad_alloc&) {
    forget_ticket(ticket);
    throw;
  }
  if (is_added) return wait_for_resume(token, ticket);
  forget_ticket(ticket);
} catch (const std::bad_alloc&) {
  log(LogLevel::ERROR, "a host function does not run, because no memory is left");
}

bool Queue::forget_ticket(uint64_t ticket) noexcept {
  const std::lock_guard lock(host_mutex_);
  return suspended_.erase(ticket) != 0;
}

// Returns false if the queue is closed.
bool Queue::add_host(uint64_t token, uint64_t ticket) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    if (waiting_ + pending_ == ring_.size()) grow();
    ring_[(first_ + waiting_) & (ring_.size() - 1)] = {
        token, CUCORE_OK, CUCORE_COMPLETION_KIND_HOST, ticket, {}};
    ++waiting_;
    ++completed_;
    signal();
    arrivals_.fetch_add(1, std::memory_order_release);
    wake = sleepers_ != 0;
  }
  if (wake) wake_one(arrivals_);
  return true;
}

void Queue::wait_for_resume(uint64_t token, uint64_t ticket) noexcept {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(options_.host_timeout_ms);
  std::unique_lock lock(host_mutex_);
  while (suspended_.count(ticket) != 0 && !driver::exiting()) {
    const auto now = Clock::now();
    if (now >= end) break;
    // The exit of the process does not notify this thread.
    resumed_.wait_for(lock, std::min<Clock::duration>(end - now, EXIT_CHECKS));
  }
  if (suspended_.erase(ticket) == 0 || driver::exiting()) return;
  lock.unlock();
  log(LogLevel::WARNING,
      concat("host function ", token, " was not resumed in ", options_.host_timeout_ms,
             " ms; its stream goes on; call cucore_queue_resume() with the ticket of each"));
}

void Queue::resume(uint64_t ticket) {
  if (driver::forked()) require_running();
  if (!forget_ticket(ticket))
    throw Error(Status::NOT_FOUND, concat("ticket is ", ticket,
                                          "; no host function of the queue waits with it; "
                                          "resume each once, before its time limit"));
  resumed_.notify_all();
}

}  // namespace cucore::core
