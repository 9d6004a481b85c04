// SPDX-License-Identifier: Apache-2.0
#include "functions.hpp"

#include <cstring>

#include "exchange.hpp"
#include "lend.hpp"
#include "operations.hpp"
#include "parts.hpp"

namespace cucore::bind::arrays {
namespace {

using Axes = Integers<int32_t>;
using Shape = Integers<int64_t>;
using Axis = Number<int32_t>;
using Count = Number<int64_t>;

cucore_status reduce(int32_t op, const cucore_array* x, const int32_t* axes, size_t count,
                     int32_t keepdims, cucore_array_dtype dtype, double correction, double order,
                     cucore_array** out, cucore_error** error) {
  cucore_array_reduce_options options = CUCORE_ARRAY_REDUCE_OPTIONS_INIT;
  options.axes = axes;
  options.axis_count = count;
  options.axes_given = axes != nullptr;
  options.keepdims = keepdims;
  options.dtype = dtype;
  options.correction = correction;
  options.order = order;
  options.order_given = 1;
  return cucore_array_reduce(op, x, &options, out, error);
}

// An operation with operands, parameters, and the settings dtype, out and where.
PyObject* apply_all(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count < 6 || count > 5 + static_cast<Py_ssize_t>(MAX_OPERANDS))
    return PyErr_Format(PyExc_TypeError, "%zd arguments", count);
  Settings settings;
  Number<int32_t> op, results;
  DtypeOf dtype;
  InOrNull out, where;
  if (!op.take(arguments[0]) || !results.take(arguments[1]) || !dtype.take(arguments[2]) ||
      !out.take(arguments[3]) || !where.take(arguments[4]))
    return nullptr;
  settings = {dtype.number, std::move(out.array), std::move(where.array)};
  PyObject* result = apply(op.value, arguments + 5, static_cast<size_t>(count - 5),
                           static_cast<size_t>(results.value), settings);
  if (result != Py_NotImplemented) return result;
  Py_DECREF(result);
  PyErr_SetString(PyExc_TypeError, "an operand is neither a number nor an array");
  return nullptr;
}

// The operands are arrays, numbers and, where `dtypes` has a number, types.
PyObject* result_dtype(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  std::vector<Operand> taken(static_cast<size_t>(count));
  std::vector<cucore_array_operand> operands;
  for (size_t i = 0; i < taken.size(); ++i) {
    const Conversion done = taken[i].take(arguments[i]);
    if (done == Conversion::FOREIGN)
      PyErr_Format(PyExc_TypeError, "%s has no dtype", Py_TYPE(arguments[i])->tp_name);
    if (done != Conversion::DONE) return nullptr;
    operands.push_back(taken[i].value);
  }
  cucore_array_dtype dtype{};
  if (!call(cucore_array_result_dtype, int32_t{0}, operands.data(),
            static_cast<const cucore_array_dtype*>(nullptr), operands.size(), &dtype))
    return nullptr;
  return PyLong_FromLong(dtype);
}

cucore_status promote(int32_t x, int32_t y, cucore_array_dtype* out, cucore_error** error) {
  const cucore_array_dtype both[] = {static_cast<cucore_array_dtype>(x),
                                     static_cast<cucore_array_dtype>(y)};
  return cucore_array_result_dtype(0, nullptr, both, 2, out, error);
}

PyObject* can_cast(PyObject*, PyObject* args) {
  int from = 0, to = 0, casting = 0;
  if (!PyArg_ParseTuple(args, "iii", &from, &to, &casting)) return nullptr;
  return PyBool_FromLong(cucore_array_can_cast(static_cast<cucore_array_dtype>(from),
                                               static_cast<cucore_array_dtype>(to),
                                               static_cast<cucore_array_casting>(casting)));
}

PyObject* shares_memory(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const cucore_array* x = array_of(arguments[0]);
  const cucore_array* y = x ? array_of(arguments[1]) : nullptr;
  return y ? PyBool_FromLong(cucore_array_shares_memory(x, y)) : nullptr;
}

// unique(x, wanted): the elements, and None for what is not wanted.
PyObject* unique(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Use x(arguments[0]);
  Number<uint32_t> wanted;
  cucore_array* made[4] = {};
  if (!x || !wanted.take(arguments[1])) return nullptr;
  const auto out = [&](int at) {
    return at == 0 || (wanted.value & (1u << (at - 1))) ? &made[at] : nullptr;
  };
  if (!call(cucore_array_unique, x.get(), wanted.value, out(0), out(1), out(2), out(3)))
    return nullptr;
  Object all(PyTuple_New(4));
  for (Py_ssize_t at = 0; all && at < 4; ++at) {
    PyObject* one = made[at] ? wrap(made[at]) : Object::borrowed(Py_None).release();
    if (!one) return nullptr;
    PyTuple_SET_ITEM(all.get(), at, one);
  }
  return all.release();
}

// Calls a function that writes a text: first for its size, then for the text itself.
template <class Function, class... Arguments>
PyObject* text_of(Function* function, Arguments... arguments) {
  std::vector<char> text;
  size_t size = 0;
  do {
    text.resize(size);
    cucore_error* error = nullptr;
    Unlocked unlocked;
    const cucore_status status = function(arguments..., text.data(), text.size(), &size, &error);
    unlocked.lock();
    const bool is_too_small = status == CUCORE_ERROR_BUFFER_TOO_SMALL;
    if (is_too_small) cucore_error_release(error);
    if (status != CUCORE_OK && !is_too_small) {
      raise(Failure(status, error));
      return nullptr;
    }
  } while (size > text.size());
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(strnlen(text.data(), size)),
                              "replace");
}

// explain(arrays, what)
PyObject* explain(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  Arrays arrays;
  Chosen<cucore_array_explanation> what;
  if (!arrays.take(arguments[0]) || !what.take(arguments[1])) return nullptr;
  return text_of(cucore_array_explain,
                 const_cast<const cucore_array* const*>(arrays.handles.data()),
                 arrays.handles.size(), what.value);
}

// print(array, threshold, precision, edge_items, line_width, suppress_small)
PyObject* print(PyObject*, PyObject* args) {
  PyObject* object = nullptr;
  cucore_array_print_options options = CUCORE_ARRAY_PRINT_OPTIONS_INIT;
  long long threshold = 0;
  if (!PyArg_ParseTuple(args, "OLiiii", &object, &threshold, &options.precision,
                        &options.edge_items, &options.line_width, &options.suppress_small))
    return nullptr;
  options.threshold = threshold;
  const Use array(object);
  return array ? text_of(cucore_array_print, static_cast<const cucore_array*>(array.get()),
                         static_cast<const cucore_array_print_options*>(&options))
               : nullptr;
}

PyObject* to_npy(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Use array(arguments[0]);
  size_t size = 0;
  cucore_error* error = nullptr;
  if (!array) return nullptr;
  cucore_array_to_npy(array.get(), nullptr, 0, &size, &error);  // the size, with BUFFER_TOO_SMALL
  cucore_error_release(error);
  Object bytes(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  const bool good = bytes && call(cucore_array_to_npy, array.get(),
                                  static_cast<void*>(PyBytes_AS_STRING(bytes.get())), size, &size);
  return good ? bytes.release() : nullptr;
}

PyObject* set_name(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Use array(arguments[0]);
  const char* name = array ? PyUnicode_AsUTF8(arguments[1]) : nullptr;
  if (!name || !call(cucore_array_set_name, array.get(), name)) return nullptr;
  Py_RETURN_NONE;
}

cucore_status read(const cucore_array* x, void* destination, size_t size, cucore_error** error) {
  return cucore_array_read(x, destination, size, error);
}

}  // namespace

#define CUCORE_BOUND(name, ...)                                                            \
  {                                                                                        \
    name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(bound<__VA_ARGS__>)), \
        METH_FASTCALL, nullptr                                                             \
  }
#define CUCORE_FAST(name, function)                                                             \
  {                                                                                             \
    name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)), METH_FASTCALL, \
        nullptr                                                                                 \
  }

PyMethodDef functions[] = {
    CUCORE_BOUND("empty", cucore_array_empty, ContextOf, DtypeOf, Shape, Out),
    CUCORE_BOUND("full", cucore_array_full, ContextOf, DtypeOf, Shape, ScalarOf, Out),
    CUCORE_BOUND("arange", cucore_array_arange, ContextOf, DtypeOf, ScalarOf, ScalarOf, Count, Out),
    CUCORE_BOUND("linspace", cucore_array_linspace, ContextOf, DtypeOf, ScalarOf, ScalarOf, Count,
                 Number<int32_t>, Out),
    CUCORE_BOUND("eye", cucore_array_eye, ContextOf, DtypeOf, Count, Count, Count, Out),
    CUCORE_BOUND("generator", cucore_array_generator_create, ContextOf, Number<uint64_t>,
                 OutGenerator),
    CUCORE_BOUND("generator_state", cucore_array_generator_state, GeneratorOf, OutState),
    CUCORE_BOUND("generator_set_state", cucore_array_generator_set_state, GeneratorOf, State),
    CUCORE_BOUND("random", cucore_array_random, GeneratorOf, Chosen<cucore_array_distribution>,
                 DtypeOf, Operands, Shape, Out),
    CUCORE_BOUND("matmul", cucore_array_matmul, In, In, Out),
    CUCORE_BOUND("tensordot", cucore_array_tensordot, In, In, Pointer<int32_t>, Axes, Out),
    CUCORE_BOUND("vecdot", cucore_array_vecdot, In, In, Axis, Out),
    CUCORE_BOUND("copy", cucore_array_copy, In, Out),
    CUCORE_BOUND("cast", cucore_array_cast, In, DtypeOf, Toggle, Out),
    CUCORE_BOUND("assign", cucore_array_assign, In, ArrayOrNumber),
    CUCORE_BOUND("reduce", reduce, Number<int32_t>, In, Axes, Number<int32_t>, DtypeOf,
                 Number<double>, Number<double>, Out),
    CUCORE_BOUND("scan", cucore_array_scan, Number<int32_t>, In, Axis, DtypeOf, Number<int32_t>,
                 Number<int32_t>, Out),
    CUCORE_BOUND("reshape", cucore_array_reshape, In, Shape, Toggle, Out),
    CUCORE_BOUND("permute", cucore_array_permute, In, Axes, Out),
    CUCORE_BOUND("broadcast", cucore_array_broadcast, In, Shape, Out),
    CUCORE_BOUND("expand", cucore_array_expand, In, Axes, Out),
    CUCORE_BOUND("squeeze", cucore_array_squeeze, In, Axes, Out),
    CUCORE_BOUND("flip", cucore_array_flip, In, Axes, Out),
    CUCORE_BOUND("diagonal", cucore_array_diagonal, In, Count, Axis, Axis, Out),
    CUCORE_BOUND("part", cucore_array_part, In, Chosen<cucore_array_part_kind>, Out),
    CUCORE_BOUND("concat", cucore_array_concat, Arrays, Axis, Out),
    CUCORE_BOUND("stack", cucore_array_stack, Arrays, Axis, Out),
    CUCORE_BOUND("unstack", cucore_array_unstack, In, Axis, OutArrays),
    CUCORE_BOUND("roll", cucore_array_roll, In, Pointer<int64_t>, Axes, Out),
    CUCORE_BOUND("roll_flat", cucore_array_roll, In, Pointer<int64_t>, Pointer<int32_t>,
                 Number<size_t>, Out),
    CUCORE_BOUND("tile", cucore_array_tile, In, Shape, Out),
    CUCORE_BOUND("repeat", cucore_array_repeat, In, InOrNull, Count, Axis, Out),
    CUCORE_BOUND("pad", cucore_array_pad, In, Pointer<int64_t>, Number<int32_t>, ScalarOf, Out),
    CUCORE_BOUND("take", cucore_array_take, In, In, Axis, Out),
    CUCORE_BOUND("take_along", cucore_array_take_along, In, In, Axis, Out),
    CUCORE_BOUND("put_along", cucore_array_put_along, In, In, ArrayOrNumber, Axis),
    CUCORE_BOUND("nonzero", cucore_array_nonzero, In, OutArrays),
    CUCORE_BOUND("compress", cucore_array_compress, In, In, Axis, Out),
    CUCORE_BOUND("sort", cucore_array_sort, In, Axis, Number<int32_t>, Out),
    CUCORE_BOUND("argsort", cucore_array_argsort, In, Axis, Number<int32_t>, Out),
    CUCORE_BOUND("searchsorted", cucore_array_searchsorted, In, In, Number<int32_t>, InOrNull, Out),
    CUCORE_FAST("unique", unique),
    CUCORE_BOUND("evaluate", cucore_array_evaluate, Arrays),
    CUCORE_BOUND("evaluate_context", cucore_array_context_evaluate, ContextOf),
    CUCORE_BOUND("synchronize", cucore_array_context_synchronize, ContextOf),
    CUCORE_BOUND("trim", cucore_array_context_trim, ContextOf, Number<size_t>),
    CUCORE_BOUND("read", read, In, Writable),
    CUCORE_BOUND("write", cucore_array_write, In, Readable),
    CUCORE_BOUND("promote", promote, Number<int32_t>, Number<int32_t>, OutDtype),
    CUCORE_FAST("apply", apply_all),
    CUCORE_FAST("result_dtype", result_dtype),
    CUCORE_FAST("shares_memory", shares_memory),
    CUCORE_FAST("explain", explain),
    CUCORE_BOUND("to_context", cucore_array_to_context, In, ContextOf, Out),
    CUCORE_BOUND("from_memory", cucore_array_from_buffer, ContextOf, DtypeOf,
                 CoreOf<cucore_buffer, Type::Buffer>, Number<size_t>, Shape, Pointer<int64_t>, Out),
    CUCORE_FAST("to_dlpack", to_dlpack),
    CUCORE_FAST("from_dlpack", from_dlpack),
    {"address", address, METH_O, nullptr},
    CUCORE_FAST("lend", lend),
    CUCORE_FAST("to_npy", to_npy),
    CUCORE_BOUND("from_npy", cucore_array_from_npy, ContextOf, Readable, Out),
    {"print", print, METH_VARARGS, nullptr},
    CUCORE_FAST("set_name", set_name),
    CUCORE_FAST("nested", nested),
    CUCORE_FAST("from_buffer", from_buffer),
    {"can_cast", can_cast, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace cucore::bind::arrays
