// SPDX-License-Identifier: Apache-2.0
// Element-wise operations on Python's objects.
#pragma once

#include "module.hpp"

namespace cucore::bind::arrays {

struct Settings {
  int dtype = 0;
  Use out, where;
};

constexpr size_t MAX_OPERANDS = 8;
constexpr size_t MAX_RESULTS = 2;

// Returns an array, a tuple of `results` arrays, or NotImplemented if an operand is foreign.
PyObject* apply(int op, PyObject* const* operands, size_t count, size_t results = 1,
                const Settings& settings = {});

// x op= value; returns x, or NotImplemented.
PyObject* apply_in_place(int op, PyObject* x, PyObject* value);

}  // namespace cucore::bind::arrays
