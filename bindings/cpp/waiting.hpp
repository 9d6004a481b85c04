// SPDX-License-Identifier: Apache-2.0
// Waits for a device in slices: a thread of the library waits, so that the caller's thread can do
// other work between two slices. Python then handles signals, and Mono may stop the thread at the
// end of a process. A wait that ends at once costs one query.
#pragma once

#include <cucore.h>

#include <chrono>
#include <memory>
#include <thread>

#include "failure.hpp"
#include "held.hpp"

namespace cucore::bind {

// A wait of the library, with all that it needs; it may outlast the call.
class Wait {
 public:
  virtual ~Wait() = default;
  virtual cucore_status run(cucore_error** error) const = 0;
};

template <class Handle, class Function>
class WaitOf final : public Wait {
 public:
  WaitOf(Handle* handle, Function* function) : handle_(handle), function_(function) {}
  cucore_status run(cucore_error** error) const override { return function_(handle_, error); }

 private:
  Held<Handle> handle_;
  Function* function_;
};

// One wait, in another thread, which continues if this object is destroyed before.
class Waiting {
 public:
  // With looks_first, it first polls for the end without sleeping, if that is worth it.
  Waiting(std::shared_ptr<const Wait> wait, bool looks_first);
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  // Returns true once the wait is over; false after the time.
  bool wait(std::chrono::milliseconds time) const;
  // Throws its Failure; call only once it is over.
  void require_success() const;

 private:
  struct Outcome;
  static void run(std::shared_ptr<const Wait> wait, const std::shared_ptr<Outcome>& outcome);

  const std::shared_ptr<Outcome> outcome_;
};

// Returns how long to query before another thread is worth its cost. A GPU's driver also polls, and
// waking a thread is slow compared with that. The CPU device needs the core.
std::chrono::nanoseconds time_to_ask(const cucore_stream*);
std::chrono::nanoseconds time_to_ask(const cucore_event*);  // it may be one that sleeps

enum class Answer { NOT_DONE, DONE, FAILED };

template <class Handle, class Query>
Answer ask(Handle* handle, Query* query) {
  int32_t done = 0;
  if (query(handle, &done, nullptr) != CUCORE_OK) return Answer::FAILED;
  return done ? Answer::DONE : Answer::NOT_DONE;
}

template <class Handle, class Query>
Answer ask_for_a_while(Handle* handle, Query* query) {
  Answer answer = ask(handle, query);
  const auto end = std::chrono::steady_clock::now() + time_to_ask(handle);
  while (answer == Answer::NOT_DONE && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
    answer = ask(handle, query);
  }
  return answer;
}

// Null where the wait ended soon. A handle without a query is waited for in a thread at once. After
// a failed query the wait itself is tried, so that its error describes the wait.
template <class Handle, class Function, class... Query>
std::unique_ptr<Waiting> begin_wait(Handle* handle, Function* function, Query*... query) {
  Answer answer = Answer::NOT_DONE;
  ((answer = ask_for_a_while(handle, query)), ...);
  if (answer == Answer::FAILED) ok(function, handle);
  if (answer != Answer::NOT_DONE) return nullptr;
  return std::make_unique<Waiting>(std::make_shared<WaitOf<Handle, Function>>(handle, function),
                                   sizeof...(query) == 0);
}

}  // namespace cucore::bind
