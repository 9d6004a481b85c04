// SPDX-License-Identifier: Apache-2.0
#include "cache/remote.hpp"

#include <algorithm>

#include "cache/inside.hpp"
#include "support/concat.hpp"
#include "support/log.hpp"
#include "support/signals_blocked.hpp"

namespace cucore::cache {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int FAILURES = 3;
constexpr std::chrono::milliseconds FIRST_PAUSE{1000};
constexpr std::chrono::milliseconds LONGEST_PAUSE{60000};
constexpr size_t LONGEST_QUEUE = 256;
constexpr size_t LARGEST_QUEUE = 2 * Remotes::LARGEST;  // in bytes
constexpr std::chrono::milliseconds LAST_SENDS{2000};   // limit for sends at the close of the cache

}  // namespace

bool Remotes::Guarded::is_open() {
  std::lock_guard lock(mutex);
  return Clock::now() >= closed_until;
}

void Remotes::Guarded::record(RemoteAnswer answer) {
  std::lock_guard lock(mutex);
  if (answer != RemoteAnswer::FAILED) {
    failures = 0;
    pause = std::chrono::milliseconds(0);
    return;
  }
  if (++failures < FAILURES) return;
  pause = std::clamp(pause * 2, FIRST_PAUSE, LONGEST_PAUSE);
  closed_until = Clock::now() + pause;
  log(LogLevel::WARNING,
      concat("the remote cache ", remote->name(), " fails: left alone for ", pause.count(), " ms"));
}

Remotes::~Remotes() {
  flush(LAST_SENDS);
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    queue_.clear();
  }
  changed_.notify_all();
  if (sender_.joinable()) sender_.join();
}

void Remotes::add(std::unique_ptr<Remote> remote) {
  auto guarded = std::make_shared<Guarded>();
  guarded->remote = std::move(remote);
  std::lock_guard lock(mutex_);
  remotes_.push_back(std::move(guarded));
  count_.store(remotes_.size(), std::memory_order_release);
}

std::vector<std::shared_ptr<Remotes::Guarded>> Remotes::list() const {
  std::lock_guard lock(mutex_);
  return remotes_;
}

bool Remotes::can_write() const {
  const auto all = list();
  return std::ranges::any_of(all, [](const auto& one) { return one->remote->can_write(); });
}

bool Remotes::is_calling() const { return Inside::of(this); }

bool Remotes::is_sending() const { return Inside::of(&queue_); }

uint64_t Remotes::sent() const {
  const std::lock_guard lock(mutex_);
  return sent_;
}

void Remotes::wait_for_send(uint64_t sent) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return sent_ > sent; });
}

RemoteAnswer Remotes::call(Guarded& guarded, const std::function<RemoteAnswer(Remote&)>& work) {
  if (!guarded.is_open()) return RemoteAnswer::FAILED;
  const Inside inside(this);
  const RemoteAnswer answer = work(*guarded.remote);
  guarded.record(answer);
  if (answer == RemoteAnswer::FAILED && on_failure) on_failure();
  return answer;
}

bool Remotes::get(const container::Digest& key, FileKind kind,
                  const std::function<bool(image::Bytes)>& validate) {
  for (const auto& one : list()) {
    image::Bytes bytes;
    const auto ask = [&](Remote& remote) { return remote.get(key, kind, bytes); };
    if (call(*one, ask) == RemoteAnswer::DONE && bytes.size() <= LARGEST &&
        validate(std::move(bytes)))
      return true;
  }
  return false;
}

void Remotes::put(const container::Digest& key, FileKind kind, image::Bytes bytes) {
  if (bytes.size() > LARGEST || !can_write()) return;
  std::lock_guard lock(mutex_);
  if (queue_.size() >= LONGEST_QUEUE || bytes.size() > LARGEST_QUEUE - queued_ || stopping_) return;
  queued_ += bytes.size();
  queue_.push_back({key, kind, std::move(bytes)});
  if (!sender_.joinable()) {
    const SignalsBlocked blocked;
    sender_ = std::thread([this] { send_all(); });
  }
  changed_.notify_all();
}

void Remotes::send_all() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    const Job job = std::move(queue_.front());
    queue_.pop_front();
    queued_ -= job.bytes.size();
    busy_ = true;
    lock.unlock();
    try {
      send(job);
    } catch (...) {
      // The body of a thread: an entry that cannot be sent is only missing for other machines.
    }
    lock.lock();
    busy_ = false;
    ++sent_;
    changed_.notify_all();
  }
}

void Remotes::send(const Job& job) {
  const Inside sending(&queue_);
  for (const auto& one : list()) {
    if (!one->remote->can_write()) continue;
    const auto give = [&](Remote& remote) { return remote.put(job.key, job.kind, job.bytes); };
    if (call(*one, give) == RemoteAnswer::DONE && on_put) on_put();
  }
}

void Remotes::flush(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time, [&] { return queue_.empty() && !busy_; });
}

}  // namespace cucore::cache
