// SPDX-License-Identifier: Apache-2.0
#include "numpy_scalars.hpp"

#include <array>
#include <string_view>

#include "foreign.hpp"

namespace cucore::bind {
namespace {

// NumPy has 17 of these types.
std::array<NumpyScalar, 24> known{};
size_t count = 0;

constexpr std::string_view PREFIX = "numpy.";

// Returns whether the type is one of NumPy itself. A class that is derived from one may be deleted,
// and another may get its address.
bool is_of_numpy(PyTypeObject* type) {
  const std::string_view name = type->tp_name;
  return name.starts_with(PREFIX) && find_class("numpy", type->tp_name + PREFIX.size()) == type;
}

bool is_number(char kind, Py_ssize_t size) {
  switch (kind) {
    case 'b':
      return size == 1;
    case 'i':
    case 'u':
      return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f':
      return size == 2 || size == 4 || size == 8;
    case 'c':
      return size == 8 || size == 16;
    default:
      return false;
  }
}

// Returns the size of the number if its buffer lies behind its header; else 0.
Py_ssize_t size_behind_header(PyObject* value) {
  Py_buffer view;
  if (PyObject_GetBuffer(value, &view, PyBUF_SIMPLE) != 0) {
    PyErr_Clear();
    return 0;
  }
  const Py_ssize_t size = view.buf == bytes_of(value) ? view.len : 0;
  PyBuffer_Release(&view);
  return size;
}

}  // namespace

const NumpyScalar* learn_numpy_scalar(PyObject* value) {
  if (count == known.size() || !is_numpy_scalar(value)) return nullptr;
  const char kind = numpy_kind(value);
  PyErr_Clear();
  const Py_ssize_t size = size_behind_header(value);
  if (!is_number(kind, size) || !is_of_numpy(Py_TYPE(value))) return nullptr;
  known[count] = {Py_TYPE(value), kind, static_cast<uint8_t>(size)};
  return &known[count++];
}

const NumpyScalar* find_numpy_scalar(PyObject* value) {
  for (size_t i = 0; i < count; ++i)
    if (known[i].type == Py_TYPE(value)) return &known[i];
  return nullptr;
}

}  // namespace cucore::bind
