// SPDX-License-Identifier: Apache-2.0
// A future: the end of the work that was in a stream, awaited by nobody or by many.
#pragma once

#include "core/completion/queue.hpp"
#include "core/objects/stream.hpp"

namespace cucore::core {

// Why work failed, shared by all who awaited it.
class Failure final : public Object {
 public:
  explicit Failure(Error error) : error(std::move(error)) {}
  const Error error;

 private:
  ~Failure() override = default;
};

// How work ended; a failure that could not be told for want of memory is a status alone.
struct Outcome {
  Status status = Status::OK;
  Ref<Failure> failure;
};

class Future final : public Object {
 public:
  // Not awaiting anything yet, with its place in the queue: what can fail for want of memory has
  // been done before the stream is touched. Throws if the queue is closed.
  Future(Ref<Queue> queue, uint64_t token);

  // From now on: all work that is in the stream. Once only.
  void watch(const Stream& stream);

  uint64_t token() const { return token_; }

  bool query() const;  // asks the driver if need be; throws what the work failed with
  void wait(int64_t timeout_ns) const;  // NOT_READY when the time is over
  void require_success() const;         // without asking
  bool detach() const noexcept;         // false: the completion is in the queue already, or was

 private:
  friend class CompletionPoller;
  friend class EventQuery;
  friend class PendingWork;
  friend class StreamBacklog;

  // AWAITED: somebody sleeps until it ends. KNOWN: the outcome is there, the completion not yet in
  // the queue: who has the completion finds the outcome, and who has waited finds the completion.
  enum State : uint32_t { PENDING, AWAITED, KNOWN, ENDED };
  enum class Claim : uint8_t { NONE, DETACHED, DELIVERED };

  ~Future() override;
  uint32_t state() const noexcept { return state_.load(std::memory_order_acquire); }
  bool is_known() const noexcept { return state() >= KNOWN; }
  bool has_ended() const noexcept;
  void throw_outcome() const;
  void sleep(int64_t timeout_ns) const;
  void ask() const;

  // By whoever found that the work has ended: tells all who wait, and the queue. Once only.
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
