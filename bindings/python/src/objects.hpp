// What all objects have in common, and the constructor that takes its options as keywords.
#pragma once

#include <Python.h>
#include <cucore.h>

namespace cucore::bind {

void forget(PyObject* self);  // tp_dealloc
PyObject* repr(PyObject* self);
Py_hash_t hash(PyObject* self);
PyObject* compare(PyObject* self, PyObject* other, int operation);

// The tp_init of classes whose options are keywords.
int program_init(PyObject* self, PyObject* args, PyObject* kwargs);
int linker_init(PyObject* self, PyObject* args, PyObject* kwargs);
int cache_init(PyObject* self, PyObject* args, PyObject* kwargs);

// Event(device) is made often: it takes a short way, every other form SWIG's.
int event_init(PyObject* self, PyObject* args, PyObject* kwargs);

using Constructor = int (*)(PyObject* self, PyObject* args, PyObject* kwargs);
extern Constructor new_event;
extern void* event_type;  // what SWIG calls it
extern Constructor new_program;
extern Constructor new_linker;
extern Constructor new_cache;
void register_arguments(PyObject* program, PyObject* linker, PyObject* cache);

bool add_common_methods();

}  // namespace cucore::bind
