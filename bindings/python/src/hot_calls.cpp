// SPDX-License-Identifier: Apache-2.0
#include "hot_calls.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "errors.hpp"
#include "graphs.hpp"
#include "handles.hpp"
#include "in_call.hpp"
#include "object.hpp"
#include "registered.hpp"
#include "slots.hpp"
#include "unlocked.hpp"

namespace cucore::bind {

void* event_type = nullptr;
void* buffer_type = nullptr;

namespace {

// Python 3.9 has no Py_NewRef().
PyObject* new_reference(PyObject* object) {
  Py_INCREF(object);
  return object;
}

// Calls the library without the interpreter's lock; returns whether it succeeded.
template <class Call>
bool succeeds(Call&& call, int tries = 0) {
  cucore_error* error = nullptr;
  Unlocked unlocked;
  const cucore_status status = call(&error);
  unlocked.lock();
  if (status == CUCORE_OK) [[likely]]
    return true;
  const auto is_repeated = [&] { return reclaim_or_raise(Failure(status, error), tries); };
  return guarded(is_repeated) && succeeds(call, tries + 1);
}

PyObject* new_object(PyObject* type, void* swig_type, void* pointer) {
  auto* const python_type = reinterpret_cast<PyTypeObject*>(type);
  PyObject* self = python_type->tp_alloc(python_type, 0);
  if (!self) return nullptr;
  auto* const handle = reinterpret_cast<Handle*>(self);
  handle->pointer = pointer;
  handle->type = swig_type;
  handle->own = 1;
  return self;
}

// The general form of a constructor: a tuple and a dict for tp_init.
PyObject* construct(PyObject* type, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  const Object positional(PyTuple_New(count));
  const Object named(names ? PyDict_New() : nullptr);
  if (!positional || (names && !named)) return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i)
    PyTuple_SET_ITEM(positional.get(), i, new_reference(args[i]));
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i)
    if (PyDict_SetItem(named.get(), PyTuple_GET_ITEM(names, i), args[count + i]) != 0)
      return nullptr;
  return PyType_Type.tp_call(type, positional.get(), named.get());
}

template <class Made, void (*RELEASE)(Made*)>
PyObject* wrap(PyObject* type, void* swig_type, Made* made) {
  PyObject* self = new_object(type, swig_type, made);
  if (!self) RELEASE(made);
  return self;
}

// Returns null, without an exception, for anything but an open object of the type.
template <class T>
T* open_handle(PyObject* object, Type type) {
  return Py_TYPE(object) == type_of(type) ? pointer_of<T>(object) : nullptr;
}

PyObject* make_event(PyObject* type, PyObject* const* args, size_t flags, PyObject* names) {
  const Py_ssize_t count = PyVectorcall_NARGS(flags);
  auto* device = count == 1 && !names ? open_handle<cucore_device>(args[0], Type::Device) : nullptr;
  if (!device) return construct(type, args, count, names);
  const InCall in_device(args[0]);
  cucore_event* event = nullptr;
  const bool is_made = succeeds(
      [&](cucore_error** error) { return cucore_event_create(device, nullptr, &event, error); });
  return is_made ? wrap<cucore_event, cucore_event_release>(type, event_type, event) : nullptr;
}

PyObject* make_buffer(PyObject* type, PyObject* const* args, size_t flags, PyObject* names) {
  const Py_ssize_t count = PyVectorcall_NARGS(flags);
  const bool is_common = count == 3 && !names && PyLong_CheckExact(args[1]);
  auto* device = is_common ? open_handle<cucore_device>(args[0], Type::Device) : nullptr;
  auto* stream = device ? open_handle<cucore_stream>(args[2], Type::Stream) : nullptr;
  int overflow = 0;
  const long long size = stream ? PyLong_AsLongLongAndOverflow(args[1], &overflow) : -1;
  if (size < 0) return construct(type, args, count, names);  // also after an overflow
  const InCall in_device(args[0]);
  const InCall in_stream(args[2]);
  cucore_buffer* buffer = nullptr;
  const bool is_made = succeeds([&](cucore_error** error) {
    return cucore_buffer_create(device, static_cast<size_t>(size), stream, &buffer, error);
  });
  return is_made ? wrap<cucore_buffer, cucore_buffer_release>(type, buffer_type, buffer) : nullptr;
}

using FastMethod = PyObject* (*)(PyObject* self, PyObject* const* args, Py_ssize_t count,
                                 PyObject* names);

PyObject* event_record(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* event_query(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* stream_record(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* prepared_run(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* serialize(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* graph_kernel(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* executable_update(PyObject* self, PyObject* const* args, Py_ssize_t count,
                            PyObject* names);

PyCFunction as_method(FastMethod method) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(method));
}

struct HotMethod {
  Type owner;
  const char* signature;
  PyMethodDef definition;
  PyObject* general = nullptr;  // for all other forms
};

constexpr int FLAGS = METH_FASTCALL | METH_KEYWORDS;
HotMethod event_record_method = {Type::Event,
                                 "record($self, stream=None, /)\n--\n\n",
                                 {"record", as_method(event_record), FLAGS, nullptr}};
HotMethod event_query_method = {
    Type::Event, "query($self, /)\n--\n\n", {"query", as_method(event_query), FLAGS, nullptr}};
HotMethod stream_record_method = {Type::Stream,
                                  "record($self, event=None, *, timing=True)\n--\n\n",
                                  {"record", as_method(stream_record), FLAGS, nullptr}};
HotMethod prepared_run_method = {Type::PreparedLaunch,
                                 "run($self, /)\n--\n\n",
                                 {"run", as_method(prepared_run), FLAGS, nullptr}};
HotMethod serialize_method = {Type::ObjectCode,
                              "serialize($self, *, compression=False, key=None)\n--\n\n",
                              {"serialize", as_method(serialize), FLAGS, nullptr}};
HotMethod graph_kernel_method = {Type::Graph,
                                 "kernel($self, kernel, config, /, *args, after=None)\n--\n\n",
                                 {"kernel", as_method(graph_kernel), FLAGS, nullptr}};
HotMethod executable_update_method = {Type::ExecutableGraph,
                                      "update($self, graph, /)\n--\n\n",
                                      {"update", as_method(executable_update), FLAGS, nullptr}};
HotMethod* const hot_methods[] = {
    &event_record_method, &event_query_method,  &stream_record_method,    &prepared_run_method,
    &serialize_method,    &graph_kernel_method, &executable_update_method};

PyObject* call_general(const HotMethod& method, PyObject* self, PyObject* const* args,
                       Py_ssize_t count, PyObject* names) {
  const Py_ssize_t all = count + (names ? PyTuple_GET_SIZE(names) : 0);
  const std::unique_ptr<PyObject*[]> values(new (std::nothrow)
                                                PyObject*[static_cast<size_t>(all) + 1]);
  if (!values) return PyErr_NoMemory();
  values[0] = self;
  std::copy(args, args + all, values.get() + 1);
  return PyObject_Vectorcall(method.general, values.get(), static_cast<size_t>(count) + 1, names);
}

bool record(PyObject* event_object, PyObject* stream_object) {
  auto* const event = pointer_of<cucore_event>(event_object);
  auto* const stream = pointer_of<cucore_stream>(stream_object);
  const InCall in_event(event_object);
  const InCall in_stream(stream_object);
  return succeeds([&](cucore_error** error) { return cucore_event_record(event, stream, error); });
}

PyObject* event_record(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  auto* event = pointer_of<cucore_event>(self);
  auto* stream =
      event && count == 1 && !names ? open_handle<cucore_stream>(args[0], Type::Stream) : nullptr;
  if (!stream) return call_general(event_record_method, self, args, count, names);
  if (!record(self, args[0])) return nullptr;
  Py_RETURN_NONE;
}

PyObject* event_query(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  auto* event = count == 0 && !names ? pointer_of<cucore_event>(self) : nullptr;
  if (!event) return call_general(event_query_method, self, args, count, names);
  const InCall in_event(self);
  int32_t done = 0;
  if (!succeeds([&](cucore_error** error) { return cucore_event_query(event, &done, error); }))
    return nullptr;
  return PyBool_FromLong(done);
}

PyObject* stream_record(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  auto* stream = pointer_of<cucore_stream>(self);
  auto* event =
      stream && count == 1 && !names ? open_handle<cucore_event>(args[0], Type::Event) : nullptr;
  if (!event) return call_general(stream_record_method, self, args, count, names);
  return record(args[0], self) ? new_reference(args[0]) : nullptr;
}

PyObject* prepared_run(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  auto* prepared = count == 0 && !names ? pointer_of<cucore_prepared_launch>(self) : nullptr;
  if (!prepared) return call_general(prepared_run_method, self, args, count, names);
  const InCall in_prepared(self);
  if (!succeeds([&](cucore_error** error) { return cucore_prepared_launch_run(prepared, error); }))
    return nullptr;
  Py_RETURN_NONE;
}

// The library writes into the bytes of the result, which has no other copy.
PyObject* serialize(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  auto* code = count == 0 && !names ? pointer_of<cucore_objectcode>(self) : nullptr;
  if (!code) return call_general(serialize_method, self, args, count, names);
  const InCall in_code(self);
  size_t size = 0;
  const auto write = [&](void* data) {
    return succeeds([&](cucore_error** error) {
      return cucore_objectcode_serialize(code, nullptr, data, size, &size, error);
    });
  };
  if (!write(nullptr)) return nullptr;
  Object bytes(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  return bytes && write(PyBytes_AS_STRING(bytes.get())) ? bytes.release() : nullptr;
}

// The attributes of Graph, of what it keeps, and of Node. Made once, and kept forever.
struct Attributes {
  PyObject* kept = PyUnicode_InternFromString("_kept");
  PyObject* after = PyUnicode_InternFromString("after");
  enum { KERNELS, OBJECTS, REUSED, STATE };
  Slots<4> of_kept{{PyUnicode_InternFromString("kernels"), PyUnicode_InternFromString("objects"),
                    PyUnicode_InternFromString("reused"), PyUnicode_InternFromString("state")}};
  enum { GRAPH, NUMBER };
  Slots<2> of_node{{PyUnicode_InternFromString("_graph"), PyUnicode_InternFromString("_number")}};
};
Attributes& attributes() {
  static Attributes all;
  return all;
}

// Returns the value of `after`: none, or the only named argument. Null for other names.
PyObject* after_of(PyObject* const* named, PyObject* names) {
  const Py_ssize_t count = names ? PyTuple_GET_SIZE(names) : 0;
  if (count == 0) return Py_None;
  const bool is_after =
      count == 1 && PyTuple_GET_ITEM(names, 0) == attributes().after;  // both are interned
  return is_after ? named[0] : nullptr;
}

// Returns null, without an exception, for a graph without kernel nodes.
PyObject* kept_of(PyObject* graph) {
  PyObject* const members = reinterpret_cast<Handle*>(graph)->dict;
  PyObject* const kept = members ? PyDict_GetItemWithError(members, attributes().kept) : nullptr;
  Slots<4>& slots = attributes().of_kept;
  return kept && slots.are_in(Py_TYPE(kept)) && slots.are_set(kept) ? kept : nullptr;
}

PyObject* new_node(PyObject* graph, Object number) {
  auto* const type = reinterpret_cast<PyTypeObject*>(registered.node);
  PyObject* const node = number ? type->tp_alloc(type, 0) : nullptr;
  if (!node) return nullptr;
  const Slots<2>& slots = attributes().of_node;
  slots.in(node, Attributes::GRAPH) = new_reference(graph);
  slots.in(node, Attributes::NUMBER) = number.release();
  return node;
}

// The general method makes what Python keeps with the first node.
PyObject* graph_kernel(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  Attributes& all = attributes();
  auto* const node_type = reinterpret_cast<PyTypeObject*>(registered.node);
  PyObject* const after = count >= 2 && node_type && all.of_node.are_in(node_type)
                              ? after_of(args + count, names)
                              : nullptr;
  const Object kept = Object::borrowed(after ? kept_of(self) : nullptr);
  if (!kept) {
    PyErr_Clear();
    return call_general(graph_kernel_method, self, args, count, names);
  }
  const auto member = [&](size_t index) {
    return Object::borrowed(all.of_kept.in(kept.get(), index));
  };
  const Object kernels = member(Attributes::KERNELS), objects = member(Attributes::OBJECTS),
               reused = member(Attributes::REUSED);
  const bool is_node = Py_TYPE(after) == node_type && all.of_node.are_set(after);
  PyObject* const number = is_node ? all.of_node.in(after, Attributes::NUMBER) : after;
  Object added(add_kernel_node({self, number, args[0], args[1], args + 2, count - 2},
                               {kernels.get(), objects.get(), reused.get()}));
  if (!added) return nullptr;
  PyObject*& state = all.of_kept.in(kept.get(), Attributes::STATE);
  Py_SETREF(state, new_reference(Py_None));
  return new_node(self, std::move(added));
}

// Whether the executable keeps in Python what the graph keeps.
bool keep_the_same(PyObject* executable, PyObject* graph) {
  PyObject* const own = kept_of(executable);
  PyObject* const other = own ? kept_of(graph) : nullptr;
  if (!other) {
    PyErr_Clear();
    return false;
  }
  const Slots<4>& slots = attributes().of_kept;
  PyObject* const state = slots.in(own, Attributes::STATE);
  return state != Py_None && state == slots.in(other, Attributes::STATE);
}

// The general method also lets the executable keep what the graph keeps.
PyObject* executable_update(PyObject* self, PyObject* const* args, Py_ssize_t count,
                            PyObject* names) {
  auto* const executable = pointer_of<cucore_executable>(self);
  const auto* const graph = executable && count == 1 && !names
                                ? open_handle<cucore_graph>(args[0], Type::Graph)
                                : nullptr;
  if (!graph || !keep_the_same(self, args[0]))
    return call_general(executable_update_method, self, args, count, names);
  const InCall in_executable(self);
  const InCall in_graph(args[0]);
  const auto update = [&](cucore_error** error) {
    return cucore_executable_update(executable, graph, nullptr, error);
  };
  if (!succeeds(update)) return nullptr;
  Py_RETURN_NONE;
}

// The signature with the general method's text; lives as long as the type.
const char* document(const HotMethod& method) {
  const Object text(PyObject_GetAttrString(method.general, "__doc__"));
  const char* behind = text && PyUnicode_Check(text.get()) ? PyUnicode_AsUTF8(text.get()) : nullptr;
  const Object whole(behind ? PyUnicode_FromFormat("%s%s", method.signature, behind) : nullptr);
  const char* kept = whole ? PyUnicode_AsUTF8(whole.get()) : nullptr;
  return kept ? strdup(kept) : nullptr;
}

}  // namespace

PyObject* quicken(PyTypeObject* type, const char* name, PyObject* method) {
  for (HotMethod* hot : hot_methods) {
    if (type != type_of(hot->owner) || strcmp(name, hot->definition.ml_name) != 0) continue;
    Py_XSETREF(hot->general, new_reference(method));
    if (!hot->definition.ml_doc) hot->definition.ml_doc = document(*hot);
    return hot->definition.ml_doc ? PyDescr_NewMethod(type, &hot->definition) : nullptr;
  }
  return new_reference(method);
}

namespace {

// Replaces a method of SWIG.
bool replace(Type owner, const char* name) {
  PyTypeObject* const type = type_of(owner);
  const Object general(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), name));
  const Object quick(general ? quicken(type, name, general.get()) : nullptr);
  return quick && PyDict_SetItemString(type->tp_dict, name, quick.get()) == 0;
}

}  // namespace

bool add_hot_calls() {
  type_of(Type::Event)->tp_vectorcall = make_event;
  type_of(Type::Buffer)->tp_vectorcall = make_buffer;
  return replace(Type::Event, "record") && replace(Type::Event, "query") &&
         replace(Type::PreparedLaunch, "run");
}

}  // namespace cucore::bind
