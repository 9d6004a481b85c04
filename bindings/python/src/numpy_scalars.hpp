// SPDX-License-Identifier: Apache-2.0
// The numbers of NumPy, recognised by their type objects and read from their memory. This library
// neither imports NumPy nor uses its headers.
#pragma once

#include <Python.h>

#include <cstdint>
#include <cstring>

namespace cucore::bind {

struct NumpyScalar {
  PyTypeObject* type;
  char kind;     // of its dtype: b, i, u, f, c
  uint8_t size;  // in bytes
};

// Returns null for an object of a type that learn_numpy_scalar() has not seen.
const NumpyScalar* find_numpy_scalar(PyObject* value);

// Learns the type of a number of NumPy, after a comparison of its memory with its buffer. Returns
// null, without an exception, for any other object.
const NumpyScalar* learn_numpy_scalar(PyObject* value);

// The bytes of such a number: they follow the header of the object.
inline const void* bytes_of(PyObject* value) { return value + 1; }

template <class Number>
Number read_number(PyObject* value) {
  Number number;
  std::memcpy(&number, bytes_of(value), sizeof number);
  return number;
}

inline int64_t read_signed(PyObject* value, size_t size) {
  return size == 4   ? read_number<int32_t>(value)
         : size == 8 ? read_number<int64_t>(value)
         : size == 2 ? read_number<int16_t>(value)
                     : read_number<int8_t>(value);
}

inline uint64_t read_unsigned(PyObject* value, size_t size) {
  return size == 4   ? read_number<uint32_t>(value)
         : size == 8 ? read_number<uint64_t>(value)
         : size == 2 ? read_number<uint16_t>(value)
                     : read_number<uint8_t>(value);
}

template <class Part>
Py_complex read_complex(PyObject* value) {
  Part parts[2];
  std::memcpy(parts, bytes_of(value), sizeof parts);
  return {static_cast<double>(parts[0]), static_cast<double>(parts[1])};
}

}  // namespace cucore::bind
