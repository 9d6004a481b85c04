// SPDX-License-Identifier: Apache-2.0
// The pending work of one device: a record per future, in one backlog per stream. It is passive: it
// has no thread and calls no driver.
#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>

#include "core/completion/completion_query.hpp"
#include "core/objects/event_pool.hpp"

namespace cucore::core {

// The place of one future, before and after it is pending.
struct PendingRecord {
  StreamBacklog* backlog;
  CUevent event;  // null: the caller creates one
};

class PendingWork {
 public:
  struct Swept {
    bool has_news = false;     // a future came or ended
    bool has_pending = false;  // a future is left
  };

  // == Called from any thread ===================================================================

  // Opens the record of a future. Throws, and then nothing has changed.
  PendingRecord open(const Ref<Context>& context, uint64_t stream);
  // Removes a record that was not committed. Its event, if it has one, goes to the pool.
  void cancel(const PendingRecord& record) noexcept;
  // Makes the future pending. Returns false after close().
  bool commit(const PendingRecord& record, Future& future) noexcept;

  // Refuses later records; the queries end all that is pending.
  void close() noexcept;
  bool is_closed() const noexcept { return closed_.load(); }

  bool has_incoming() const noexcept { return has_incoming_.load(); }
  bool is_empty() const noexcept { return !has_incoming_.load() && !has_pending_.load(); }
  bool has_idle_events() const noexcept;
  // Removes the events of the pool, if no record uses one; the caller destroys them.
  EventPool::Rest take_idle_events() noexcept;
  // Removes the events of a context that is lost.
  void forget_events(const Context& context) noexcept;

  // == Called by one thread at a time ===========================================================

  // Moves the committed futures to their backlogs. Returns whether there were any.
  bool absorb() noexcept;
  // Absorbs, and ends each future that the query reports as ended.
  Swept sweep(CompletionQuery& query) noexcept;
  // The same for one backlog, which stays listed. Returns whether a future ended.
  bool sweep(StreamBacklog& backlog, CompletionQuery& query) noexcept;

  // A backlog with pending futures, or null.
  const StreamBacklog* any_backlog() const noexcept { return listed_; }
  // The longest spin and the shortest pause that the queues of pending futures request.
  std::optional<QueueOptions> pace() const noexcept;

 private:
  struct Key {
    const Context* context;
    uint64_t stream;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const noexcept;
  };

  void release(StreamBacklog& backlog, Future* ended) noexcept;
  void drop_user(StreamBacklog& backlog) noexcept;

  mutable std::mutex mutex_;  // held for moments: guards the fields up to incoming_end_
  std::unordered_map<Key, StreamBacklog, Hash> backlogs_;  // of each stream with a record
  EventPool events_;
  Future* incoming_ = nullptr;  // committed, not in their backlogs yet
  Future** incoming_end_ = &incoming_;

  StreamBacklog* listed_ = nullptr;  // the backlogs that are not empty

  std::atomic<bool> has_incoming_{false};
  std::atomic<bool> has_pending_{false};  // a backlog is listed
  std::atomic<bool> closed_{false};
};

}  // namespace cucore::core
