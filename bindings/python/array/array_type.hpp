// SPDX-License-Identifier: Apache-2.0
// The type Array. Its methods beyond the slots are added by the package.
#pragma once

#include <vector>

#include "module.hpp"
#include "object.hpp"

namespace cucore::bind::arrays {

// The one element as a Python number.
PyObject* item(PyObject* self);

const std::vector<PyType_Slot>& number_slots();

PyObject* select(PyObject* self, PyObject* key);
int assign(PyObject* self, PyObject* key, PyObject* value);

// Return null, with the exception set, on failure.
PyTypeObject* make_array_type();
PyTypeObject* make_context_type();
PyTypeObject* make_operation_type();

}  // namespace cucore::bind::arrays
