// What all objects have in common, and the constructor that takes its options as keywords.
#pragma once

#include <Python.h>
#include <cucore.h>

namespace cucore::bind {

PyObject* repr(PyObject* self);
Py_hash_t hash(PyObject* self);
PyObject* compare(PyObject* self, PyObject* other, int operation);

// Program's tp_init: a function in Python turns the keywords into SWIG's arguments.
int program_init(PyObject* self, PyObject* args, PyObject* kwargs);
extern int (*new_program)(PyObject* self, PyObject* args, PyObject* kwargs);
void register_program_arguments(PyObject* function);

bool add_common_methods();

}  // namespace cucore::bind
