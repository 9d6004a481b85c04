// SPDX-License-Identifier: Apache-2.0
// An owned reference to a Python object.
#pragma once

#include <Python.h>

#include <cstddef>
#include <utility>

namespace cucore::bind {

class Object {
 public:
  Object() = default;
  explicit Object(PyObject* owned) : object_(owned) {}
  Object(Object&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Object() { Py_XDECREF(object_); }
  static Object borrowed(PyObject* object) {
    Py_XINCREF(object);
    return Object(object);
  }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// The end of a counted noun.
inline const char* plural(size_t count) { return count == 1 ? "" : "s"; }

}  // namespace cucore::bind
