// SPDX-License-Identifier: Apache-2.0
// Prepared launches from Python: their arguments are converted as those of a launch.
#pragma once

#include <Python.h>
#include <cucore.h>

namespace cucore::bind {

// _prepare(stream, config, kernel, *args): a new PreparedLaunch
PyObject* prepare(PyObject* module, PyObject* const* args, Py_ssize_t count);

// _update(prepared, index, value)
PyObject* update_prepared(PyObject* module, PyObject* const* args, Py_ssize_t count);

// Each takes over the reference, also if it fails.
extern PyObject* (*new_prepared_launch)(cucore_prepared_launch* prepared);
extern PyObject* (*new_kernel)(cucore_kernel* kernel);

}  // namespace cucore::bind
