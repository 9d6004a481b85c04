// SPDX-License-Identifier: Apache-2.0
// Recording events and measuring the time between them.
#include "cpu/driver/event.hpp"

#include <chrono>

#include "cpu/driver/stream.hpp"

namespace cucore::cpu {
namespace {

int64_t now() {
  auto t = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(t).count();
}

}  // namespace

void EventRecord::stamp() {
  nanoseconds.store(now(), std::memory_order_release);
  if (!shared_) return;
  std::lock_guard lock(mutex_);
  stamped_ = true;
  if (number_ != 0) shared_->complete(number_);
}

void EventRecord::announce() {
  if (!shared_) return;
  std::lock_guard lock(mutex_);
  number_ = shared_->begin_record();
  if (stamped_) shared_->complete(number_);
}

void Event::record(Stream& stream) {
  auto record = std::make_shared<EventRecord>(clock_of(stream), shared_);
  auto stamp = [record] { record->stamp(); };
  record->ticket = stream.submit(stamp, Stream::Run::ALWAYS, Stream::Where::CALLER_IF_IDLE);
  publish(std::move(record));
}

void Event::publish(std::shared_ptr<EventRecord> record) {
  std::lock_guard lock(mutex_);
  record->announce();
  record_ = std::move(record);
  capture_ = nullptr;
}

LaterRecord::LaterRecord(std::shared_ptr<Event> event, ClockCopy clock)
    : event_(std::move(event)),
      record_(std::make_shared<EventRecord>(std::move(clock), event_->shared())) {
  // A queue of its own, whose only job is in progress until complete().
  Queue::Work none = [] {};
  bool claimed = false;
  record_->ticket = std::make_shared<Queue>()->push(none, {}, true, claimed);
}

void LaterRecord::complete() {
  if (completed_.exchange(true)) return;
  record_->ticket.queue->run_claimed([this] { record_->stamp(); });
}

void LaterRecord::publish() { event_->publish(record_); }

std::function<void()> Event::waiter(const std::shared_ptr<Context>& context) const {
  if (!shared_) return [ticket = ticket()] { ticket.wait(); };
  return [shared = shared_, number = shared_->last(), context] {
    shared->wait(number, [&] { return !context->alive() || context->poisoned(); });
  };
}

void Event::record_in_capture(std::shared_ptr<const EventCapture> capture) {
  std::lock_guard lock(mutex_);
  capture_ = std::move(capture);
}

std::shared_ptr<const EventCapture> Event::capture() const {
  std::lock_guard lock(mutex_);
  return capture_;
}

std::shared_ptr<EventRecord> Event::last() const {
  std::lock_guard lock(mutex_);
  return record_;
}

bool Event::recorded() const { return last() != nullptr; }

bool Event::done() const {
  if (shared_) return shared_->done(shared_->last());
  auto record = last();
  return !record || record->ticket.done();
}

Ticket Event::ticket() const {
  auto record = last();
  return record ? record->ticket : Ticket{};
}

ClockCopy Event::clock() const {
  auto record = last();
  return record ? record->clock : nullptr;
}

void Event::wait() const {
  if (shared_)
    shared_->wait(shared_->last(), [this] { return given_up(); });
  else
    ticket().wait();
  host_waited(clock());
}

void Event::let_wait(Stream& stream) const {
  if (shared_) {
    auto wait = [shared = shared_, number = shared_->last(), context = stream.context_ptr()] {
      shared->wait(number, [&] { return !context->alive() || context->poisoned(); });
    };
    if (!done()) stream.submit(std::move(wait), Stream::Run::ALWAYS);
  } else if (Ticket record = ticket(); !record.done()) {
    stream.submit([] {}, Stream::Run::ALWAYS, Stream::Where::WORKER, {record});
  }
}

float Event::since(const Event& start) const {
  auto from = start.last(), to = last();
  require(from && to && timed() && start.timed(), CUDA_ERROR_INVALID_HANDLE);
  require(from->ticket.done() && to->ticket.done(), CUDA_ERROR_NOT_READY);
  auto nanoseconds = to->nanoseconds.load() - from->nanoseconds.load();
  return static_cast<float>(static_cast<double>(nanoseconds) * 1e-6);
}

}  // namespace cucore::cpu
