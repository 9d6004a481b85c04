// SPDX-License-Identifier: Apache-2.0
#include "graphs.hpp"

#include <cstdint>
#include <cstring>

#include "arguments.hpp"
#include "convert.hpp"
#include "errors.hpp"
#include "failure.hpp"
#include "handles.hpp"
#include "in_call.hpp"
#include "kernel_parameters.hpp"
#include "launcher.hpp"
#include "numpy_scalars.hpp"
#include "object.hpp"
#include "prepared_launch.hpp"
#include "refusals.hpp"
#include "unlocked.hpp"

namespace cucore::bind {
namespace {

// The legacy default stream of a graph's device: arrays of other libraries are made ready for it.
template <class Graph>
Object default_stream(const Graph* graph,
                      cucore_status (*device_of)(const Graph*, cucore_device**, cucore_error**)) {
  cucore_device* device = nullptr;
  cucore_stream* stream = nullptr;
  try {
    device = made<cucore_device*>(device_of, graph);
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

// The arguments of a kernel node.
struct Work {
  const cucore_kernel* kernel = nullptr;
  const cucore_stream* stream = nullptr;
  PyObject* const* values = nullptr;
  Arguments arguments;

  bool pack(PyObject* kernel_object, const Object& stream_object, PyObject* const* given,
            Py_ssize_t count) {
    if (!stream_object) return false;
    kernel = static_cast<cucore_kernel*>(handle_of(kernel_object, Type::Kernel));
    if (!kernel) return false;
    stream = pointer_of<const cucore_stream>(stream_object.get());
    values = given;
    return arguments.pack(kernel, parameters_of(kernel_object, stream), stream, values,
                          static_cast<size_t>(count));
  }

  // Raises the exception of a failed call.
  void refuse(cucore_status status, cucore_error* error) const {
    if (!kernel || !refuse_buffer(status, kernel, stream, values, arguments.size()))
      raise(status, error);
    else
      cucore_error_release(error);
  }
};

PyObject* none() { return Object::borrowed(Py_None).release(); }

PyObject* own(const cucore_kernel* kernel) {
  return kernel ? new_kernel(cucore_kernel_retain(kernel)) : none();
}

// The stream for which arrays are made ready, and a Kernel of the graph's own. Later nodes use them
// again.
class Reused {
 public:
  Reused(cucore_graph* graph, PyObject* list) : list_(list) {
    if (PyList_GET_SIZE(list) != 0) {
      stream_ = Object::borrowed(PyList_GET_ITEM(list, STREAM));
      return;
    }
    stream_ = default_stream<cucore_graph>(graph, cucore_graph_device);
    // another thread may have been first
    if (stream_ && PyList_GET_SIZE(list) == 0 &&
        (PyList_Append(list, stream_.get()) != 0 || PyList_Append(list, Py_None) != 0))
      stream_ = Object();
  }
  const Object& stream() const { return stream_; }

  // Returns the Kernel of the node before if it is the same, else a new one.
  Object own(const cucore_kernel* kernel) const {
    PyObject* const before = PyList_GET_ITEM(list_, KERNEL);
    if (before != Py_None && pointer_of<const cucore_kernel>(before) == kernel)
      return Object::borrowed(before);
    Object made(bind::own(kernel));
    if (made) PyList_SetItem(list_, KERNEL, Object::borrowed(made.get()).release());
    return made;
  }

 private:
  static constexpr Py_ssize_t STREAM = 0, KERNEL = 1;
  PyObject* const list_;
  Object stream_;
};

// Returns a list of what the arguments need, or None if all of them are numbers and Buffers: the
// values of numbers are copied.
Object objects_of(const Work& work) {
  for (size_t i = 0; i < work.arguments.size(); ++i) {
    PyObject* const value = work.values[i];
    const bool is_number =
        PyFloat_CheckExact(value) || PyLong_CheckExact(value) || find_numpy_scalar(value);
    if (work.arguments.keeper_of(i) || (!is_number && !is(value, Type::Buffer)))
      return list_of(work.values, work.arguments);
  }
  return Object::borrowed(Py_None);
}

PyObject* from(const uint32_t (&extents)[3]) {
  return Py_BuildValue("III", extents[0], extents[1], extents[2]);
}

PyObject* text(const char* words) {
  return PyUnicode_DecodeUTF8(words, static_cast<Py_ssize_t>(std::strlen(words)),
                              "surrogateescape");
}

// The parts of a change of a kernel node. Each may be null.
struct Change {
  cucore_node node = 0;
  const cucore_kernel* kernel = nullptr;
  const cucore_launch_options* options = nullptr;
};

template <class Graph, class Function>
cucore_status set(Function* function, Graph* graph, const Change& change, const Work& work,
                  cucore_error** error) {
  // Without arguments, a kernel has no array of them; the values before are none either.
  const cucore_argument* const arguments = work.kernel ? work.arguments.data() : nullptr;
  Unlocked call;
  const cucore_status status = function(graph, change.node, change.kernel, change.options,
                                        arguments, work.arguments.size(), error);
  call.lock();
  return status;
}

}  // namespace

bool NodeList::open(PyObject* value) {
  if (value == Py_None) return true;
  if (PyLong_CheckExact(value)) {
    one_ = PyLong_AsUnsignedLongLong(value);
    if (one_ != static_cast<cucore_node>(-1) || !PyErr_Occurred()) return has_one_ = true;
    PyErr_Clear();  // to_integer() describes what is wrong
  }
  if (PyIndex_Check(value)) return has_one_ = to_integer(value, "node", one_);
  const Object items(PySequence_Fast(value, "nodes: a node or a sequence of nodes is needed"));
  if (!items) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    cucore_node node = 0;
    if (!to_integer(PySequence_Fast_GET_ITEM(items.get(), i), "node", node)) return false;
    if (!guarded([&] { return many_.push_back(node), true; })) return false;
  }
  return true;
}

PyObject* tuple_of(const std::vector<cucore_node>& nodes) {
  Object tuple(PyTuple_New(static_cast<Py_ssize_t>(nodes.size())));
  for (size_t i = 0; tuple && i < nodes.size(); ++i) {
    PyObject* const number = PyLong_FromUnsignedLongLong(nodes[i]);
    if (!number) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), number);
  }
  return tuple.release();
}

PyObject* tuple_of(const cucore_node_info& info) {
  return Py_BuildValue("NNNNNNIKKKKKKKKKKKiKKKKKKK", from_enum(EnumClass::NodeKind, info.kind),
                       text(info.label), text(info.kernel), from(info.grid), from(info.block),
                       from(info.cluster), info.dynamic_shared, info.destination, info.source,
                       info.size, info.pattern, info.pattern_size, info.dependency_count,
                       info.dependent_count, info.tools_id, reinterpret_cast<uint64_t>(info.event),
                       reinterpret_cast<uint64_t>(info.native), info.condition, info.comparison,
                       info.width, info.height, info.depth, info.destination_row_bytes,
                       info.destination_slice_rows, info.source_row_bytes, info.source_slice_rows);
}

PyObject* add_kernel_node(const KernelNode& wanted, const KeptByNode& kept) {
  auto* const graph = static_cast<cucore_graph*>(handle_of(wanted.graph, Type::Graph));
  if (!graph) return nullptr;
  NodeList after;
  const cucore_launch_options* const options =
      after.open(wanted.after) ? options_of(wanted.config) : nullptr;
  if (!options) return nullptr;
  if (!handle_of(wanted.kernel, Type::Kernel)) return nullptr;
  const InCall in_graph(wanted.graph);
  const InCall in_kernel(wanted.kernel);
  const Reused reused(graph, kept.reused);
  Work work;
  if (!work.pack(wanted.kernel, reused.stream(), wanted.values, wanted.count)) return nullptr;
  const Object kernel = reused.own(work.kernel);
  const Object objects = objects_of(work);
  if (!kernel || !objects) return nullptr;
  cucore_node node = 0;
  cucore_error* error = nullptr;
  Unlocked call;
  const cucore_status status =
      cucore_graph_add_kernel(graph, after.data(), after.size(), work.kernel, options,
                              work.arguments.data(), work.arguments.size(), &node, &error);
  call.lock();
  if (status != CUCORE_OK) {
    work.refuse(status, error);
    return nullptr;
  }
  Object number(PyLong_FromUnsignedLongLong(node));
  const bool is_kept =
      number && PyDict_SetItem(kept.kernels, number.get(), kernel.get()) == 0 &&
      (objects.get() == Py_None || PyDict_SetItem(kept.objects, number.get(), objects.get()) == 0);
  return is_kept ? number.release() : nullptr;
}

PyObject* add_kernel(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 8 || !PyTuple_Check(args[4]) || !PyList_Check(args[7]))
    return PyErr_Format(PyExc_TypeError,
                        "8 arguments are needed, the fifth a tuple and the last a list");
  return add_kernel_node({args[0], args[1], args[2], args[3], &PyTuple_GET_ITEM(args[4], 0),
                          PyTuple_GET_SIZE(args[4])},
                         {args[5], args[6], args[7]});
}

PyObject* set_kernel(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 6) return PyErr_Format(PyExc_TypeError, "6 arguments are needed, not %zd", count);
  const bool is_graph = is(args[0], Type::Graph);
  void* const graph = handle_of(args[0], is_graph ? Type::Graph : Type::ExecutableGraph);
  auto* const definition = static_cast<cucore_graph*>(graph);
  auto* const executable = static_cast<cucore_executable*>(graph);
  Change change;
  if (!graph || !to_integer(args[1], "node", change.node)) return nullptr;
  const InCall in_graph(args[0]);
  PyObject* const kernel = args[2];
  if (args[3] == Py_True) {
    change.kernel = static_cast<cucore_kernel*>(handle_of(kernel, Type::Kernel));
    if (!change.kernel) return nullptr;
  }
  if (args[4] != Py_None && !(change.options = options_of(args[4]))) return nullptr;
  const bool is_kernel = is(kernel, Type::Kernel);
  const InCall in_kernel(is_kernel ? kernel : args[0]);
  Object stream;
  Work work;
  if (args[5] != Py_None) {
    stream = is_graph ? default_stream<cucore_graph>(definition, cucore_graph_device)
                      : default_stream<cucore_executable>(executable, cucore_executable_device);
    if (!PyTuple_Check(args[5]))
      return PyErr_Format(PyExc_TypeError, "the arguments of a kernel must be a tuple");
    if (!work.pack(kernel, stream, &PyTuple_GET_ITEM(args[5], 0), PyTuple_GET_SIZE(args[5])))
      return nullptr;
  }
  cucore_error* error = nullptr;
  const cucore_status status =
      is_graph ? set(cucore_graph_set_kernel, definition, change, work, &error)
               : set(cucore_executable_set_kernel, executable, change, work, &error);
  if (status != CUCORE_OK) {
    work.refuse(status, error);
    return nullptr;
  }
  return Py_BuildValue("NN", own(change.kernel),
                       work.kernel ? list_of(work.values, work.arguments).release() : none());
}

PyObject* executable_call(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
  if (PyVectorcall_NARGS(count) != 1 || (names && PyTuple_GET_SIZE(names) != 0)) {
    PyErr_SetString(PyExc_TypeError, "an executable is called with a stream: executable(stream)");
    return nullptr;
  }
  const auto* const executable =
      static_cast<cucore_executable*>(handle_of(self, Type::ExecutableGraph));
  if (!executable) return nullptr;
  Object kept;
  const cucore_stream* const stream = stream_of(args[0], kept);
  if (!stream) return nullptr;
  const InCall in_executable(self);
  const InCall in_stream(kept ? kept.get() : args[0]);
  cucore_error* error = nullptr;
  Unlocked call;
  const cucore_status status = cucore_executable_launch(executable, stream, &error);
  call.lock();
  if (status == CUCORE_OK) Py_RETURN_NONE;
  raise(status, error);
  return nullptr;
}

// For an object without a handle, which has no function for vectors either.
PyObject* executable_call_tuple(PyObject* self, PyObject* args, PyObject* keywords) {
  const bool has_keywords = keywords && PyDict_GET_SIZE(keywords) != 0;
  PyObject* const* const items = reinterpret_cast<PyTupleObject*>(args)->ob_item;
  return executable_call(self, items, has_keywords ? 0 : size_t(PyTuple_GET_SIZE(args)), nullptr);
}

PyObject* executable_subscript(PyObject* self, PyObject* node) {
  return PyObject_CallMethod(self, "node", "O", node);
}

}  // namespace cucore::bind
