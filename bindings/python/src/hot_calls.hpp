// SPDX-License-Identifier: Apache-2.0
// Frequent calls in their most common form, which need no tuple of arguments. Every other form goes
// to the general function. The forms are Event(device), Buffer(device, length, stream),
// event.record(stream), event.query(), stream.record(event), prepared.run(), code.serialize(),
// graph.kernel(kernel, config, *arguments, after=node) and executable.update(graph).
#pragma once

#include <Python.h>

namespace cucore::bind {

// SWIG's names of the types.
extern void* event_type;
extern void* buffer_type;

// Returns what replaces a method, as a new reference: a faster one that calls it in other forms, or
// the method itself. Null with an exception.
PyObject* quicken(PyTypeObject* type, const char* name, PyObject* method);

// Adds the constructors, and replaces the methods that are written in C.
bool add_hot_calls();

}  // namespace cucore::bind
