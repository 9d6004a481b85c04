// SPDX-License-Identifier: Apache-2.0
// Python's exceptions for failed calls.
#pragma once

#include <Python.h>

#include <exception>
#include <new>

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

// A function in the form that Python calls: it sets the exception of what is thrown, and then
// returns 0. FUNCTION must throw with the interpreter's lock. Its values stay in registers, unlike
// those that a body refers to.
template <auto FUNCTION, class... Values>
auto guarded_call(Values... values) -> decltype(FUNCTION(values...)) {
  try {
    return FUNCTION(values...);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& unexpected) {
    raise(unexpected);
  }
  return {};
}

// The same for a body.
template <class Body>
auto run_body(const Body* body) {
  return (*body)();
}
template <class Body>
auto guarded(const Body& body) {
  return guarded_call<run_body<Body>>(&body);
}

// Sets the exception of a failed call, and takes the error.
void raise(cucore_status status, cucore_error* error);

}  // namespace cucore::bind
