// SPDX-License-Identifier: Apache-2.0
// The functions of the module: those of the C API, and the conversion of nested lists.
#pragma once

#include "module.hpp"

namespace cucore::bind::arrays {

extern PyMethodDef functions[];

// nested(context, object, dtype): an array with the numbers of nested lists; None if they contain
// other objects.
PyObject* nested(PyObject*, PyObject* const* arguments, Py_ssize_t count);

// buffer(context, object): an array with a copy of a buffer's elements; None if their format has no
// dtype.
PyObject* from_buffer(PyObject*, PyObject* const* arguments, Py_ssize_t count);

}  // namespace cucore::bind::arrays
