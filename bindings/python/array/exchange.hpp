// SPDX-License-Identifier: Apache-2.0
// Functions that share memory with other libraries.
#pragma once

#include "module.hpp"

namespace cucore::bind::arrays {

// to_dlpack(array, consumer, versioned, copy): a capsule.
PyObject* to_dlpack(PyObject*, PyObject* const* arguments, Py_ssize_t count);

// from_dlpack(context, capsule, copy): an array, which takes the tensor over.
PyObject* from_dlpack(PyObject*, PyObject* const* arguments, Py_ssize_t count);

// address(array): that of the first element, which does not change any more.
PyObject* address(PyObject*, PyObject* object);

}  // namespace cucore::bind::arrays
