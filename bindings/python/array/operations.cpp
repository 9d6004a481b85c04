// SPDX-License-Identifier: Apache-2.0
#include "operations.hpp"

#include "call.hpp"
#include "operands.hpp"

namespace cucore::bind::arrays {
namespace {

PyObject* not_implemented() { Py_RETURN_NOTIMPLEMENTED; }

PyObject* wrap_all(cucore_array* const* handles, size_t count) {
  if (count == 1) return wrap(handles[0]);
  Object all(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (size_t i = 0; i < count; ++i) {
    PyObject* one = wrap(handles[i]);
    if (all && one)
      PyTuple_SET_ITEM(all.get(), static_cast<Py_ssize_t>(i), one);
    else
      Py_XDECREF(one), all = Object();
  }
  return all.release();
}

}  // namespace

PyObject* apply(int op, PyObject* const* operands, size_t count, size_t results,
                const Settings& settings) {
  Operand taken[MAX_OPERANDS];
  cucore_array_operand values[MAX_OPERANDS];
  bool has_array = false;
  for (size_t i = 0; i < count; ++i) {
    const Conversion done = taken[i].take(operands[i]);
    if (done == Conversion::FAILED) return nullptr;
    if (done == Conversion::FOREIGN) return not_implemented();
    values[i] = taken[i].value;
    has_array |= values[i].array != nullptr;
  }
  if (op >= CUCORE_ARRAY_OP_EQUAL && op <= CUCORE_ARRAY_OP_GREATER_EQUAL && has_array)
    for (size_t i = 0; i < 2; ++i)
      if (!values[i].array) extend_range(values[i].scalar, values[1 - i].array);
  if (!has_array) {  // numbers alone: the first one becomes an array
    const Object made(PyObject_CallOneArg(module.convert, operands[0]));
    if (!made || !taken[0].take_array(made.get())) return nullptr;
    values[0] = taken[0].value;
  }
  cucore_array* made[MAX_RESULTS] = {};
  bool good = false;
  if (!settings.dtype && !settings.out && !settings.where && count == 2 && values[0].array &&
      values[1].array && results == 1) {
    good = call(cucore_array_binary, op, values[0].array, values[1].array, made);
  } else {
    cucore_array_apply_options options = CUCORE_ARRAY_APPLY_OPTIONS_INIT;
    options.dtype = static_cast<cucore_array_dtype>(settings.dtype);
    options.out = settings.out.get();
    options.where = settings.where.get();
    good = call(cucore_array_apply, op, values, count, &options, settings.out ? nullptr : made,
                settings.out ? size_t{0} : results);
  }
  if (!good) {
    refuse_numbers(operands, count);
    return nullptr;
  }
  if (settings.out) Py_RETURN_NONE;
  return wrap_all(made, results);
}

PyObject* apply_in_place(int op, PyObject* x, PyObject* value) {
  const Use array(x);
  Operand taken;
  const Conversion done = array ? taken.take(value) : Conversion::FAILED;
  if (done == Conversion::FAILED) return nullptr;
  if (done == Conversion::FOREIGN) return not_implemented();
  if (!call(cucore_array_assign_op, op, array.get(), &taken.value)) {
    refuse_numbers(&value, 1);
    return nullptr;
  }
  Py_INCREF(x);
  return x;
}

}  // namespace cucore::bind::arrays
