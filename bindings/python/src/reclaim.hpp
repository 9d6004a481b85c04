// SPDX-License-Identifier: Apache-2.0
// Allocations that find no device memory: forgotten buffers are collected, then tried again.
#pragma once

#include <Python.h>

#include "failure.hpp"

namespace cucore::bind {

// Whether the allocation is to be tried again, after `tries` repetitions. Else the exception is
// set.
bool reclaim_or_raise(const Failure& failure, int tries);

// Takes the function of _memory.py: tries -> bool.
void register_reclaim(PyObject* function);

}  // namespace cucore::bind
