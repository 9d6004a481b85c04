// SPDX-License-Identifier: Apache-2.0
// The library's messages, stored until a thread of the language takes them. A library thread never
// calls code of a language. It could wait there for a lock (an interpreter's, a collector's) whose
// owner waits for the log.
#pragma once

#include <cucore.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace cucore::bind {

struct LogMessage {
  cucore_log_level level = CUCORE_LOG_DEBUG;
  std::string text;
};

class LogQueue {
 public:
  static constexpr size_t CAPACITY = 4096;

  LogQueue();
  void push(cucore_log_level level, const char* text);
  bool take(LogMessage& out, int timeout_ms);  // false on time-out, and once closed and empty
  void close();

  // In the child of a fork, a missing thread may hold the mutex and the condition. They are not
  // used and never destroyed.
  bool is_of_this_process() const;
  bool closed() const;

 private:
  const int process_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<LogMessage> messages_;
  bool closed_ = false;
};

// The one receiver of the library's messages while it exists.
class LogReceiver {
 public:
  explicit LogReceiver(cucore_log_level least);
  LogReceiver(const LogReceiver&) = delete;
  LogReceiver& operator=(const LogReceiver&) = delete;
  ~LogReceiver();

  // Moves on to the next message; returns false if none came in time. One thread at a time.
  bool next(int timeout_ms) { return queue_->take(current_, timeout_ms); }
  const LogMessage& current() const { return current_; }
  bool stopped() const { return queue_->closed(); }  // also by a later receiver
  void stop();                                       // no more messages come; a waiting next() ends

 private:
  std::shared_ptr<LogQueue> queue_;
  LogMessage current_;
};

}  // namespace cucore::bind
