// SPDX-License-Identifier: Apache-2.0
// The main thread handles signals while another thread waits.
#include "interrupt.hpp"

#include <Python.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cucore::bind {
namespace {

constexpr std::chrono::milliseconds BETWEEN_LOOKS{20};

// Runs the handlers of the program; returns true if one raised.
bool handle_signals() {
  const PyGILState_STATE state = PyGILState_Ensure();
  const bool raised = PyErr_CheckSignals() != 0;
  PyGILState_Release(state);
  return raised;
}

}  // namespace

bool on_main_thread() {
  thread_local const bool is_main = syscall(SYS_gettid) == getpid();
  return is_main;
}

void wait_and_look(const Waiting& waiting) {
  while (!waiting.wait(BETWEEN_LOOKS))
    if (handle_signals()) throw Interrupted{};
  waiting.require_success();
}

}  // namespace cucore::bind
