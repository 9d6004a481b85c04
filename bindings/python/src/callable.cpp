// SPDX-License-Identifier: Apache-2.0
// Calls Python from inside a call that has released the interpreter's lock.
#include "callable.hpp"

#include <unistd.h>

#include "handles.hpp"

namespace cucore::bind {
namespace {

// As Unlocked::lock(): a thread that Python ends here must not unwind through the library.
PyGILState_STATE lock() {
  try {
    return PyGILState_Ensure();
  } catch (...) {
    for (;;) pause();
  }
}

}  // namespace

bool Callable::open(PyObject* callable) {
  if (!PyCallable_Check(callable)) {
    PyErr_Format(PyExc_TypeError, "a callable is needed, not %s", Py_TYPE(callable)->tp_name);
    return false;
  }
  callable_ = callable;
  return true;
}

cucore_objectcode* Callable::build() {
  const PyGILState_STATE state = lock();
  cucore_objectcode* code = call();
  if (!code) {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    type_ = Object(type);
    value_ = Object(value);
    traceback_ = Object(traceback);
  }
  PyGILState_Release(state);
  return code;
}

cucore_objectcode* Callable::call() {
  const Object made(PyObject_CallNoArgs(callable_));
  if (!made) return nullptr;
  return cucore_objectcode_retain(
      static_cast<cucore_objectcode*>(handle_of(made.get(), Type::ObjectCode)));
}

void Callable::rethrow() { PyErr_Restore(type_.release(), value_.release(), traceback_.release()); }

}  // namespace cucore::bind
