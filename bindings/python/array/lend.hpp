// SPDX-License-Identifier: Apache-2.0
// Arrays as arguments of launches.
#pragma once

#include "module.hpp"

namespace cucore::bind::arrays {

// lend(array, stream): (address, keeper). The keeper lives until the kernel is launched. The stream
// waits for the array, and later work on the array waits for what is in the stream by then.
PyObject* lend(PyObject*, PyObject* const* arguments, Py_ssize_t count);

}  // namespace cucore::bind::arrays
