// SPDX-License-Identifier: Apache-2.0
// Converts Python's objects to operands: arrays, and numbers without a type of their own.
#pragma once

#include <array>

#include "module.hpp"
#include "object.hpp"

namespace cucore::bind::arrays {

enum class Conversion { DONE, FOREIGN, FAILED };

// A number of Python; FOREIGN for another object. An integer beyond 64 bits becomes a real number,
// and infinite if that has no room for it.
Conversion to_scalar(PyObject* object, cucore_array_scalar& out);

// An operand and the array that it uses.
struct Operand {
  cucore_array_operand value{};
  Use used;

  // Takes an array; returns false, with the exception set, for another object.
  bool take_array(PyObject* object);

  // An object that is neither an array nor a number is converted if it contains elements; FOREIGN
  // for others.
  Conversion take(PyObject* object);
};

// For comparisons: an integer of Python beyond the type of the array becomes infinite, which has
// the same result.
void extend_range(cucore_array_scalar& number, const cucore_array* array);

// Raises the exception of a failed operation. It is an OverflowError if an integer of Python does
// not fit the type of the arrays.
void refuse_numbers(PyObject* const* operands, size_t count);

}  // namespace cucore::bind::arrays
