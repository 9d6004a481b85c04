// SPDX-License-Identifier: Apache-2.0
// The native part of Context; the package derives its class from it.
#include <Python.h>
#include <structmember.h>
#include <cstddef>

#include "array_type.hpp"
#include "call.hpp"
#include "handles.hpp"
#include "parts.hpp"

namespace cucore::bind::arrays {
namespace {

ContextObject* self_of(PyObject* self) { return reinterpret_cast<ContextObject*>(self); }

PyObject* take_over(PyTypeObject* type, cucore_array_context* handle) {
  auto* made = reinterpret_cast<ContextObject*>(type->tp_alloc(type, 0));
  if (!made)
    cucore_array_context_release(handle);
  else
    made->handle = handle;
  return reinterpret_cast<PyObject*>(made);
}

void drop(PyObject* self) {
  if (self_of(self)->weak) PyObject_ClearWeakRefs(self);
  cucore_array_context* handle = self_of(self)->handle;
  Unlocked unlocked;
  cucore_array_context_release(handle);
  unlocked.lock();
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// _Context._create(device, stream, cache, policy, math, default_float, max_bytes, max_pending,
// max_depth)
PyObject* create(PyObject* type, PyObject* args) {
  PyObject *device, *stream, *cache;
  CoreOf<cucore_device, Type::Device> on;
  CoreOf<cucore_stream, Type::Stream> in;
  CoreOf<cucore_cache, Type::Cache> kernels;
  int policy = 0, math = 0, default_float = 0;
  Py_ssize_t max_bytes = 0;
  cucore_array_context_options options = CUCORE_ARRAY_CONTEXT_OPTIONS_INIT;
  if (!PyArg_ParseTuple(args, "OOOiiinII", &device, &stream, &cache, &policy, &math, &default_float,
                        &max_bytes, &options.max_pending, &options.max_depth) ||
      !on.take(device) || !in.take(stream) || !kernels.take(cache))
    return nullptr;
  options.stream = in.handle;
  options.cache = kernels.handle;
  options.policy = static_cast<cucore_array_policy>(policy);
  options.math = static_cast<cucore_array_math>(math);
  options.default_float = static_cast<cucore_array_dtype>(default_float);
  options.max_bytes = static_cast<size_t>(max_bytes);
  cucore_array_context* made = nullptr;
  if (!call(cucore_array_context_create, on.handle, &options, &made)) return nullptr;
  return take_over(reinterpret_cast<PyTypeObject*>(type), made);
}

PyObject* of_device(PyObject* type, PyObject* device) {
  CoreOf<cucore_device, Type::Device> on;
  cucore_array_context* made = nullptr;
  if (!on.take(device) || !call(cucore_array_context_default, on.handle, &made)) return nullptr;
  return take_over(reinterpret_cast<PyTypeObject*>(type), made);
}

PyObject* of_array(PyObject* type, PyObject* object) {
  const Use array(object);
  cucore_array_context* found = nullptr;
  if (!array ||
      !call(cucore_array_context_of, static_cast<const cucore_array*>(array.get()), &found))
    return nullptr;
  return take_over(reinterpret_cast<PyTypeObject*>(type), found);
}

// The statistics as a dict, in the order of the struct.
PyObject* query(PyObject* self, PyObject*) {
  cucore_array_context_info info = CUCORE_ARRAY_CONTEXT_INFO_INIT;
  if (!call(cucore_array_context_query, self_of(self)->handle, &info)) return nullptr;
  Object all(PyDict_New());
#define CUCORE_FIELD(name)                                                              \
  if (all) {                                                                            \
    const Object one(PyLong_FromUnsignedLongLong(info.name));                           \
    if (!one || PyDict_SetItemString(all.get(), #name, one.get()) != 0) all = Object(); \
  }
#include "context_info.inc"
#undef CUCORE_FIELD
  return all.release();
}

PyObject* ordinal(PyObject* self, void*) {
  cucore_device* device = nullptr;
  if (!call(cucore_array_context_device, self_of(self)->handle, &device)) return nullptr;
  const int found = cucore_device_ordinal(device);
  cucore_device_release(device);
  return PyLong_FromLong(found);
}

constexpr const char* STREAM = "cucore_stream";

void drop_stream(PyObject* capsule) {
  auto* const stream = static_cast<cucore_stream*>(PyCapsule_GetPointer(capsule, STREAM));
  Unlocked unlocked;
  cucore_stream_release(stream);
  unlocked.lock();
}

// (the driver's stream, an object that keeps it alive without the context)
PyObject* native_stream(PyObject* self, void*) {
  cucore_stream* stream = nullptr;
  if (!call(cucore_array_context_stream, self_of(self)->handle, &stream)) return nullptr;
  const Object keeper(PyCapsule_New(stream, STREAM, drop_stream));
  if (!keeper) {
    cucore_stream_release(stream);
    return nullptr;
  }
  const Object native(PyLong_FromVoidPtr(cucore_stream_native(stream)));
  return native ? PyTuple_Pack(2, native.get(), keeper.get()) : nullptr;
}

// Two objects of one context are equal.
PyObject* compare(PyObject* x, PyObject* y, int comparison) {
  if (!PyObject_TypeCheck(y, module.context_type) || (comparison != Py_EQ && comparison != Py_NE))
    Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((self_of(x)->handle == self_of(y)->handle) == (comparison == Py_EQ));
}

Py_hash_t hash(PyObject* self) {
  return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(self_of(self)->handle) >> 4);
}

PyMethodDef methods[] = {{"_create", create, METH_VARARGS | METH_CLASS, nullptr},
                         {"_of_device", of_device, METH_O | METH_CLASS, nullptr},
                         {"_of_array", of_array, METH_O | METH_CLASS, nullptr},
                         {"_query", query, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {{"_ordinal", ordinal, nullptr, nullptr, nullptr},
                            {"_native_stream", native_stream, nullptr, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ContextObject, weak), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(drop)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, properties},
                       {Py_tp_members, members},
                       {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                       {Py_tp_hash, reinterpret_cast<void*>(hash)},
                       {0, nullptr}};

}  // namespace

PyTypeObject* make_context_type() {
  PyType_Spec spec = {"cucore.array._Context", sizeof(ContextObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

}  // namespace cucore::bind::arrays
