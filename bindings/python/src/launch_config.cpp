// SPDX-License-Identifier: Apache-2.0
// LaunchConfig: the options of a launch as one immutable object, made once and used often.
#include <cstddef>
#include <limits>

#include "launcher.hpp"
#include "object.hpp"

namespace cucore::bind {
namespace {

bool read_number(PyObject* value, const char* what, uint32_t& out) {
  const Object number(PyBool_Check(value) ? nullptr : PyNumber_Index(value));
  if (!number) {
    PyErr_Format(PyExc_TypeError, "%s: ints are needed, not %s", what, Py_TYPE(value)->tp_name);
    return false;
  }
  const long long wide = PyLong_AsLongLong(number.get());
  if (wide < 0 || wide > std::numeric_limits<uint32_t>::max()) {
    PyErr_Format(PyExc_ValueError, "%s: %R is not between 0 and 2**32 - 1", what, value);
    return false;
  }
  out = static_cast<uint32_t>(wide);
  return true;
}

bool read_signed(PyObject* value, const char* what, int32_t& out) {
  int overflow = 0;
  const long number = PyLong_AsLongAndOverflow(value, &overflow);
  if (number == -1 && !overflow && PyErr_Occurred()) return false;
  if (overflow || number != static_cast<int32_t>(number)) {
    PyErr_Format(PyExc_ValueError, "%s: %R does not fit 32 bits", what, value);
    return false;
  }
  out = static_cast<int32_t>(number);
  return true;
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"grid",           "block",       "cluster",
                                "dynamic_shared", "cooperative", "programmatic_serialization",
                                "priority",       nullptr};
  PyObject *grid = nullptr, *block = nullptr, *cluster = Py_None, *shared = nullptr,
           *priority = nullptr;
  int cooperative = 0, programmatic = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$OOppO:LaunchConfig",
                                   const_cast<char**>(names), &grid, &block, &cluster, &shared,
                                   &cooperative, &programmatic, &priority))
    return nullptr;
  Object self(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  cucore_launch_options& options = reinterpret_cast<LaunchConfigObject*>(self.get())->options;
  options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.cooperative = cooperative;
  options.programmatic_serialization = programmatic;
  const bool good = read_extent(grid, "grid", options.grid) &&
                    read_extent(block, "block", options.block) &&
                    (cluster == Py_None || read_extent(cluster, "cluster", options.cluster)) &&
                    (!shared || read_number(shared, "dynamic_shared", options.dynamic_shared)) &&
                    (!priority || read_signed(priority, "priority", options.priority));
  return good ? self.release() : nullptr;
}

void forget(PyObject* self) {
  if (reinterpret_cast<LaunchConfigObject*>(self)->weak) PyObject_ClearWeakRefs(self);
  Py_TYPE(self)->tp_free(self);
}

const cucore_launch_options& options_of(PyObject* self) {
  return reinterpret_cast<LaunchConfigObject*>(self)->options;
}

PyObject* tuple(const uint32_t* extent) {
  return Py_BuildValue("III", extent[0], extent[1], extent[2]);
}

PyObject* get_grid(PyObject* self, void*) { return tuple(options_of(self).grid); }
PyObject* get_block(PyObject* self, void*) { return tuple(options_of(self).block); }
PyObject* get_cluster(PyObject* self, void*) {
  if (options_of(self).cluster[0] == 0) Py_RETURN_NONE;
  return tuple(options_of(self).cluster);
}
PyObject* get_dynamic_shared(PyObject* self, void*) {
  return PyLong_FromUnsignedLong(options_of(self).dynamic_shared);
}
PyObject* get_cooperative(PyObject* self, void*) {
  return PyBool_FromLong(options_of(self).cooperative);
}
PyObject* get_programmatic(PyObject* self, void*) {
  return PyBool_FromLong(options_of(self).programmatic_serialization);
}
PyObject* get_priority(PyObject* self, void*) { return PyLong_FromLong(options_of(self).priority); }

// Returns all values, in the order of the arguments.
Object values_of(PyObject* self) {
  return Object(Py_BuildValue("NNNNNNN", get_grid(self, nullptr), get_block(self, nullptr),
                              get_cluster(self, nullptr), get_dynamic_shared(self, nullptr),
                              get_cooperative(self, nullptr), get_programmatic(self, nullptr),
                              get_priority(self, nullptr)));
}

PyObject* repr(PyObject* self) {
  const Object format(
      PyUnicode_FromString("LaunchConfig(grid=%r, block=%r, cluster=%r, dynamic_shared=%r, "
                           "cooperative=%r, programmatic_serialization=%r, priority=%r)"));
  const Object values = values_of(self);
  return format && values ? PyUnicode_Format(format.get(), values.get()) : nullptr;
}

Py_hash_t hash(PyObject* self) {
  const Object values = values_of(self);
  return values ? PyObject_Hash(values.get()) : -1;
}

PyObject* compare(PyObject* self, PyObject* other, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(other) != Py_TYPE(self))
    Py_RETURN_NOTIMPLEMENTED;
  const Object mine = values_of(self), theirs = values_of(other);
  return mine && theirs ? PyObject_RichCompare(mine.get(), theirs.get(), operation) : nullptr;
}

PyGetSetDef getters[] = {
    {"grid", get_grid, nullptr, "Blocks in x, y and z.", nullptr},
    {"block", get_block, nullptr, "Threads a block in x, y and z.", nullptr},
    {"cluster", get_cluster, nullptr, "Blocks a cluster in x, y and z, or None.", nullptr},
    {"dynamic_shared", get_dynamic_shared, nullptr, "Dynamic shared memory, in bytes a block.",
     nullptr},
    {"cooperative", get_cooperative, nullptr, "Whether all blocks run at once and may synchronise.",
     nullptr},
    {"programmatic_serialization", get_programmatic, nullptr,
     "Whether it may start before the kernel before it ends.", nullptr},
    {"priority", get_priority, nullptr, "The priority; 0 is the stream's.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject make_type() {
  PyTypeObject type{};
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(&type), 1);  // never freed
  type.tp_name = "cucore.LaunchConfig";
  type.tp_basicsize = sizeof(LaunchConfigObject);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_doc =
      "LaunchConfig(grid, block, *, cluster=None, dynamic_shared=0, cooperative=False, "
      "programmatic_serialization=False, priority=0)\n--\n\n"
      "How to launch a kernel. Grid and block are an int or up to three; the grid counts blocks.";
  type.tp_weaklistoffset = offsetof(LaunchConfigObject, weak);
  type.tp_new = make;
  type.tp_dealloc = forget;
  type.tp_repr = repr;
  type.tp_hash = hash;
  type.tp_richcompare = compare;
  type.tp_getset = getters;
  return type;
}

}  // namespace

bool read_extent(PyObject* value, const char* what, uint32_t out[3]) {
  out[1] = out[2] = 1;
  if (PyLong_CheckExact(value)) return read_number(value, what, out[0]);
  if (!PyTuple_Check(value) && !PyList_Check(value)) return read_number(value, what, out[0]);
  // A copy, because __index__ of an item may change a list.
  const Object items(PySequence_Tuple(value));
  if (!items) return false;
  const Py_ssize_t count = PyTuple_GET_SIZE(items.get());
  if (count < 1 || count > 3) {
    PyErr_Format(PyExc_ValueError, "%s: one to three ints are needed, not %zd", what, count);
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!read_number(PyTuple_GET_ITEM(items.get(), i), what, out[i])) return false;
  return true;
}

PyTypeObject LaunchConfigType = make_type();

}  // namespace cucore::bind
