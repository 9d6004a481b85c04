// Waiting for a device on Python's main thread, where Ctrl-C has to be seen: signals are looked for
// while a thread of our own waits in the library. What ends at once costs one question.
#pragma once

#include <cucore.h>

#include <chrono>
#include <memory>
#include <thread>

#include "failure.hpp"
#include "held.hpp"

namespace cucore::bind {

// Python's exception of a handler of signals is set.
struct Interrupted {};

// A wait of the library, with all that it needs: it may outlast the call.
class Wait {
 public:
  virtual ~Wait() = default;
  // Without the interpreter's lock.
  virtual cucore_status run(cucore_error** error) const = 0;
};

bool on_main_thread();
// Waits in another thread; throws Failure or Interrupted. With at_once that one's end is looked for
// without sleeping at first.
void wait_and_look(const std::shared_ptr<const Wait>& wait, bool at_once);

template <class Handle, class Function>
class WaitOf final : public Wait {
 public:
  WaitOf(Handle* handle, Function* function) : handle_(handle), function_(function) {}
  cucore_status run(cucore_error** error) const override { return function_(handle_, error); }

 private:
  Held<Handle> handle_;
  Function* function_;
};

// How long to ask before another thread is worth its cost. A GPU's driver asks all the time, too,
// and waking a thread is slow beside that; the CPU device needs the core.
std::chrono::nanoseconds time_to_ask(const cucore_stream*);
std::chrono::nanoseconds time_to_ask(const cucore_event*);  // it may be one that sleeps

template <class Handle, class Query>
bool ends_soon(Handle* handle, Query* query) {
  if (made<int32_t>(query, handle)) return true;
  const auto end = std::chrono::steady_clock::now() + time_to_ask(handle);
  do {
    std::this_thread::yield();
    if (made<int32_t>(query, handle)) return true;
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

template <class Handle, class Function, class... Query>
void wait_for(Handle* handle, Function* function, Query*... query) {
  const Held<Handle> kept(handle);
  if (!on_main_thread()) return ok(function, handle);
  if ((ends_soon(handle, query) || ...)) return;
  wait_and_look(std::make_shared<WaitOf<Handle, Function>>(handle, function),
                sizeof...(query) == 0);
}

}  // namespace cucore::bind
