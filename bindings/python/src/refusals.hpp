// SPDX-License-Identifier: Apache-2.0
// The messages of a launch about an argument that does not fit its parameter.
#pragma once

#include <Python.h>
#include <cucore.h>

#include <cstddef>

#include "kernel_parameters.hpp"

namespace cucore::bind {

// An argument and its parameter. Each function sets an exception and returns false.
struct Place {
  const cucore_kernel* kernel;
  size_t index;
  size_t count;
  Parameter parameter;

  bool refuse_type(PyObject* value) const;                // TypeError
  bool refuse_size(PyObject* value, size_t bytes) const;  // TypeError
  bool refuse_range(PyObject* value) const;               // OverflowError
  bool refuse_range(double value) const;
  bool refuse_closed() const;  // a Buffer: InvalidHandleError

  // Puts the argument's number before the message of a current TypeError or BufferError.
  bool explain() const;
};

bool refuse_count(const cucore_kernel* kernel, size_t wanted, size_t given);

// After a launch that failed with `status`, returns whether a Buffer among the arguments is the
// cause. It may belong to another device, or another thread may have closed it meanwhile. Then sets
// the exception.
bool refuse_buffer(cucore_status status, const cucore_kernel* kernel, const cucore_stream* stream,
                   PyObject* const* values, size_t count);

}  // namespace cucore::bind
