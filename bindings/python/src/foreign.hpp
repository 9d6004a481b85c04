// SPDX-License-Identifier: Apache-2.0
// Objects of other libraries: NumPy's scalars, ctypes, arrays on a device, streams.
#pragma once

#include <Python.h>
#include <cucore.h>

#include "object.hpp"

namespace cucore::bind {

enum class Found { NO, YES, ERROR };

struct ForeignMemory {
  uint64_t address = 0;
  Object keeper;
};

// Returns a class of a loaded module; null, without an exception, if it is not loaded.
PyTypeObject* find_class(const char* module, const char* name);

bool is_numpy_scalar(PyObject* value);
char numpy_kind(PyObject* value);  // of its dtype: b, i, u, f, c, V ...; 0 with an exception
bool is_ctypes(PyObject* value);
bool is_ctypes_scalar(PyObject* value);
bool is_ctypes_pointer(PyObject* value);  // a scalar of ctypes: an address, c_void_p or c_char_p
bool is_swapped(PyObject* value);         // a scalar of ctypes: not in this machine's byte order

// Finds the memory of an object with __cuda_array_interface__ or __dlpack__, ready for work in the
// stream.
Found find_foreign_memory(PyObject* value, const cucore_stream* stream, ForeignMemory& out);

}  // namespace cucore::bind
