// SPDX-License-Identifier: Apache-2.0
// Common parts of the module _array: its types, and the Python functions that it calls.
#pragma once

#include <Python.h>
#include <cucore_array.h>

#include <cstddef>
#include <utility>

namespace cucore::bind::arrays {

struct ArrayObject {
  PyObject_HEAD cucore_array* handle;  // null once its scope has ended
  PyObject* weak;                      // the weak references
  size_t uses;                         // calls that use the handle without the interpreter's lock
  cucore_array* released;              // the handle, if its scope ended during these calls
};

struct ContextObject {
  PyObject_HEAD cucore_array_context* handle;
  PyObject* weak;
};

// Null until the module is imported; kept forever, as the module is.
struct Module {
  PyTypeObject* array_type;
  PyTypeObject* context_type;
  PyTypeObject* operation_type;
  PyObject* dtypes;          // a tuple by number
  PyObject* convert;         // object -> Array
  PyObject* find_dtype;      // object -> dtype; raises TypeError
  PyObject* make_signature;  // names of the operands, outputs -> inspect.Signature
  PyObject* scope;           // a context variable: a list of the arrays to release, or None
  int open_scopes;           // no scope is looked up while it is 0
};
inline Module module{};

inline bool is_array(PyObject* object) { return Py_TYPE(object) == module.array_type; }

// Returns null, with the exception set, for another object or a released array.
const cucore_array* refuse_array(PyObject* object);

inline cucore_array* array_of(PyObject* object) {
  if (is_array(object)) [[likely]]
    if (auto* handle = reinterpret_cast<ArrayObject*>(object)->handle) [[likely]]
      return handle;
  return const_cast<cucore_array*>(refuse_array(object));
}

// Without the interpreter's lock: the last array of a context waits for its stream.
void release_array(cucore_array* handle);

// An array that a call uses. Its handle lives until the use ends, also if another thread ends the
// scope of the array meanwhile.
class Use {
 public:
  Use() = default;
  // Holds null, with the exception set, for another object or a released array.
  explicit Use(PyObject* object) : handle_(array_of(object)) {
    if (!handle_) return;
    object_ = reinterpret_cast<ArrayObject*>(object);
    Py_INCREF(object);
    ++object_->uses;
  }
  Use(Use&& other) noexcept
      : handle_(other.handle_), object_(std::exchange(other.object_, nullptr)) {}
  Use& operator=(Use&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Use() {
    if (!object_) return;
    if (--object_->uses == 0 && object_->released) [[unlikely]]
      release_array(std::exchange(object_->released, nullptr));
    Py_DECREF(reinterpret_cast<PyObject*>(object_));
  }

  cucore_array* get() const { return handle_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  cucore_array* handle_ = nullptr;
  ArrayObject* object_ = nullptr;
};

// Takes the handle over, also on failure.
PyObject* wrap(cucore_array* handle);

// 0 is the default; returns -1, with the exception set, for another object.
int dtype_number(PyObject* object);

}  // namespace cucore::bind::arrays
