// SPDX-License-Identifier: Apache-2.0
// Python's exceptions for failed calls.
#pragma once

#include <Python.h>

#include <exception>

#include "failure.hpp"

namespace cucore::bind {

// Sets the exception of the failure's status. The interpreter's lock must be held.
void raise(const Failure& failure);

// For an allocation: returns whether to try again, after a collection of dropped buffers; sets the
// exception otherwise. `tries` counts the repetitions so far.
bool reclaim_or_raise(const Failure& failure, int tries);

// Sets the exception of a defect of this library.
void raise(const std::exception& unexpected);

// Sets the exception of a status with a message of the binding.
void raise(cucore_status status, const char* format, ...);

}  // namespace cucore::bind
