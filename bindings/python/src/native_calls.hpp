// SPDX-License-Identifier: Apache-2.0
// Handles of objects, objects of handles, and the arguments of launches in memory. Packages of
// further libraries call C functions by ctypes with them.
#pragma once

#include <Python.h>

namespace cucore::bind {

// _address(object, type): the handle, as a number.
PyObject* address_of(PyObject* module, PyObject* const* args, Py_ssize_t count);
// _stream_at(address), _kernel_at(address): an object with a reference of its own.
PyObject* stream_at(PyObject* module, PyObject* address);
PyObject* kernel_at(PyObject* module, PyObject* address);
// _raise(status, error): raises the exception of a failed call, and releases its error.
PyObject* raise_error(PyObject* module, PyObject* const* args, Py_ssize_t count);
// _with_arguments(function, config, kernel, stream, *args): converts the arguments of a launch and
// returns function(options, arguments, count). The addresses are valid until it returns. In the
// place of a stream a tuple of (size, class) describes the parameters; None is then a buffer of the
// callee.
PyObject* with_arguments(PyObject* module, PyObject* const* args, Py_ssize_t count);

}  // namespace cucore::bind
