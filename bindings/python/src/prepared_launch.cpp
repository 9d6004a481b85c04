// SPDX-License-Identifier: Apache-2.0
#include "prepared_launch.hpp"

#include "arguments.hpp"
#include "convert.hpp"
#include "errors.hpp"
#include "failure.hpp"
#include "handles.hpp"
#include "in_call.hpp"
#include "kernel_parameters.hpp"
#include "launcher.hpp"
#include "object.hpp"
#include "refusals.hpp"
#include "unlocked.hpp"

namespace cucore::bind {

PyObject* (*new_prepared_launch)(cucore_prepared_launch* prepared) = nullptr;
PyObject* (*new_kernel)(cucore_kernel* kernel) = nullptr;

namespace {

// The names in the dict of a PreparedLaunch. It has objects of its own, because the user may close
// those that were passed.
constexpr const char* KERNEL = "_kernel";
constexpr const char* STREAM = "_stream";
constexpr const char* OWNER = "_owner";  // the stream that was passed, which may be borrowed
constexpr const char* ARGUMENTS = "_arguments";  // objects of other libraries, whose memory is used

bool set(PyObject* dict, const char* name, const Object& value) {
  return value && PyDict_SetItemString(dict, name, value.get()) == 0;
}

cucore_prepared_launch* create(const cucore_kernel* kernel, const cucore_stream* stream,
                               const cucore_launch_options& options, const Arguments& arguments,
                               PyObject* const* values) {
  cucore_prepared_launch* prepared = nullptr;
  cucore_error* error = nullptr;
  Unlocked call;
  const cucore_status status = cucore_prepared_launch_create(
      kernel, stream, &options, arguments.data(), arguments.size(), &prepared, &error);
  call.lock();
  if (status == CUCORE_OK) return prepared;
  if (!refuse_buffer(status, kernel, stream, values, arguments.size()))
    raise(status, error);
  else
    cucore_error_release(error);
  return nullptr;
}

// The parts of a PreparedLaunch that an update needs, also if it is closed meanwhile.
struct Prepared {
  cucore_prepared_launch* handle;
  Object kernel;
  Object stream;
  Object arguments;
};

bool open(PyObject* self, Prepared& out) {
  out.handle = static_cast<cucore_prepared_launch*>(handle_of(self, Type::PreparedLaunch));
  if (!out.handle) return false;
  PyObject* const dict = reinterpret_cast<Handle*>(self)->dict;
  out.kernel = Object::borrowed(PyDict_GetItemString(dict, KERNEL));
  out.stream = Object::borrowed(PyDict_GetItemString(dict, STREAM));
  out.arguments = Object::borrowed(PyDict_GetItemString(dict, ARGUMENTS));
  return true;
}

bool update(const Prepared& prepared, size_t index, const cucore_argument& argument) {
  cucore_error* error = nullptr;
  Unlocked call;
  const cucore_status status =
      cucore_prepared_launch_update(prepared.handle, index, &argument, &error);
  call.lock();
  if (status == CUCORE_OK) return true;
  raise(status, error);
  return false;
}

}  // namespace

PyObject* prepare(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count < 3) {
    PyErr_SetString(PyExc_TypeError, "prepare(stream, config, *args) takes 2 or more arguments");
    return nullptr;
  }
  PyObject* const* const values = args + 3;
  const auto value_count = static_cast<size_t>(count - 3);
  Object kept;
  const cucore_stream* const stream = stream_of(args[0], kept);
  const cucore_launch_options* const options = stream ? options_of(args[1]) : nullptr;
  auto* const kernel =
      options ? static_cast<cucore_kernel*>(handle_of(args[2], Type::Kernel)) : nullptr;
  if (!kernel) return nullptr;
  const InCall in_kernel(args[2]);
  const InCall in_stream(kept ? kept.get() : args[0]);
  Arguments arguments;
  if (!arguments.pack(kernel, parameters_of(args[2], stream), stream, values, value_count))
    return nullptr;
  cucore_prepared_launch* const prepared = create(kernel, stream, *options, arguments, values);
  if (!prepared) return nullptr;
  Object self(new_prepared_launch(prepared));
  if (!self) return nullptr;
  PyObject*& dict = reinterpret_cast<Handle*>(self.get())->dict;
  if (!dict) dict = PyDict_New();
  const bool is_kept = dict &&
                       set(dict, KERNEL, Object(new_kernel(cucore_kernel_retain(kernel)))) &&
                       set(dict, STREAM, Object(new_stream(cucore_stream_retain(stream)))) &&
                       set(dict, OWNER, Object::borrowed(args[0])) &&
                       set(dict, ARGUMENTS, list_of(values, arguments));
  return is_kept ? self.release() : nullptr;
}

PyObject* update_prepared(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Prepared prepared;
  size_t index = 0;
  if (count != 3) {
    PyErr_Format(PyExc_TypeError, "update(index, value) takes 2 arguments, not %zd", count - 1);
    return nullptr;
  }
  if (!open(args[0], prepared)) return nullptr;
  const InCall in_prepared(args[0]);
  if (!to_integer(args[1], "index", index)) return nullptr;
  const auto all = static_cast<size_t>(PyList_GET_SIZE(prepared.arguments.get()));
  if (index >= all) {
    update(prepared, index, {nullptr, 0});  // refuses the index
    return nullptr;
  }
  Arguments arguments;
  const auto* const kernel = pointer_of<cucore_kernel>(prepared.kernel.get());
  const auto* const stream = pointer_of<const cucore_stream>(prepared.stream.get());
  const Parameters& parameters = parameters_of(prepared.kernel.get(), stream);
  if (!arguments.pack_one(kernel, parameters, stream, index, all, args[2])) return nullptr;
  Object kept = to_keep(args[2], arguments.keeper_of(index));
  if (!kept || !update(prepared, index, *arguments.data())) return nullptr;
  if (PyList_SetItem(prepared.arguments.get(), static_cast<Py_ssize_t>(index), kept.release()) != 0)
    return nullptr;
  Py_RETURN_NONE;
}

}  // namespace cucore::bind
