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

void Event::record(Stream& stream) {
  auto record = std::make_shared<Record>();
  record->clock = clock_of(stream);
  const uint64_t number = shared_ ? shared_->begin_record() : 0;
  auto stamp = [record, number, shared = shared_] {
    record->nanoseconds.store(now(), std::memory_order_release);
    if (shared) shared->complete(number);
  };
  record->ticket = stream.submit(stamp, Stream::Run::ALWAYS, Stream::Where::CALLER_IF_IDLE);
  set_record(std::move(record));
}

void Event::set_record(std::shared_ptr<Record> record) {
  std::lock_guard lock(mutex_);
  record_ = std::move(record);
  capture_ = nullptr;
}

std::function<void()> Event::record_later(ClockCopy clock) {
  auto record = std::make_shared<Record>();
  record->clock = std::move(clock);
  const uint64_t number = shared_ ? shared_->begin_record() : 0;
  // A queue of its own, whose only job is in progress until the caller ends it.
  auto queue = std::make_shared<Queue>();
  Queue::Work none = [] {};
  bool claimed = false;
  record->ticket = queue->push(none, {}, true, claimed);
  set_record(record);
  return [record, queue, number, shared = shared_] {
    queue->run_claimed([&] { record->nanoseconds.store(now(), std::memory_order_release); });
    if (shared) shared->complete(number);
  };
}

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

std::shared_ptr<Event::Record> Event::last() const {
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
