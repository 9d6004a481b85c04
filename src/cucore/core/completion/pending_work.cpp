// SPDX-License-Identifier: Apache-2.0
#include "core/completion/pending_work.hpp"

#include <algorithm>

#include "core/completion/library_thread.hpp"

namespace cucore::core {

size_t PendingWork::Hash::operator()(const Key& key) const noexcept {
  return std::hash<const void*>()(key.context) ^ (key.stream * 0x9e3779b97f4a7c15u);
}

// == Records ======================================================================================

PendingRecord PendingWork::open(const Ref<Context>& context, uint64_t stream) {
  const auto lock = lock_briefly(mutex_);
  StreamBacklog& backlog =
      backlogs_.try_emplace({context.get(), stream}, context, stream).first->second;
  ++backlog.users;
  try {
    return {&backlog, events_.acquire(context)};
  } catch (...) {
    if (--backlog.users == 0) backlogs_.erase({context.get(), stream});
    throw;
  }
}

void PendingWork::cancel(const PendingRecord& record) noexcept {
  {
    std::lock_guard lock(mutex_);
    if (record.event)
      events_.release(*record.backlog->context(), record.event);
    else
      events_.cancel(*record.backlog->context());
  }
  drop_user(*record.backlog);
}

bool PendingWork::commit(const PendingRecord& record, Future& future) noexcept {
  const auto lock = lock_briefly(mutex_);
  if (closed_.load()) return false;
  future.add_reference();
  future.backlog_ = record.backlog;
  future.event_ = record.event;
  *incoming_end_ = &future;
  incoming_end_ = &future.next_;
  has_incoming_.store(true);  // sequentially consistent for CompletionPoller::wake()
  return true;
}

void PendingWork::close() noexcept {
  const auto lock = lock_at_exit(mutex_);
  closed_.store(true);
}

void PendingWork::drop_user(StreamBacklog& backlog) noexcept {
  decltype(backlogs_)::node_type removed;  // freed without the mutex
  const auto lock = lock_briefly(mutex_);
  if (--backlog.users == 0)
    removed = backlogs_.extract({backlog.context().get(), backlog.stream()});
}

// == Events =======================================================================================

bool PendingWork::has_idle_events() const noexcept {
  std::lock_guard lock(mutex_);
  return !events_.is_empty();
}

EventPool::Rest PendingWork::take_idle_events() noexcept {
  std::lock_guard lock(mutex_);
  return events_.empty();
}

void PendingWork::forget_events(const Context& context) noexcept {
  std::lock_guard lock(mutex_);
  events_.forget(context);
}

// == A sweep ======================================================================================

bool PendingWork::absorb() noexcept {
  if (!has_incoming_.load(std::memory_order_acquire)) return false;
  const auto lock = lock_briefly(mutex_);
  for (Future* future = incoming_; future;) {
    Future* const next = future->next_;
    StreamBacklog& backlog = *future->backlog_;
    future->queue_->wake();
    backlog.append(*future);
    if (!backlog.is_listed) {
      backlog.is_listed = true;
      ++backlog.users;
      backlog.next = listed_;
      listed_ = &backlog;
      has_pending_.store(true, std::memory_order_release);
    }
    future = next;
  }
  incoming_ = nullptr;
  incoming_end_ = &incoming_;
  has_incoming_.store(false, std::memory_order_release);
  return true;
}

PendingWork::Swept PendingWork::sweep(CompletionQuery& query) noexcept {
  Swept swept;
  swept.has_news = absorb();
  for (StreamBacklog** at = &listed_; *at;) {
    StreamBacklog& backlog = **at;
    swept.has_news |= sweep(backlog, query);
    if (!backlog.is_empty()) {
      at = &backlog.next;
      continue;
    }
    *at = backlog.next;
    backlog.is_listed = false;
    drop_user(backlog);
  }
  swept.has_pending = listed_ != nullptr;
  has_pending_.store(swept.has_pending, std::memory_order_release);
  return swept;
}

bool PendingWork::sweep(StreamBacklog& backlog, CompletionQuery& query) noexcept {
  Future* ended = nullptr;
  for (Outcome outcome; !backlog.is_empty() && query.has_ended(backlog, outcome); outcome = {}) {
    Future& future = backlog.pop();
    future.end(outcome);
    future.next_ = std::exchange(ended, &future);
  }
  if (ended) release(backlog, ended);
  return ended;
}

void PendingWork::release(StreamBacklog& backlog, Future* ended) noexcept {
  {
    const auto lock = lock_briefly(mutex_);
    for (Future* future = ended; future; future = future->next_) {
      events_.release(*backlog.context(), std::exchange(future->event_, nullptr));
      --backlog.users;  // not the last: the list is one
    }
  }
  while (ended) {
    const Ref<Future> future = Ref<Future>::adopt(ended);
    ended = future->next_;
  }
}

std::optional<QueueOptions> PendingWork::pace() const noexcept {
  std::optional<QueueOptions> pace;
  for (const StreamBacklog* backlog = listed_; backlog; backlog = backlog->next) {
    if (backlog->is_empty()) continue;
    const QueueOptions& requested = backlog->first().queue_->options();
    if (!pace) pace = requested;
    pace->spin_ns = std::max(pace->spin_ns, requested.spin_ns);
    pace->sweep_ns = std::min(pace->sweep_ns, requested.sweep_ns);
  }
  return pace;
}

}  // namespace cucore::core
