// SPDX-License-Identifier: Apache-2.0
// Releases the interpreter's lock during a call.
#pragma once

#include <Python.h>
#include <unistd.h>

namespace cucore::bind {

// Between the constructor and lock(), Python objects must not be used. The class has no destructor:
// its user must take the lock again on every path.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  // While the interpreter ends, Python (before 3.14) ends a daemon thread that asks for the lock,
  // by unwinding its stack. That must not pass destructors, which touch Python's objects without
  // the lock: such a thread sleeps here until the process is gone.
  void lock() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      for (;;) pause();
    }
  }

 private:
  PyThreadState* state_;
};

}  // namespace cucore::bind
