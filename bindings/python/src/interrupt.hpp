// Waiting for a device on Python's main thread, where Ctrl-C has to be seen: signals are looked for
// while a thread of our own waits in the library. What ends at once costs one question.
#pragma once

#include <cucore.h>

#include <memory>

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
// Waits in another thread; throws Failure or Interrupted.
void wait_and_look(std::shared_ptr<const Wait> wait);

template <class Handle, class Function>
class WaitOf final : public Wait {
 public:
  WaitOf(Handle* handle, Function* function) : handle_(handle), function_(function) {}
  cucore_status run(cucore_error** error) const override { return function_(handle_, error); }

 private:
  Held<Handle> handle_;
  Function* function_;
};

// Of most waits the work is about to end: that is not worth another thread.
template <class Handle, class Query>
bool ends_soon(Handle* handle, Query* query) {
  for (int i = 0; i < 100; ++i)
    if (made<int32_t>(query, handle)) return true;
  return false;
}

template <class Handle, class Function, class... Query>
void wait_for(Handle* handle, Function* function, Query*... query) {
  const Held<Handle> kept(handle);
  if (!on_main_thread()) return ok(function, handle);
  if ((ends_soon(handle, query) || ...)) return;
  wait_and_look(std::make_shared<WaitOf<Handle, Function>>(handle, function));
}

}  // namespace cucore::bind
