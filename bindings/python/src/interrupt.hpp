// SPDX-License-Identifier: Apache-2.0
// Waits for a device on Python's main thread, where Ctrl-C must work: signals are handled between
// the slices of a wait.
#pragma once

#include "waiting.hpp"

namespace cucore::bind {

// An exception of a signal handler is set in Python.
struct Interrupted {};

bool on_main_thread();
// Waits without the interpreter's lock; throws Failure or Interrupted.
void wait_and_look(const Waiting& waiting);

template <class Handle, class Function, class... Query>
void wait_for(Handle* handle, Function* function, Query*... query) {
  const Held<Handle> kept(handle);
  if (!on_main_thread()) return ok(function, handle);
  if (const auto waiting = begin_wait(handle, function, query...)) wait_and_look(*waiting);
}

}  // namespace cucore::bind
