// SPDX-License-Identifier: Apache-2.0
// An event: the last point in a stream at which it was recorded, and the time when the work reached
// it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "cpu/driver/context.hpp"
#include "cpu/driver/registry.hpp"
#include "cpu/driver/shared_event.hpp"
#include "cpu/driver/stream_order.hpp"

namespace cucore::cpu {

class Stream;
struct EventCapture;

// One record of an event.
class EventRecord {
 public:
  EventRecord(ClockCopy clock, std::shared_ptr<SharedEvent> shared)
      : clock(std::move(clock)), shared_(std::move(shared)) {}

  void stamp();     // in the work that reaches the record
  void announce();  // to other processes, at the publication

  Ticket ticket;  // set before the publication
  std::atomic<int64_t> nanoseconds{0};
  const ClockCopy clock;

 private:
  const std::shared_ptr<SharedEvent> shared_;
  std::mutex mutex_;
  uint64_t number_ = 0;  // 0: not announced
  bool stamped_ = false;
};

class Event : public Object {
 public:
  static constexpr ObjectKind KIND = ObjectKind::EVENT;
  // `shared`: the state of an event that other processes have too.
  Event(std::shared_ptr<Context> context, unsigned flags,
        std::shared_ptr<SharedEvent> shared = nullptr)
      : context_(std::move(context)), flags_(flags), shared_(std::move(shared)) {}

  Context& context() const { return *context_; }
  const std::shared_ptr<SharedEvent>& shared() const { return shared_; }
  bool timed() const { return !(flags_ & CU_EVENT_DISABLE_TIMING); }

  void record(Stream& stream);
  // The record is the last one from now on. Its work is in a queue, so that what waits for it comes
  // after its work.
  void publish(std::shared_ptr<EventRecord> record);
  // The event belongs to a capture until it is recorded outside of one.
  void record_in_capture(std::shared_ptr<const EventCapture> capture);
  std::shared_ptr<const EventCapture> capture() const;
  bool recorded() const;
  bool done() const;  // also true if never recorded
  void wait() const;
  // Returns the wait for the present record, which a job of the context calls.
  std::function<void()> waiter(const std::shared_ptr<Context>& context) const;
  void let_wait(Stream& stream) const;  // later work of the stream comes after the record
  ClockCopy clock() const;              // of the record, for the check `host`
  // Returns the milliseconds since `start`. Throws NOT_READY or INVALID_HANDLE, as CUDA documents.
  float since(const Event& start) const;

 private:
  std::shared_ptr<EventRecord> last() const;
  bool given_up() const { return !context_->alive() || context_->poisoned(); }
  Ticket ticket() const;  // empty if never recorded

  const std::shared_ptr<Context> context_;
  const unsigned flags_;
  const std::shared_ptr<SharedEvent> shared_;
  mutable std::mutex mutex_;
  std::shared_ptr<EventRecord> record_;
  std::shared_ptr<const EventCapture> capture_;
};

// A record at a point within a job: a node of a graph.
class LaterRecord {
 public:
  LaterRecord(std::shared_ptr<Event> event, ClockCopy clock);

  void complete();  // the job is at the point; later calls do nothing
  void publish();   // when the job is in a queue
  bool is_complete() const { return completed_.load(std::memory_order_acquire); }
  void wait() const { record_->ticket.wait(); }

 private:
  const std::shared_ptr<Event> event_;
  const std::shared_ptr<EventRecord> record_;
  std::atomic<bool> completed_{false};
};

}  // namespace cucore::cpu
