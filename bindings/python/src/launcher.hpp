// SPDX-License-Identifier: Apache-2.0
// Launching from Python: LaunchConfig, kernel[grid, block] and launch().
#pragma once

#include <Python.h>
#include <cucore.h>

#include "object.hpp"

namespace cucore::bind {

struct LaunchConfigObject {
  PyObject_HEAD cucore_launch_options options;
  PyObject* weak;
  struct LaunchMore* more;  // what the options point to; null if they point to nothing
};

extern PyTypeObject LaunchConfigType;
extern PyTypeObject LauncherType;

// kernel[grid, block], kernel[grid, block, stream], kernel[grid, block, stream, shared],
// kernel[config, stream]
PyObject* kernel_subscript(PyObject* kernel, PyObject* key);
PyObject* kernel_call(PyObject* kernel, PyObject* arguments, PyObject* keywords);  // a refusal

// launch(stream, config, kernel, *args)
PyObject* launch(PyObject* module, PyObject* const* args, Py_ssize_t count);

// The options of a LaunchConfig; null with a TypeError for anything else.
const cucore_launch_options* options_of(PyObject* config);

// Returns the handle of a Stream, or of an object with __cuda_stream__: then kept holds the Stream
// made of it.
cucore_stream* stream_of(PyObject* value, Object& kept);

bool read_extent(PyObject* value, const char* what, uint32_t out[3]);
extern PyObject* (*new_stream)(cucore_stream* stream);

}  // namespace cucore::bind
