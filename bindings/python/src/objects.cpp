// SPDX-License-Identifier: Apache-2.0
// Closing, comparing and printing of all objects.
#include "objects.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "graphs.hpp"
#include "handles.hpp"
#include "held.hpp"
#include "in_call.hpp"
#include "launcher.hpp"
#include "object.hpp"
#include "registered.hpp"
#include "unlocked.hpp"

namespace cucore::bind {

Constructor new_device = nullptr;

namespace {

bool has_shown_driver = false;

void release(Type type, void* pointer) {
#define CUCORE_RELEASE(Class, handle, name) [](void* p) { bind::release(static_cast<handle*>(p)); },
  static constexpr void (*ALL[])(void*) = {CUCORE_HANDLES(CUCORE_RELEASE)};
#undef CUCORE_RELEASE
  ALL[static_cast<int>(type)](pointer);
}

// The exact type is found by comparisons alone.
Type type_of(PyObject* self) {
  for (int i = 0; i < static_cast<int>(Type::COUNT); ++i)
    if (Py_TYPE(self) == types[i]) return static_cast<Type>(i);
  int i = 0;
  while (!is(self, static_cast<Type>(i))) ++i;
  return static_cast<Type>(i);
}

const char* name_of(int32_t memory_kind) {
  return memory_kind == CUCORE_MEMORY_KIND_DEVICE    ? "device memory"
         : memory_kind == CUCORE_MEMORY_KIND_PINNED  ? "pinned memory"
         : memory_kind == CUCORE_MEMORY_KIND_MANAGED ? "managed memory"
                                                     : "memory";
}

template <class T>
int ordinal_of(const T* object, cucore_status (*get)(const T*, cucore_device**, cucore_error**)) {
  cucore_device* device = nullptr;
  get(object, &device, nullptr);
  const int ordinal = cucore_device_ordinal(device);
  cucore_device_release(device);
  return ordinal;
}

PyObject* describe(const char* type, const cucore_buffer* buffer) {
  const size_t size = cucore_buffer_size(buffer);
  return PyUnicode_FromFormat("<%s of %zu byte%s of %s at %p, device %d>", type, size, plural(size),
                              name_of(cucore_buffer_memory_kind(buffer)),
                              cucore_buffer_native(buffer),
                              ordinal_of(buffer, cucore_buffer_device));
}

PyObject* describe(const char* type, const cucore_stream* stream) {
  const int ordinal = ordinal_of(stream, cucore_stream_device);
  const uint64_t id = cucore_stream_id(stream);
  if (id <= 2 + 4 * static_cast<uint64_t>(ordinal))
    return PyUnicode_FromFormat("<%s %s default of device %d>", type,
                                id % 4 == 1 ? "legacy" : "per-thread", ordinal);
  return PyUnicode_FromFormat("<%s %p of device %d, priority %d, %s>", type,
                              reinterpret_cast<void*>(id), ordinal, cucore_stream_priority(stream),
                              cucore_stream_is_nonblocking(stream) ? "nonblocking" : "blocking");
}

PyObject* describe(const char* type, const cucore_event* event) {
  return PyUnicode_FromFormat("<%s at %p of device %d, %s timing%s>", type, event,
                              ordinal_of(event, cucore_event_device),
                              cucore_event_has_timing(event) ? "with" : "without",
                              cucore_event_is_blocking_sync(event) ? ", waits sleep" : "");
}

PyObject* describe(const char* type, const cucore_device* device) {
  return PyUnicode_FromFormat("<%s %d '%s'>", type, cucore_device_ordinal(device),
                              cucore_device_name(device));
}

PyObject* named(const char* type, const char* name) {
  return *name ? PyUnicode_FromFormat("<%s '%s'>", type, name) : nullptr;
}

PyObject* describe(const char* type, const cucore_objectcode* code) {
  return named(type, cucore_objectcode_name(code));
}

PyObject* describe(const char* type, const cucore_kernel* kernel) {
  return named(type, cucore_kernel_name(kernel));
}

PyObject* describe(const char* type, const cucore_cache* cache) {
  return named(type, cucore_cache_directory(cache));
}

// Of a type that has no description of its own.
PyObject* describe(const char*, const void*) { return nullptr; }

// Returns null without an exception for a type without a description.
PyObject* describe(const char* name, const void* pointer, Type type) {
#define CUCORE_DESCRIBE(Class, handle, java_name) \
  [](const char* of, const void* p) { return describe(of, static_cast<const handle*>(p)); },
  static constexpr PyObject* (*ALL[])(const char*, const void*) = {CUCORE_HANDLES(CUCORE_DESCRIBE)};
#undef CUCORE_DESCRIBE
  return ALL[static_cast<int>(type)](name, pointer);
}

void release_unlocked(Type type, void* pointer) {
  Unlocked call;
  release(type, pointer);
  call.lock();
}

PyObject* close(PyObject* self, PyObject*) {
  auto* handle = reinterpret_cast<Handle*>(self);
  void* pointer = handle->pointer;
  const bool own = handle->own != 0;
  // Its hash in a set or a dict stays.
  if (pointer) handle->own = static_cast<int>(hash(self));
  handle->pointer = nullptr;
  if (pointer && own && handle->calls != 0) {
    if (!handle->closed) handle->closed = new std::vector<void*>;
    handle->closed->push_back(pointer);
  } else if (pointer && own) {
    release_unlocked(type_of(self), pointer);
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
    {"close", guarded_call<close>, METH_NOARGS,
     "close($self, /)\n--\n\nReleases the native object now. Closing twice does nothing; any "
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

// SWIG writes a line break before a text of several lines; Python reads a signature only at the
// beginning.
void begin_with_signature(PyMethodDef* method) {
  if (method->ml_doc && *method->ml_doc == '\n') ++method->ml_doc;
}

// SWIG's own methods (acquire, disown, next, own, this ...) are for its proxies, not for users.
bool remove_others(PyTypeObject* type) {
  for (const char* name : {"acquire", "append", "disown", "next", "own", "this", "thisown"})
    if (PyDict_GetItemString(type->tp_dict, name) && PyDict_DelItemString(type->tp_dict, name) != 0)
      return false;
  return true;
}

}  // namespace

PyObject* complete(PyObject* made, bool by_constructor) {
  if (made && !by_constructor && Py_TYPE(made)->tp_weaklistoffset == offsetof(Handle, weak)) {
    auto* handle = reinterpret_cast<Handle*>(made);
    handle->weak = nullptr;
    handle->calls = 0;
    handle->closed = nullptr;
    handle->call = Py_TYPE(made) == type_of(Type::ExecutableGraph) ? executable_call : nullptr;
  }
  return made;
}

void release_closed(PyObject* object) {
  auto* handle = reinterpret_cast<Handle*>(object);
  const std::unique_ptr<std::vector<void*>> closed(std::exchange(handle->closed, nullptr));
  for (void* pointer : *closed) release_unlocked(type_of(object), pointer);
}

void forget(PyObject* self) {
  auto* handle = reinterpret_cast<Handle*>(self);
  if (handle->weak) PyObject_ClearWeakRefs(self);
  if (handle->pointer && handle->own) release_unlocked(type_of(self), handle->pointer);
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
  PyObject* description = describe(type, handle->pointer, type_of(self));
  if (description || PyErr_Occurred()) return description;
  // The name or the first line of a source, which the layer has noted.
  PyObject* title = handle->dict ? PyDict_GetItemString(handle->dict, "_title") : nullptr;
  if (title) return PyUnicode_FromFormat("<%s %R>", type, title);
  return PyUnicode_FromFormat("<%s at %p>", type, handle->pointer);
}

// Streams are their CUstream; all other objects are what the library holds.
uint64_t identity(PyObject* self) {
  void* pointer = reinterpret_cast<Handle*>(self)->pointer;
  return pointer && is(self, Type::Stream)
             ? cucore_stream_id(static_cast<const cucore_stream*>(pointer))
             : reinterpret_cast<uintptr_t>(pointer);
}

Py_hash_t hash(PyObject* self) {
  const auto* handle = reinterpret_cast<Handle*>(self);
  if (!handle->pointer) return handle->own;
  const int value = static_cast<int>(identity(self) >> (is(self, Type::Stream) ? 0 : 4));
  return value == -1 ? -2 : value;
}

// Two objects are equal if they are the same native object.
PyObject* compare(PyObject* self, PyObject* other, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || !is(other, type_of(self)))
    Py_RETURN_NOTIMPLEMENTED;
  const uint64_t mine = identity(self);
  const bool equal = self == other || (mine && mine == identity(other));
  return PyBool_FromLong(equal == (operation == Py_EQ));
}

PyObject* event_subtract(PyObject* end, PyObject* start) {
  if (!is(end, Type::Event) || !is(start, Type::Event)) Py_RETURN_NOTIMPLEMENTED;
  auto* from = static_cast<cucore_event*>(handle_of(start, Type::Event));
  auto* to = from ? static_cast<cucore_event*>(handle_of(end, Type::Event)) : nullptr;
  if (!to) return nullptr;
  float milliseconds = 0;
  cucore_error* error = nullptr;
  const cucore_status status = cucore_event_elapsed(from, to, &milliseconds, &error);
  if (status == CUCORE_OK) return PyFloat_FromDouble(static_cast<double>(milliseconds));
  raise(status, error);
  return nullptr;
}

// The first device shows which driver was chosen.
int device_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (new_device(self, args, kwargs) != 0) return -1;
  if (has_shown_driver) return 0;
  has_shown_driver = true;
  if (!cucore_device_is_emulated(pointer_of<cucore_device>(self))) return 0;
  const Object done(PyObject_CallNoArgs(registered.warn_of_cpu_device));
  return done ? 0 : -1;
}

namespace {

// Notes what repr() shows of a program: its name, its path or the begin of its source.
int note_title(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* shown = kwargs ? PyDict_GetItemString(kwargs, "name") : nullptr;
  if ((!shown || shown == Py_None) && PyTuple_GET_SIZE(args) != 0)
    shown = PyTuple_GET_ITEM(args, 0);
  if (!shown) return 0;
  Object title(PyObject_Str(shown));
  if (PyBytes_Check(shown))
    title =
        Object(PyUnicode_DecodeUTF8(PyBytes_AS_STRING(shown), PyBytes_GET_SIZE(shown), "replace"));
  constexpr Py_ssize_t MOST = 40;
  if (title && PyUnicode_GET_LENGTH(title.get()) > MOST)
    title = Object(PyUnicode_Substring(title.get(), 0, MOST));
  PyObject*& dict = reinterpret_cast<Handle*>(self)->dict;
  if (!dict) dict = PyDict_New();
  return title && dict ? PyDict_SetItemString(dict, "_title", title.get()) : -1;
}

}  // namespace

// A function in Python turns the keywords into the arguments of SWIG's constructor.
int init_by_keywords(const char* type, Constructor constructor, PyObject* self, PyObject* args,
                     PyObject* kwargs) {
  if (reinterpret_cast<Handle*>(self)->pointer) {
    PyErr_Format(PyExc_TypeError, "a %s is made once", Py_TYPE(self)->tp_name);
    return -1;
  }
  PyObject* function = PyDict_GetItemString(registered.arguments, type);
  if (!function) {
    PyErr_Format(PyExc_SystemError, "the keywords of %s are not registered", type);
    return -1;
  }
  const Object arguments(PyObject_Call(function, args, kwargs));
  if (!arguments || constructor(self, arguments.get(), nullptr) != 0) return -1;
  return is(self, Type::Program) ? note_title(self, args, kwargs) : 0;
}

void begin_with_signatures(PyObject* module) {
  PyObject *name = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(PyModule_GetDict(module), &at, &name, &value))
    if (PyCFunction_Check(value))
      begin_with_signature(reinterpret_cast<PyCFunctionObject*>(value)->m_ml);
}

bool add_common_methods() {
  for (PyTypeObject* type : types) {
    // No object exists yet.
    type->tp_basicsize = sizeof(Handle);
    type->tp_weaklistoffset = offsetof(Handle, weak);
    for (PyMethodDef* method = type->tp_methods; method && method->ml_name; ++method)
      begin_with_signature(method);
    for (PyMethodDef& method : methods)
      if (!add(type, method.ml_name, PyDescr_NewMethod(type, &method))) return false;
    if (!add(type, closed.name, PyDescr_NewGetSet(type, &closed)) || !remove_others(type))
      return false;
    if (type == bind::type_of(Type::Stream) || type == bind::type_of(Type::Future))
      type->tp_as_async = &awaiting;
    if (type == bind::type_of(Type::Kernel)) type->tp_call = kernel_call;
    if (type == bind::type_of(Type::ExecutableGraph)) {
      type->tp_call = executable_call_tuple;
      type->tp_vectorcall_offset = offsetof(Handle, call);
      type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    }
    PyType_Modified(type);
  }
  PyTypeObject* base = types[0]->tp_base;
  if (!remove_others(base)) return false;
  PyType_Modified(base);
  return true;
}

}  // namespace cucore::bind
