// SPDX-License-Identifier: Apache-2.0
// Graphs from Python: lists of nodes, and kernel nodes, whose arguments are converted as those of a
// launch.
#pragma once

#include <Python.h>
#include <cucore.h>

#include <cstddef>
#include <vector>

namespace cucore::bind {

// Nodes that a call reads: one node, a sequence, or None. A node is an int or has __index__().
class NodeList {
 public:
  bool open(PyObject* value);
  const cucore_node* data() const { return many_.empty() ? &one_ : many_.data(); }
  size_t size() const { return many_.empty() ? size_t{has_one_} : many_.size(); }

 private:
  // A single node needs no memory of its own.
  cucore_node one_ = 0;
  bool has_one_ = false;
  std::vector<cucore_node> many_;
};

PyObject* tuple_of(const std::vector<cucore_node>& nodes);
// In the order of the fields of Python's NodeInfo.
PyObject* tuple_of(const cucore_node_info& info);

// A call of Graph.kernel().
struct KernelNode {
  PyObject* graph;
  PyObject* after;  // as NodeList::open() takes it
  PyObject* kernel;
  PyObject* config;
  PyObject* const* values;
  Py_ssize_t count;
};

// The containers in which Python keeps objects for the kernel nodes of a graph.
struct KeptByNode {
  PyObject* kernels;  // {number: a Kernel of the graph's own}
  PyObject* objects;  // {number: the objects of the arguments}
  PyObject* reused;   // a list for the next call
};

// Adds the node, and what it needs. Returns its number, or null with an exception.
PyObject* add_kernel_node(const KernelNode& node, const KeptByNode& kept);

// _add_kernel(graph, after, kernel, config, args, kernels, objects, reused): node. Adds a Kernel of
// the graph's own and the objects to keep to the dicts. `reused` is a list for the next call.
PyObject* add_kernel(PyObject* module, PyObject* const* args, Py_ssize_t count);

// _set_kernel(graph, node, kernel, is_new, config, args): (a Kernel of its own, objects to keep).
// The graph may be an executable. Arguments are converted for the kernel, and None leaves what was.
PyObject* set_kernel(PyObject* module, PyObject* const* args, Py_ssize_t count);

// executable(stream) and executable[node]
PyObject* executable_call(PyObject* self, PyObject* const* args, size_t count, PyObject* names);
PyObject* executable_call_tuple(PyObject* self, PyObject* args, PyObject* keywords);
PyObject* executable_subscript(PyObject* self, PyObject* node);

}  // namespace cucore::bind
