// SPDX-License-Identifier: Apache-2.0
// Creates Python's exceptions; the classes themselves are in _errors.py.
#include "errors.hpp"

#include <cstdarg>

#include "object.hpp"
#include "registered.hpp"

namespace cucore::bind {
namespace {

PyObject* text(const char* words) {
  return PyUnicode_DecodeUTF8(words, static_cast<Py_ssize_t>(std::char_traits<char>::length(words)),
                              "replace");
}

PyObject* diagnostics(const Failure& failure) {
  const size_t count = failure.diagnostic_count();
  PyObject* all = PyTuple_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; all && i < count; ++i) {
    const cucore_diagnostic_info info = failure.diagnostic(i);
    PyObject* one = Py_BuildValue("iNiiN", static_cast<int>(info.severity), text(info.file),
                                  info.line, info.column, text(info.text));
    if (one)
      PyTuple_SET_ITEM(all, static_cast<Py_ssize_t>(i), one);
    else
      Py_CLEAR(all);
  }
  return all;
}

void set(PyObject* error) {
  if (!error) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error)), error);
  Py_DECREF(error);
}

}  // namespace

void raise(const Failure& failure) {
  if (!registered.make_error) {
    PyErr_SetString(PyExc_RuntimeError, failure.message());
    return;
  }
  set(PyObject_CallFunction(registered.make_error, "iNNNiNN", static_cast<int>(failure.status()),
                            text(failure.message()), text(failure.log()), text(failure.origin()),
                            failure.native_code(), text(failure.native_name()),
                            diagnostics(failure)));
}

bool reclaim_or_raise(const Failure& failure, int tries) {
  if (registered.reclaim && failure.status() == CUCORE_ERROR_OUT_OF_DEVICE_MEMORY) {
    const Object again(PyObject_CallFunction(registered.reclaim, "i", tries));
    if (!again) return false;  // a signal handler raised
    if (again.get() == Py_True) return true;
  }
  raise(failure);
  return false;
}

void raise(cucore_status status, cucore_error* error) {
  guarded([&] { return raise(Failure(status, error)), true; });
}

void raise(const std::exception& unexpected) {
  raise(CUCORE_ERROR_INTERNAL, "%s", unexpected.what());
}

void raise(cucore_status status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyObject* message = PyUnicode_FromFormatV(format, arguments);
  va_end(arguments);
  if (!message) return;
  set(PyObject_CallFunction(registered.make_error, "iNssis()", static_cast<int>(status), message,
                            "", "cucore", 0, ""));
}

}  // namespace cucore::bind
