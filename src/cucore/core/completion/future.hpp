// SPDX-License-Identifier: Apache-2.0
// A future: the end of the work that was in a stream, for any number of waiters.
#pragma once

#include "core/completion/queue.hpp"
#include "core/objects/stream.hpp"

namespace cucore::core {

// The failure of work, common to all its waiters.
class Failure final : public Object {
 public:
  explicit Failure(Error error) : error(std::move(error)) {}
  const Error error;

 private:
  ~Failure() override = default;
};

// The end of work. If memory for the failure is exhausted, it is a status alone.
struct Outcome {
  Status status = Status::OK;
  Ref<Failure> failure;
};

class Future final : public Object {
 public:
  // Creates a future that awaits nothing yet, with room in its queue. Allocations that can fail
  // happen before the stream is used. Throws if the queue is closed.
  Future(Ref<Queue> queue, uint64_t token);

  // Awaits all work that is in the stream now. Call once.
  void watch(const Stream& stream);

  uint64_t token() const { return token_; }
  const Device* device() const { return device_; }  // of the stream

  bool query() const;  // queries the driver if necessary; throws the failure of the work
  void wait(int64_t timeout_ns) const;  // NOT_READY after the time limit
  void require_success() const;         // without a query
  bool detach() const noexcept;         // false: the completion is in the queue already, or was

 private:
  friend class CompletionPoller;
  friend class EventQuery;
  friend class PendingWork;
  friend class StreamBacklog;

  // AWAITED: a thread sleeps until it ends. In the state KNOWN, the outcome is present and the
  // completion is not yet in the queue. A thread with the completion finds the outcome, and a
  // thread that has waited finds the completion.
  enum State : uint32_t { PENDING, AWAITED, KNOWN, ENDED };
  enum class Claim : uint8_t { NONE, DETACHED, DELIVERED };

  ~Future() override;
  uint32_t state() const noexcept { return state_.load(std::memory_order_acquire); }
  bool is_known() const noexcept { return state() >= KNOWN; }
  bool has_ended() const noexcept;
  void throw_outcome() const;
  void sleep(int64_t timeout_ns) const;
  void ask() const;

  // Called by the thread that finds the end of the work: wakes all waiters, and fills the queue.
  // Call once.
  void end(const Outcome& outcome) noexcept;

  const uint64_t token_;
  Ref<Queue> queue_;                  // until it has ended
  const int64_t spin_ns_, sweep_ns_;  // the queue's
  mutable std::atomic<uint32_t> state_{PENDING};
  mutable std::atomic<Claim> claim_{Claim::NONE};
  const Device* device_ = nullptr;
  bool is_shared_ = false;  // the stream
  Outcome outcome_;         // once it has ended

  // The fields of PendingWork and its parts.
  Future* next_ = nullptr;
  class StreamBacklog* backlog_ = nullptr;
  CUevent event_ = nullptr;
};

}  // namespace cucore::core
