// SPDX-License-Identifier: Apache-2.0
#include "operands.hpp"

#include <cmath>

namespace cucore::bind::arrays {
namespace {

Conversion integer(PyObject* object, cucore_array_scalar& out) {
  int overflow = 0;
  out.kind = CUCORE_ARRAY_SCALAR_INT;
  out.integer = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (!overflow)
    return out.integer == -1 && PyErr_Occurred() ? Conversion::FAILED : Conversion::DONE;
  if (overflow > 0) {
    const unsigned long long bits = PyLong_AsUnsignedLongLong(object);
    if (!PyErr_Occurred()) {
      out.kind = CUCORE_ARRAY_SCALAR_UINT;
      out.integer = static_cast<int64_t>(bits);
      return Conversion::DONE;
    }
    PyErr_Clear();
  }
  out.kind = CUCORE_ARRAY_SCALAR_REAL;
  out.real = PyLong_AsDouble(object);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    out.real = overflow > 0 ? HUGE_VAL : -HUGE_VAL;
  }
  return Conversion::DONE;
}

// Returns whether an object other than a number contains elements: a list, a buffer, or an array of
// another library.
bool has_elements(PyObject* object) {
  if (PyList_Check(object) || PyTuple_Check(object)) return true;
  return !PyType_Check(object) &&
         (PyObject_CheckBuffer(object) || PyObject_HasAttrString(object, "__dlpack__"));
}

}  // namespace

Conversion to_scalar(PyObject* object, cucore_array_scalar& out) {
  if (PyFloat_CheckExact(object)) {
    out.kind = CUCORE_ARRAY_SCALAR_REAL;
    out.real = PyFloat_AS_DOUBLE(object);
    return Conversion::DONE;
  }
  if (PyBool_Check(object)) {
    out.kind = CUCORE_ARRAY_SCALAR_BOOL;
    out.integer = object == Py_True;
    return Conversion::DONE;
  }
  if (PyLong_Check(object)) return integer(object, out);
  if (PyComplex_CheckExact(object)) {
    out.kind = CUCORE_ARRAY_SCALAR_COMPLEX;
    out.real = PyComplex_RealAsDouble(object);
    out.imag = PyComplex_ImagAsDouble(object);
    return Conversion::DONE;
  }
  return Conversion::FOREIGN;
}

bool Operand::take_array(PyObject* object) {
  used = Use(object);
  value = {used.get(), {}};
  return static_cast<bool>(used);
}

Conversion Operand::take(PyObject* object) {
  if (is_array(object)) return take_array(object) ? Conversion::DONE : Conversion::FAILED;
  const Conversion done = to_scalar(object, value.scalar);
  if (done != Conversion::FOREIGN || !has_elements(object)) return done;
  const Object made(PyObject_CallOneArg(module.convert, object));
  return made && take_array(made.get()) ? Conversion::DONE : Conversion::FAILED;
}

void extend_range(cucore_array_scalar& number, const cucore_array* array) {
  const int dtype = cucore_array_dtype_of(array);
  const bool is_signed = dtype >= CUCORE_ARRAY_DTYPE_INT8 && dtype <= CUCORE_ARRAY_DTYPE_INT64;
  const bool is_unsigned = dtype >= CUCORE_ARRAY_DTYPE_UINT8 && dtype <= CUCORE_ARRAY_DTYPE_UINT64;
  const bool is_large = number.kind == CUCORE_ARRAY_SCALAR_UINT;
  if ((number.kind != CUCORE_ARRAY_SCALAR_INT && !is_large) || !(is_signed || is_unsigned)) return;
  const size_t bits =
      8 * cucore_array_dtype_size(static_cast<cucore_array_dtype>(dtype)) - is_signed;
  const bool is_above =
      bits < 64 && (is_large || (number.integer > 0 && number.integer >> bits != 0));
  const bool is_below = !is_large && number.integer < 0 &&
                        (is_unsigned || (bits < 63 && number.integer < -(int64_t{1} << bits)));
  if (!is_above && !is_below) return;
  number.kind = CUCORE_ARRAY_SCALAR_REAL;
  number.real = is_above ? HUGE_VAL : -HUGE_VAL;
}

void refuse_numbers(PyObject* const* operands, size_t count) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const Object status(value ? PyObject_GetAttrString(value, "status") : nullptr);
  const long number = status ? PyLong_AsLong(status.get()) : 0;
  PyErr_Clear();
  for (size_t i = 0; number == CUCORE_ERROR_INVALID_ARGUMENT && i < count; ++i) {
    if (!PyLong_CheckExact(operands[i])) continue;
    const Object overflow(
        PyObject_GetAttrString(reinterpret_cast<PyObject*>(module.array_type), "_overflow"));
    const Object made(overflow ? PyObject_CallOneArg(overflow.get(), value) : nullptr);
    if (!made) break;
    Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(trace);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.get())), made.get());
    return;
  }
  PyErr_Restore(type, value, trace);
}

}  // namespace cucore::bind::arrays
