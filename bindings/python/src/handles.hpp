// SPDX-License-Identifier: Apache-2.0
// The handles inside SWIG's -builtin objects, without SWIG's headers.
#pragma once

#include <Python.h>

#include <cstddef>
#include <vector>

#include "handle_types.hpp"  // generated

namespace cucore::bind {

// The beginning of such an object (SwigPyObject); module.i compares it with SWIG's.
struct Handle {
  PyObject_HEAD void* pointer;  // null once it is closed
  void* type;
  int own;  // once it is closed: its former hash
  PyObject* next;
  PyObject* dict;
  PyObject* weak;              // the weak references; SWIG's object ends before it
  size_t calls;                // that use the pointer without the interpreter's lock
  std::vector<void*>* closed;  // pointers that were closed during these calls; usually null
  vectorcallfunc call;         // of an executable graph; else null
};

enum class Type {
#define CUCORE_TYPE(Class, type, name) Class,
  CUCORE_HANDLES(CUCORE_TYPE)
#undef CUCORE_TYPE
      COUNT
};

extern PyTypeObject* types[static_cast<int>(Type::COUNT)];

inline PyTypeObject* type_of(Type type) { return types[static_cast<int>(type)]; }

inline bool is(PyObject* object, Type type) {
  return Py_TYPE(object) == type_of(type) || PyType_IsSubtype(Py_TYPE(object), type_of(type));
}

// Returns null, with the exception set, for a closed object or one of another type.
void* refuse_handle(PyObject* object, Type type);

inline void* handle_of(PyObject* object, Type type) {
  if (is(object, type)) [[likely]]
    if (void* pointer = reinterpret_cast<Handle*>(object)->pointer) [[likely]]
      return pointer;
  return refuse_handle(object, type);
}

// Sets no exception: returns null for a closed object.
template <class Pointer>
Pointer* pointer_of(PyObject* object) {
  return static_cast<Pointer*>(reinterpret_cast<Handle*>(object)->pointer);
}

}  // namespace cucore::bind
