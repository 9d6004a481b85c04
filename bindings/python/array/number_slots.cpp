// SPDX-License-Identifier: Apache-2.0
// The operators of arrays.
#include "array_type.hpp"
#include "call.hpp"
#include "operands.hpp"
#include "operations.hpp"

namespace cucore::bind::arrays {
namespace {

template <int OP>
PyObject* binary(PyObject* x, PyObject* y) {
  PyObject* operands[] = {x, y};
  return apply(OP, operands, 2);
}

template <int OP>
PyObject* in_place(PyObject* x, PyObject* y) {
  return apply_in_place(OP, x, y);
}

template <int OP>
PyObject* unary(PyObject* x) {
  const Use array(x);
  cucore_array* made = nullptr;
  return array && call(cucore_array_unary, OP, array.get(), &made) ? wrap(made) : nullptr;
}

PyObject* divmod(PyObject* x, PyObject* y) {
  PyObject* operands[] = {x, y};
  return apply(CUCORE_ARRAY_OP_DIVMOD, operands, 2, 2);
}

// Writes the elements of another array into x, and returns x.
PyObject* assigned(PyObject* x, PyObject* values) {
  const Use array(x);
  Operand value;
  if (!array || !value.take_array(values) || !call(cucore_array_assign, array.get(), &value.value))
    return nullptr;
  Py_INCREF(x);
  return x;
}

// The exponent 0.5 of NumPy's operator. A square root differs from the power at -0 and -infinity.
bool is_square_root(PyObject* x, PyObject* y) {
  if (!PyFloat_CheckExact(y) || PyFloat_AS_DOUBLE(y) != 0.5 || !is_array(x)) return false;
  const cucore_array* array = array_of(x);
  return array && cucore_array_dtype_of(array) >= CUCORE_ARRAY_DTYPE_FLOAT16;
}

PyObject* power(PyObject* x, PyObject* y, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  if (is_square_root(x, y)) return unary<CUCORE_ARRAY_OP_SQRT>(x);
  return PyErr_Occurred() ? nullptr : binary<CUCORE_ARRAY_OP_POWER>(x, y);
}

PyObject* power_in_place(PyObject* x, PyObject* y, PyObject*) {
  if (!is_square_root(x, y))
    return PyErr_Occurred() ? nullptr : apply_in_place(CUCORE_ARRAY_OP_POWER, x, y);
  const Object root(unary<CUCORE_ARRAY_OP_SQRT>(x));
  return root ? assigned(x, root.get()) : nullptr;
}

// Another operand than an array is converted, if it contains elements.
PyObject* matmul(PyObject* x, PyObject* y) {
  PyObject* const given[] = {x, y};
  Operand taken[2];
  for (int i = 0; i < 2; ++i) {
    const Conversion done = taken[i].take(given[i]);
    if (done == Conversion::FAILED) return nullptr;
    if (!taken[i].value.array) Py_RETURN_NOTIMPLEMENTED;
  }
  cucore_array* made = nullptr;
  return call(cucore_array_matmul, taken[0].value.array, taken[1].value.array, &made) ? wrap(made)
                                                                                      : nullptr;
}

PyObject* matmul_in_place(PyObject* x, PyObject* y) {
  const Object product(matmul(x, y));
  if (!product || product.get() == Py_NotImplemented)
    return Object::borrowed(product.get()).release();
  return assigned(x, product.get());
}

PyObject* compare(PyObject* x, PyObject* y, int comparison) {
  static constexpr int OPS[] = {CUCORE_ARRAY_OP_LESS,    CUCORE_ARRAY_OP_LESS_EQUAL,
                                CUCORE_ARRAY_OP_EQUAL,   CUCORE_ARRAY_OP_NOT_EQUAL,
                                CUCORE_ARRAY_OP_GREATER, CUCORE_ARRAY_OP_GREATER_EQUAL};
  PyObject* operands[] = {x, y};
  return apply(OPS[comparison], operands, 2);
}

bool element(PyObject* self, cucore_array_scalar& out) {
  const Use array(self);
  return array && call(cucore_array_item, array.get(), &out);
}

// As NumPy, conversions to a number are for arrays of one element without axes.
PyObject* scalar_item(PyObject* self, const char* wanted) {
  const cucore_array* array = array_of(self);
  if (!array) return nullptr;
  if (cucore_array_ndim(array) == 0) return item(self);
  PyErr_Format(PyExc_TypeError,
               "only arrays without axes become a Python %s; this one has %zu: use .item()", wanted,
               cucore_array_ndim(array));
  return nullptr;
}

PyObject* to_int(PyObject* self) {
  const Object value(scalar_item(self, "int"));
  return value ? PyNumber_Long(value.get()) : nullptr;
}

PyObject* to_float(PyObject* self) {
  const Object value(scalar_item(self, "float"));
  return value ? PyNumber_Float(value.get()) : nullptr;
}

PyObject* to_index(PyObject* self) {
  const cucore_array* array = array_of(self);
  if (!array) return nullptr;
  const int dtype = cucore_array_dtype_of(array);
  if (dtype < CUCORE_ARRAY_DTYPE_INT8 || dtype > CUCORE_ARRAY_DTYPE_UINT64) {
    PyErr_SetString(PyExc_TypeError, "only arrays of integers become an index");
    return nullptr;
  }
  return to_int(self);
}

int to_bool(PyObject* self) {
  const cucore_array* array = array_of(self);
  if (!array) return -1;
  if (cucore_array_size(array) != 1) {
    PyErr_SetString(PyExc_ValueError,
                    "the truth value of an array of several elements, or of none, is ambiguous; "
                    "use any() or all()");
    return -1;
  }
  cucore_array_scalar value{};
  if (!element(self, value)) return -1;
  return value.kind < CUCORE_ARRAY_SCALAR_REAL
             ? value.integer != 0
             : value.real != 0 || (value.kind == CUCORE_ARRAY_SCALAR_COMPLEX && value.imag != 0);
}

}  // namespace

PyObject* item(PyObject* self) {
  cucore_array_scalar value{};
  if (!element(self, value)) return nullptr;
  switch (value.kind) {
    case CUCORE_ARRAY_SCALAR_BOOL:
      return PyBool_FromLong(value.integer != 0);
    case CUCORE_ARRAY_SCALAR_INT:
      return PyLong_FromLongLong(value.integer);
    case CUCORE_ARRAY_SCALAR_UINT:
      return PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(value.integer));
    case CUCORE_ARRAY_SCALAR_REAL:
      return PyFloat_FromDouble(value.real);
    default:
      return PyComplex_FromDoubles(value.real, value.imag);
  }
}

#define CUCORE_BINARY(slot, op)                                                   \
  {Py_nb_##slot, reinterpret_cast<void*>(binary<CUCORE_ARRAY_OP_##op>)}, {        \
    Py_nb_inplace_##slot, reinterpret_cast<void*>(in_place<CUCORE_ARRAY_OP_##op>) \
  }
#define CUCORE_SLOT(slot, function) \
  { Py_##slot, reinterpret_cast<void*>(function) }

const std::vector<PyType_Slot>& number_slots() {
  static const std::vector<PyType_Slot> slots = {
      CUCORE_BINARY(add, ADD),
      CUCORE_BINARY(subtract, SUBTRACT),
      CUCORE_BINARY(multiply, MULTIPLY),
      CUCORE_BINARY(true_divide, DIVIDE),
      CUCORE_BINARY(floor_divide, FLOOR_DIVIDE),
      CUCORE_BINARY(remainder, REMAINDER),
      CUCORE_BINARY(and, BITWISE_AND),
      CUCORE_BINARY(or, BITWISE_OR),
      CUCORE_BINARY(xor, BITWISE_XOR),
      CUCORE_BINARY(lshift, BITWISE_LEFT_SHIFT),
      CUCORE_BINARY(rshift, BITWISE_RIGHT_SHIFT),
      CUCORE_SLOT(nb_matrix_multiply, matmul),
      CUCORE_SLOT(nb_inplace_matrix_multiply, matmul_in_place),
      CUCORE_SLOT(nb_power, power),
      CUCORE_SLOT(nb_inplace_power, power_in_place),
      CUCORE_SLOT(nb_divmod, divmod),
      CUCORE_SLOT(nb_negative, unary<CUCORE_ARRAY_OP_NEGATIVE>),
      CUCORE_SLOT(nb_positive, unary<CUCORE_ARRAY_OP_POSITIVE>),
      CUCORE_SLOT(nb_absolute, unary<CUCORE_ARRAY_OP_ABS>),
      CUCORE_SLOT(nb_invert, unary<CUCORE_ARRAY_OP_BITWISE_INVERT>),
      CUCORE_SLOT(nb_bool, to_bool),
      CUCORE_SLOT(nb_int, to_int),
      CUCORE_SLOT(nb_float, to_float),
      CUCORE_SLOT(nb_index, to_index),
      CUCORE_SLOT(tp_richcompare, compare),
  };
  return slots;
}

}  // namespace cucore::bind::arrays
