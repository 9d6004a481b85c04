// SPDX-License-Identifier: Apache-2.0
// Closing, comparing and printing of all objects.
#include "objects.hpp"

#include "errors.hpp"
#include "handles.hpp"
#include "held.hpp"
#include "launcher.hpp"
#include "object.hpp"
#include "unlocked.hpp"

namespace cucore::bind {

Constructor new_event = nullptr;
void* event_type = nullptr;

namespace {

PyObject* prepare = nullptr;  // {class: function} in Python

void release(Type type, void* pointer) {
  switch (type) {
#define CUCORE_RELEASE(Class, handle, name) \
  case Type::Class:                         \
    return bind::release(static_cast<handle*>(pointer));
    CUCORE_HANDLES(CUCORE_RELEASE)
#undef CUCORE_RELEASE
    case Type::COUNT:
      return;
  }
}

Type type_of(PyObject* self) {
  int i = 0;
  while (!is(self, static_cast<Type>(i))) ++i;
  return static_cast<Type>(i);
}

const char* name_of(const Handle* handle, Type type) {
  switch (type) {
    case Type::Device:
      return cucore_device_name(static_cast<const cucore_device*>(handle->pointer));
    case Type::ObjectCode:
      return cucore_objectcode_name(static_cast<const cucore_objectcode*>(handle->pointer));
    case Type::Kernel:
      return cucore_kernel_name(static_cast<const cucore_kernel*>(handle->pointer));
    case Type::Cache:
      return cucore_cache_directory(static_cast<const cucore_cache*>(handle->pointer));
    default:
      return nullptr;
  }
}

PyObject* close(PyObject* self, PyObject*) {
  auto* handle = reinterpret_cast<Handle*>(self);
  void* pointer = handle->pointer;
  const bool own = handle->own != 0;
  // Its hash in a set or a dict stays.
  if (pointer) handle->own = static_cast<int>(hash(self));
  handle->pointer = nullptr;
  if (pointer && own) {
    const Type type = type_of(self);
    Unlocked call;
    release(type, pointer);
    call.lock();
  }
  if (handle->dict) PyDict_Clear(handle->dict);
  Py_RETURN_NONE;
}

PyObject* enter(PyObject* self, PyObject*) {
  if (!handle_of(self, type_of(self))) return nullptr;
  Py_INCREF(self);
  return self;
}

PyObject* leave(PyObject* self, PyObject*) { return close(self, nullptr); }

PyObject* is_closed(PyObject* self, void*) {
  return PyBool_FromLong(!reinterpret_cast<Handle*>(self)->pointer);
}

PyObject* refuse_pickle(PyObject* self, PyObject*) {
  PyErr_Format(PyExc_TypeError, "cannot pickle a %s: it lives in this process",
               Py_TYPE(self)->tp_name);
  return nullptr;
}

PyMethodDef methods[] = {
    {"close", close, METH_NOARGS,
     "close($self, /)\n--\n\nGives the native object back now. Closing twice does nothing; any "
     "other use "
     "afterwards is an InvalidHandleError."},
    {"__enter__", enter, METH_NOARGS, "__enter__($self, /)\n--\n\nThe object itself."},
    {"__exit__", leave, METH_VARARGS,
     "__exit__($self, type, value, traceback, /)\n--\n\nCloses the object."},
    {"__reduce__", refuse_pickle, METH_NOARGS, "__reduce__($self, /)\n--\n\nA TypeError."},
    {"__reduce_ex__", refuse_pickle, METH_O,
     "__reduce_ex__($self, protocol, /)\n--\n\nA TypeError."},
};

PyGetSetDef closed = {"closed", is_closed, nullptr, "Whether close() was called.", nullptr};

bool add(PyTypeObject* type, const char* name, PyObject* descriptor) {
  const Object owned(descriptor);
  return descriptor && PyDict_SetItemString(type->tp_dict, name, descriptor) == 0;
}

// await x: the result of the method _await of its class.
PyObject* await_it(PyObject* self) { return PyObject_CallMethod(self, "_await", nullptr); }

// Later versions of Python have more fields.
PyAsyncMethods make_awaiting() {
  PyAsyncMethods methods{};
  methods.am_await = await_it;
  return methods;
}
PyAsyncMethods awaiting = make_awaiting();

// SWIG's own methods (acquire, disown, next, own, this ...) are for its proxies, not for users.
bool remove_others(PyTypeObject* type) {
  for (const char* name : {"acquire", "append", "disown", "next", "own", "this", "thisown"})
    if (PyDict_GetItemString(type->tp_dict, name) && PyDict_DelItemString(type->tp_dict, name) != 0)
      return false;
  return true;
}

}  // namespace

void forget(PyObject* self) {
  auto* handle = reinterpret_cast<Handle*>(self);
  if (handle->pointer && handle->own) {
    const Type type = type_of(self);
    Unlocked call;
    release(type, handle->pointer);
    call.lock();
  }
  Py_XDECREF(handle->dict);
  Py_XDECREF(handle->next);  // created by a second __init__
  if (PyType_IS_GC(Py_TYPE(self)))
    PyObject_GC_Del(self);
  else
    PyObject_Free(self);
}

PyObject* repr(PyObject* self) {
  const auto* handle = reinterpret_cast<Handle*>(self);
  const char* type = Py_TYPE(self)->tp_name;
  if (!handle->pointer) return PyUnicode_FromFormat("<%s closed>", type);
  const char* name = name_of(handle, type_of(self));
  if (name && type_of(self) == Type::Device)
    return PyUnicode_FromFormat(
        "<%s %d '%s'>", type,
        cucore_device_ordinal(static_cast<const cucore_device*>(handle->pointer)), name);
  if (name && *name) return PyUnicode_FromFormat("<%s '%s'>", type, name);
  return PyUnicode_FromFormat("<%s at %p>", type, handle->pointer);
}

Py_hash_t hash(PyObject* self) {
  const auto* handle = reinterpret_cast<Handle*>(self);
  if (!handle->pointer) return handle->own;
  const int value = static_cast<int>(reinterpret_cast<size_t>(handle->pointer) >> 4);
  return value == -1 ? -2 : value;
}

// Two objects are equal if they are the same native object.
PyObject* compare(PyObject* self, PyObject* other, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || !is(other, type_of(self)))
    Py_RETURN_NOTIMPLEMENTED;
  const void* mine = reinterpret_cast<Handle*>(self)->pointer;
  const bool equal = self == other || (mine && mine == reinterpret_cast<Handle*>(other)->pointer);
  return PyBool_FromLong(equal == (operation == Py_EQ));
}

void register_arguments(PyObject* functions) {
  Py_INCREF(functions);
  Py_XSETREF(prepare, functions);
}

// A function in Python turns the keywords into the arguments of SWIG's constructor.
int init_by_keywords(const char* type, Constructor constructor, PyObject* self, PyObject* args,
                     PyObject* kwargs) {
  if (reinterpret_cast<Handle*>(self)->pointer) {
    PyErr_Format(PyExc_TypeError, "a %s is made once", Py_TYPE(self)->tp_name);
    return -1;
  }
  PyObject* function = PyDict_GetItemString(prepare, type);
  if (!function) {
    PyErr_Format(PyExc_SystemError, "the keywords of %s are not registered", type);
    return -1;
  }
  const Object arguments(PyObject_Call(function, args, kwargs));
  return arguments ? constructor(self, arguments.get(), nullptr) : -1;
}

int event_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  auto* handle = reinterpret_cast<Handle*>(self);
  if (kwargs || PyTuple_GET_SIZE(args) != 1 || handle->pointer)
    return new_event(self, args, kwargs);
  auto* device = static_cast<cucore_device*>(handle_of(PyTuple_GET_ITEM(args, 0), Type::Device));
  if (!device) return -1;
  cucore_event* event = nullptr;
  cucore_error* error = nullptr;
  const Held<cucore_device> kept(device);
  cucore_status status = CUCORE_OK;
  Unlocked call;
  status = cucore_event_create(device, nullptr, &event, &error);
  call.lock();
  if (status != CUCORE_OK) {
    raise(Failure(status, error));
    return -1;
  }
  handle->pointer = event;
  handle->type = event_type;
  handle->own = 1;
  return 0;
}

bool add_common_methods() {
  for (PyTypeObject* type : types) {
    for (PyMethodDef& method : methods)
      if (!add(type, method.ml_name, PyDescr_NewMethod(type, &method))) return false;
    if (!add(type, closed.name, PyDescr_NewGetSet(type, &closed)) || !remove_others(type))
      return false;
    if (type == bind::type_of(Type::Stream) || type == bind::type_of(Type::Future))
      type->tp_as_async = &awaiting;
    if (type == bind::type_of(Type::Kernel)) type->tp_call = kernel_call;
    PyType_Modified(type);
  }
  PyTypeObject* base = types[0]->tp_base;
  if (!remove_others(base)) return false;
  PyType_Modified(base);
  return true;
}

}  // namespace cucore::bind
