// SPDX-License-Identifier: Apache-2.0
// Stores the library's messages for the thread that requests them.
#include "log_receiver.hpp"

#include <unistd.h>

#include <chrono>

#include "failure.hpp"
#include "spelling.hpp"

namespace cucore::bind {
namespace {

using Shared = std::shared_ptr<LogQueue>;

std::mutex choosing;            // one change of the receiver at a time
LogQueue* receiving = nullptr;  // whose queue the library's receiver fills

void receive(cucore_log_level level, const char* message, void* queue) {
  (*static_cast<Shared*>(queue))->push(level, message);
}

void forget(void* queue) {
  auto* shared = static_cast<Shared*>(queue);
  if (!(*shared)->is_of_this_process()) return;
  (*shared)->close();
  delete shared;
}

}  // namespace

LogQueue::LogQueue() : process_(getpid()) {}

bool LogQueue::is_of_this_process() const { return process_ == getpid(); }

void LogQueue::push(cucore_log_level level, const char* text) {
  if (!is_of_this_process()) return;
  std::string message = respell(text);
  const std::lock_guard lock(mutex_);
  if (messages_.size() == CAPACITY) messages_.pop_front();
  messages_.push_back({level, std::move(message)});
  changed_.notify_one();
}

bool LogQueue::take(LogMessage& out, int timeout_ms) {
  if (!is_of_this_process()) return false;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                    [&] { return closed_ || !messages_.empty(); });
  if (messages_.empty()) return false;
  out = std::move(messages_.front());
  messages_.pop_front();
  return true;
}

void LogQueue::close() {
  if (!is_of_this_process()) return;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

bool LogQueue::closed() const {
  if (!is_of_this_process()) return true;
  const std::lock_guard lock(mutex_);
  return closed_;
}

LogReceiver::LogReceiver(cucore_log_level least) : queue_(std::make_shared<LogQueue>()) {
  const std::lock_guard lock(choosing);
  ok(cucore_log_set_callback, receive, least, new Shared(queue_), forget);
  receiving = queue_.get();
}

// A later receiver has already replaced this one, which then stays unchanged.
void LogReceiver::stop() {
  if (!queue_->is_of_this_process()) return;
  const std::lock_guard lock(choosing);
  if (receiving == queue_.get()) {
    receiving = nullptr;
    cucore_log_set_callback(nullptr, CUCORE_LOG_ERROR, nullptr, nullptr, nullptr);
  }
  queue_->close();
}

LogReceiver::~LogReceiver() {
  stop();
  if (!queue_->is_of_this_process()) new Shared(std::move(queue_));  // leaked on purpose
}

}  // namespace cucore::bind
