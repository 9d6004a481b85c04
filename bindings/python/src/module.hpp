// SPDX-License-Identifier: Apache-2.0
// Adds the hand-written parts to SWIG's module.
#pragma once

#include <Python.h>

namespace cucore::bind {

bool add_to(PyObject* module);

}  // namespace cucore::bind
