// SPDX-License-Identifier: Apache-2.0
// The launch itself: arguments are packed in C, and the interpreter's lock is released for the
// driver's call.
#include "launcher.hpp"

#include <cstddef>

#include "arguments.hpp"
#include "errors.hpp"
#include "failure.hpp"
#include "handles.hpp"
#include "in_call.hpp"
#include "kernel_parameters.hpp"
#include "object.hpp"
#include "refusals.hpp"
#include "registered.hpp"
#include "unlocked.hpp"

namespace cucore::bind {

PyObject* (*new_stream)(cucore_stream* stream) = nullptr;

namespace {

// The result of kernel[grid, block]: a callable.
struct Launcher {
  PyObject_HEAD vectorcallfunc call;
  PyObject* kernel;
  PyObject* stream;  // null: a default stream, chosen by the arguments
  PyObject* config;  // whose options may point to its own memory; null: none
  cucore_launch_options options;
  PyObject* weak;
};

PyObject* new_config(const cucore_launch_options& options) {
  auto* config = PyObject_New(LaunchConfigObject, &LaunchConfigType);
  if (!config) return nullptr;
  config->options = options;
  config->weak = nullptr;
  config->more = nullptr;
  return reinterpret_cast<PyObject*>(config);
}

cucore_status run(const cucore_kernel* kernel, const cucore_stream* stream,
                  const cucore_launch_options& options, const Arguments& arguments,
                  cucore_error** error) {
  Unlocked call;
  const cucore_status status =
      cucore_kernel_launch(kernel, stream, &options, arguments.data(), arguments.size(), error);
  call.lock();
  return status;
}

PyObject* launch_with(PyObject* kernel_object, PyObject* stream_object,
                      const cucore_launch_options& options, PyObject* const* values, size_t count) {
  const auto* kernel = static_cast<cucore_kernel*>(handle_of(kernel_object, Type::Kernel));
  const auto* stream =
      kernel ? static_cast<cucore_stream*>(handle_of(stream_object, Type::Stream)) : nullptr;
  if (!stream) return nullptr;
  const InCall in_kernel(kernel_object);
  const InCall in_stream(stream_object);
  Arguments arguments;
  if (!arguments.pack(kernel, parameters_of(kernel_object, stream), stream, values, count))
    return nullptr;
  cucore_error* error = nullptr;
  const cucore_status status = run(kernel, stream, options, arguments, &error);
  if (status == CUCORE_OK) [[likely]]
    Py_RETURN_NONE;
  if (!refuse_buffer(status, kernel, stream, values, count))
    raise(status, error);
  else
    cucore_error_release(error);
  return nullptr;
}

// Converts a Stream or an object with __cuda_stream__; returns a new reference.
Object to_stream(PyObject* value) {
  if (is(value, Type::Stream)) return Object::borrowed(value);
  return Object(PyObject_CallFunctionObjArgs(registered.foreign_stream, value, nullptr));
}

// The legacy default stream of the first Buffer's device, else of device 0.
Object default_stream(PyObject* const* values, size_t count) {
  cucore_device* device = nullptr;
  cucore_stream* stream = nullptr;
  try {
    for (size_t i = 0; i < count && !device; ++i)
      if (is(values[i], Type::Buffer) && pointer_of<cucore_buffer>(values[i]))
        device = made<cucore_device*>(cucore_buffer_device, pointer_of<cucore_buffer>(values[i]));
    if (!device) device = made<cucore_device*>(cucore_device_open, 0);
    stream =
        made<cucore_stream*>(cucore_device_default_stream, device, CUCORE_DEFAULT_STREAM_LEGACY);
  } catch (const Failure& failure) {
    raise(failure);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  cucore_device_release(device);
  return Object(stream ? new_stream(stream) : nullptr);
}

PyObject* call(PyObject* self, PyObject* const* values, size_t flags_and_count, PyObject* names) {
  const auto* launcher = reinterpret_cast<Launcher*>(self);
  const auto count = static_cast<size_t>(PyVectorcall_NARGS(flags_and_count));
  if (names && PyTuple_GET_SIZE(names) != 0) {
    PyErr_SetString(PyExc_TypeError, "a kernel's arguments have no names");
    return nullptr;
  }
  if (launcher->stream)
    return launch_with(launcher->kernel, launcher->stream, launcher->options, values, count);
  const Object stream = default_stream(values, count);
  return stream ? launch_with(launcher->kernel, stream.get(), launcher->options, values, count)
                : nullptr;
}

void forget(PyObject* self) {
  auto* launcher = reinterpret_cast<Launcher*>(self);
  if (launcher->weak) PyObject_ClearWeakRefs(self);
  Py_XDECREF(launcher->config);
  Py_XDECREF(launcher->kernel);
  Py_XDECREF(launcher->stream);
  PyObject_Del(self);
}

PyObject* repr(PyObject* self) {
  const auto* launcher = reinterpret_cast<Launcher*>(self);
  const Object config(launcher->config ? Object::borrowed(launcher->config).release()
                                       : new_config(launcher->options));
  const Object stream(launcher->stream ? PyObject_Repr(launcher->stream)
                                       : PyUnicode_FromString("a default stream"));
  return config && stream ? PyUnicode_FromFormat("<cucore.Launcher of %R with %R in %U>",
                                                 launcher->kernel, config.get(), stream.get())
                          : nullptr;
}

// [grid, block, stream, shared] or [config, stream]; shared and stream may be left out.
bool read_key(Launcher& launcher, PyObject* const* items, Py_ssize_t count) {
  const bool has_config = count > 0 && Py_TYPE(items[0]) == &LaunchConfigType;
  const Py_ssize_t least = has_config ? 1 : 2, most = has_config ? 2 : 4;
  if (count < least || count > most) {
    PyErr_SetString(
        PyExc_TypeError,
        "a launch is kernel[grid, block], [grid, block, stream], [grid, block, stream, shared] or "
        "[config, stream]");
    return false;
  }
  if (has_config) {
    launcher.config = Object::borrowed(items[0]).release();
    launcher.options = reinterpret_cast<LaunchConfigObject*>(items[0])->options;
  } else {
    launcher.options = CUCORE_LAUNCH_OPTIONS_INIT;
    if (!read_extent(items[0], "grid", launcher.options.grid) ||
        !read_extent(items[1], "block", launcher.options.block))
      return false;
  }
  if (count == 4) {
    uint32_t shared[3];
    if (!read_extent(items[3], "shared", shared)) return false;
    launcher.options.dynamic_shared = shared[0];
  }
  if (count > least && items[least] != Py_None) {
    launcher.stream = to_stream(items[least]).release();
    return launcher.stream != nullptr;
  }
  return true;
}

PyTypeObject make_type() {
  PyTypeObject type{};
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(&type), 1);  // never freed
  type.tp_name = "cucore.Launcher";
  type.tp_basicsize = sizeof(Launcher);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL;
#ifdef Py_TPFLAGS_DISALLOW_INSTANTIATION
  type.tp_flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION;
#endif
  type.tp_doc =
      "The result of kernel[grid, block]. Call it with the arguments of the kernel to launch.";
  type.tp_dealloc = forget;
  type.tp_repr = repr;
  type.tp_call = PyVectorcall_Call;
  type.tp_weaklistoffset = offsetof(Launcher, weak);
  type.tp_vectorcall_offset = offsetof(Launcher, call);
  return type;
}

}  // namespace

PyTypeObject LauncherType = make_type();

cucore_stream* stream_of(PyObject* value, Object& kept) {
  if (!is(value, Type::Stream)) {
    kept = to_stream(value);
    value = kept.get();
  }
  return value ? static_cast<cucore_stream*>(handle_of(value, Type::Stream)) : nullptr;
}

PyObject* kernel_call(PyObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "a kernel is called without a grid; write kernel[grid, block](...) or "
                  "kernel[grid, block, stream](...)");
  return nullptr;
}

PyObject* kernel_subscript(PyObject* kernel, PyObject* key) {
  if (!handle_of(kernel, Type::Kernel)) return nullptr;
  auto* launcher = PyObject_New(Launcher, &LauncherType);
  if (!launcher) return nullptr;
  Py_INCREF(kernel);
  launcher->kernel = kernel;
  launcher->stream = nullptr;
  launcher->config = nullptr;
  launcher->weak = nullptr;
  launcher->call = guarded_call<call>;
  const bool is_tuple = PyTuple_CheckExact(key);
  PyObject* const* items = is_tuple ? &PyTuple_GET_ITEM(key, 0) : &key;
  if (read_key(*launcher, items, is_tuple ? PyTuple_GET_SIZE(key) : 1))
    return reinterpret_cast<PyObject*>(launcher);
  Py_DECREF(launcher);
  return nullptr;
}

const cucore_launch_options* options_of(PyObject* config) {
  if (Py_TYPE(config) == &LaunchConfigType)
    return &reinterpret_cast<LaunchConfigObject*>(config)->options;
  PyErr_Format(PyExc_TypeError, "a LaunchConfig is needed, not %s", Py_TYPE(config)->tp_name);
  return nullptr;
}

PyObject* launch(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count < 3) {
    PyErr_Format(PyExc_TypeError,
                 "launch(stream, config, kernel, *args) takes 3 or more arguments, not %zd", count);
    return nullptr;
  }
  const cucore_launch_options* options = options_of(args[1]);
  if (!options) return nullptr;
  const auto values = static_cast<size_t>(count - 3);
  if (is(args[0], Type::Stream)) return launch_with(args[2], args[0], *options, args + 3, values);
  const Object stream = to_stream(args[0]);
  return stream ? launch_with(args[2], stream.get(), *options, args + 3, values) : nullptr;
}

}  // namespace cucore::bind
