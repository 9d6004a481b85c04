// SPDX-License-Identifier: Apache-2.0
// The parameters of a kernel: the size and the class of each, read once per kernel and device.
#pragma once

#include <Python.h>
#include <cucore.h>

#include <cstddef>
#include <vector>

#include "parameters.hpp"

namespace cucore::bind {

struct Parameter {
  static constexpr size_t ANY_SIZE = 0;  // neither the code nor the driver records it
  size_t size = ANY_SIZE;
  cucore_parameter_class kind = CUCORE_PARAMETER_CLASS_UNKNOWN;
};

struct Parameters {
  int device = 0;
  bool are_known = false;
  std::vector<Parameter> all;
};

// Returns the parameters of a Kernel on the device of a stream. They live as long as the object.
// The interpreter's lock is released while the library reads them.
const Parameters& parameters_of(PyObject* kernel, const cucore_stream* stream);

// (offset, size, class) of each.
PyObject* tuple_of(const ParameterInfos& infos);

}  // namespace cucore::bind
