// SPDX-License-Identifier: Apache-2.0
// Adds to SWIG's module what is written by hand.
#pragma once

#include <Python.h>

namespace cucore::bind {

bool add_to(PyObject* module);

}  // namespace cucore::bind
