// SPDX-License-Identifier: Apache-2.0
#include "native_calls.hpp"

#include <vector>

#include "arguments.hpp"
#include "errors.hpp"
#include "failure.hpp"
#include "handles.hpp"
#include "in_call.hpp"
#include "kernel_parameters.hpp"
#include "launcher.hpp"
#include "object.hpp"
#include "prepared_launch.hpp"

namespace cucore::bind {
namespace {

// Returns false, with the exception set, if the tuple has another form.
bool read_parameters_of(PyObject* described, Parameters& out) {
  out.are_known = true;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(described); ++i) {
    Py_ssize_t size = 0;
    int kind = 0;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(described, i), "ni", &size, &kind)) return false;
    out.all.push_back({static_cast<size_t>(size), static_cast<cucore_parameter_class>(kind)});
  }
  return true;
}

PyObject* call(PyObject* function, const cucore_launch_options* options,
               const cucore_argument* arguments, size_t count) {
  return PyObject_CallFunction(function, "KKn", reinterpret_cast<unsigned long long>(options),
                               reinterpret_cast<unsigned long long>(arguments),
                               static_cast<Py_ssize_t>(count));
}

}  // namespace

PyObject* address_of(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 2)
    return PyErr_Format(PyExc_TypeError, "_address() takes 2 arguments, not %zd", count);
  for (int i = 0; i < static_cast<int>(Type::COUNT); ++i) {
    const auto type = static_cast<Type>(i);
    if (reinterpret_cast<PyObject*>(type_of(type)) != args[1]) continue;
    void* const handle = handle_of(args[0], type);
    return handle ? PyLong_FromVoidPtr(handle) : nullptr;
  }
  PyErr_SetString(PyExc_TypeError, "_address(): the second argument is not a class of handles");
  return nullptr;
}

PyObject* stream_at(PyObject*, PyObject* address) {
  const auto* stream = static_cast<const cucore_stream*>(PyLong_AsVoidPtr(address));
  return PyErr_Occurred() ? nullptr : new_stream(cucore_stream_retain(stream));
}

PyObject* kernel_at(PyObject*, PyObject* address) {
  const auto* kernel = static_cast<const cucore_kernel*>(PyLong_AsVoidPtr(address));
  return PyErr_Occurred() ? nullptr : new_kernel(cucore_kernel_retain(kernel));
}

PyObject* raise_error(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 2)
    return PyErr_Format(PyExc_TypeError, "_raise() takes 2 arguments, not %zd", count);
  const long status = PyLong_AsLong(args[0]);
  auto* const error = static_cast<cucore_error*>(PyLong_AsVoidPtr(args[1]));
  if (!PyErr_Occurred()) raise(static_cast<cucore_status>(status), error);
  return nullptr;
}

PyObject* with_arguments(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count < 4)
    return PyErr_Format(PyExc_TypeError, "_with_arguments() takes 4 or more arguments, not %zd",
                        count);
  PyObject* const* const values = args + 4;
  const auto value_count = static_cast<size_t>(count - 4);
  const cucore_launch_options* const options = options_of(args[1]);
  auto* const kernel =
      options ? static_cast<cucore_kernel*>(handle_of(args[2], Type::Kernel)) : nullptr;
  if (!kernel) return nullptr;
  const InCall in_kernel(args[2]);
  Arguments arguments;
  if (!PyTuple_Check(args[3])) {
    const auto* stream = static_cast<cucore_stream*>(handle_of(args[3], Type::Stream));
    if (!stream) return nullptr;
    const InCall in_stream(args[3]);
    if (!arguments.pack(kernel, parameters_of(args[2], stream), stream, values, value_count))
      return nullptr;
    return call(args[0], options, arguments.data(), arguments.size());
  }
  Parameters parameters;
  if (!read_parameters_of(args[3], parameters) ||
      !arguments.pack(kernel, parameters, nullptr, values, value_count))
    return nullptr;
  std::vector<cucore_argument> all(arguments.data(), arguments.data() + arguments.size());
  for (size_t i = 0; i < all.size(); ++i)
    if (values[i] == Py_None) all[i] = {nullptr, CUCORE_ARGUMENT_OBJECT};
  return call(args[0], options, all.data(), all.size());
}

}  // namespace cucore::bind
