// SPDX-License-Identifier: Apache-2.0
// Keeps the native object of a Python object during a call without the interpreter's lock. Another
// thread may close the object meanwhile; then the last call releases what it had. A count under the
// lock costs less than a reference of the library.
#pragma once

#include <Python.h>

#include "handles.hpp"

namespace cucore::bind {

// Releases the native objects that were closed during calls.
void release_closed(PyObject* object);

// The caller has a reference to the object, and the interpreter's lock in the constructor and in
// the destructor.
class InCall {
 public:
  explicit InCall(PyObject* object) : object_(object) { ++handle()->calls; }
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;
  ~InCall() {
    if (--handle()->calls == 0 && handle()->closed) [[unlikely]]
      release_closed(object_);
  }

 private:
  Handle* handle() const { return reinterpret_cast<Handle*>(object_); }

  PyObject* const object_;
};

}  // namespace cucore::bind
