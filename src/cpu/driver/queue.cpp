// SPDX-License-Identifier: Apache-2.0
// The worker thread of a queue. It starts when work arrives and ends after some time without work.
#include "cpu/driver/queue.hpp"

#include <chrono>
#include <thread>

#include "support/signals_blocked.hpp"

namespace cucore::cpu {
namespace {

constexpr auto IDLE_LIFE = std::chrono::milliseconds(500);

}  // namespace

bool Ticket::done() const { return !queue || queue->done(number); }
void Ticket::wait() const {
  if (queue) queue->wait(number);
}

Ticket Queue::push(Work& work, std::vector<Ticket> after, bool may_claim, bool& claimed) {
  std::lock_guard lock(mutex_);
  claimed = may_claim && after.empty() && jobs_.empty() && !running_;
  if (claimed) {
    running_ = true;
  } else {
    if (!worker_) start_worker();
    jobs_.push_back({std::move(work), std::move(after)});
  }
  ++submitted_;
  changed_.notify_all();
  return {shared_from_this(), submitted_};
}

void Queue::run_claimed(Work work) {
  work();
  work = nullptr;
  std::unique_lock lock(mutex_);
  complete(lock);
}

void Queue::complete(std::unique_lock<std::mutex>&) {
  running_ = false;
  completed_.store(completed_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  changed_.notify_all();
}

void Queue::start_worker() {
  SignalsBlocked blocked;
  std::thread([self = shared_from_this()] { self->run(); }).detach();
  worker_ = true;
}

bool Queue::next(std::unique_lock<std::mutex>& lock, Job& job) {
  auto ready = [this] { return !jobs_.empty() && !running_; };
  auto ends = [this] { return retired_ && jobs_.empty(); };
  while (!ready()) {
    auto end = std::chrono::system_clock::now() + IDLE_LIFE;
    bool timely = changed_.wait_until(lock, end, [&] { return ready() || ends(); });
    if (ends() || (!timely && jobs_.empty())) return false;
  }
  job = std::move(jobs_.front());
  jobs_.pop_front();
  running_ = true;
  return true;
}

void Queue::run() {
  std::unique_lock lock(mutex_);
  for (Job job; next(lock, job); job = {}) {
    lock.unlock();
    for (const Ticket& ticket : job.after) ticket.wait();
    job.work();
    job = {};  // releases the job's resources before waiters see it as done
    lock.lock();
    complete(lock);
  }
  worker_ = false;
}

void Queue::wait(uint64_t number) {
  if (done(number)) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done(number); });
}

Ticket Queue::last() {
  std::lock_guard lock(mutex_);
  return {shared_from_this(), submitted_};
}

void Queue::retire() {
  std::lock_guard lock(mutex_);
  retired_ = true;
  changed_.notify_all();
}

bool Queue::retired() {
  std::lock_guard lock(mutex_);
  return retired_;
}

bool Queue::idle() {
  std::lock_guard lock(mutex_);
  return done(submitted_);
}

}  // namespace cucore::cpu
