// SPDX-License-Identifier: Apache-2.0
// Common methods of all objects, and the constructor that takes its options as keywords.
#pragma once

#include <Python.h>
#include <cucore.h>

namespace cucore::bind {

void forget(PyObject* self);  // tp_dealloc
PyObject* repr(PyObject* self);
Py_hash_t hash(PyObject* self);
PyObject* compare(PyObject* self, PyObject* other, int operation);

using Constructor = int (*)(PyObject* self, PyObject* args, PyObject* kwargs);
extern Constructor new_device;
int device_init(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* event_subtract(PyObject* end, PyObject* start);
void begin_with_signatures(PyObject* module);
int init_by_keywords(const char* type, Constructor constructor, PyObject* self, PyObject* args,
                     PyObject* kwargs);

bool add_common_methods();

// Ends the creation of an object by SWIG, unless it was made by its constructor.
PyObject* complete(PyObject* made, bool by_constructor);

}  // namespace cucore::bind
