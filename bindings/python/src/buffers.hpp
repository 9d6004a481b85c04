// SPDX-License-Identifier: Apache-2.0
// Memory of objects for Python: the buffer protocol and DLPack.
#pragma once

#include <Python.h>

namespace cucore::bind {

int objectcode_get_buffer(PyObject* self, Py_buffer* view, int flags);
void objectcode_release_buffer(PyObject* self, Py_buffer* view);
int buffer_get_buffer(PyObject* self, Py_buffer* view, int flags);
void buffer_release_buffer(PyObject* self, Py_buffer* view);
Py_ssize_t buffer_length(PyObject* self);

// A "dltensor" capsule of a Buffer's bytes: _dlpack(buffer, device_type, device_id).
PyObject* export_dlpack(PyObject* module, PyObject* args);

// Returns (address, bytes, device_type, device_id, keeper) of an object's capsule, which is
// consumed.
PyObject* import_dlpack(PyObject* module, PyObject* capsule);

}  // namespace cucore::bind
