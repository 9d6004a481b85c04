// SPDX-License-Identifier: Apache-2.0
// The functions of the package that the module calls.
#pragma once

#include <Python.h>

namespace cucore::bind {

// Null until _register() has been called.
struct Registered {
  PyObject* make_error;          // status, message, log, origin, code, name, diagnostics -> Error
  PyObject* enums;               // a tuple in the order of EnumClass; see register_enums()
  PyObject* arguments;           // {class: function of its keywords}
  PyObject* foreign_memory;      // object, Stream -> (address, keeper) or None
  PyObject* foreign_stream;      // object with __cuda_stream__ -> Stream
  PyObject* reclaim;             // number of tries -> whether to try again
  PyObject* node;                // the class Node
  PyObject* warn_of_cpu_device;  // called once, if the CPU device is in use
};
inline Registered registered{};

}  // namespace cucore::bind
