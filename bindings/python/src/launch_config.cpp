// SPDX-License-Identifier: Apache-2.0
// LaunchConfig: the options of a launch as one immutable object, made once and used often.
#include <cstddef>
#include <limits>

#include "convert.hpp"
#include "launch_more.hpp"
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

// A number of 32 bits; null: not given.
bool read_optional(PyObject* value, const char* what, int32_t& out) {
  return !value || read_signed(value, what, out);
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"grid",
                                "block",
                                "cluster",
                                "dynamic_shared",
                                "cooperative",
                                "programmatic_serialization",
                                "priority",
                                "preferred_cluster",
                                "cluster_scheduling",
                                "shared_carveout",
                                "memory_domain",
                                "memory_domain_map",
                                "programmatic_event",
                                "programmatic_at_start",
                                "completion_event",
                                "access_window",
                                "device_updatable",
                                "nvlink_scheduling",
                                "attributes",
                                nullptr};
  PyObject *grid = nullptr, *block = nullptr, *cluster = Py_None, *shared = nullptr,
           *priority = nullptr, *preferred = Py_None, *scheduling = nullptr, *carveout = nullptr,
           *domain = nullptr, *map = nullptr;
  PointedTo pointed_to{};
  int cooperative = 0, programmatic = 0, at_start = 0, updatable = 0, nvlink = 0;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "OO|$OOppOOOOOOOpOOppO:LaunchConfig", const_cast<char**>(names), &grid,
          &block, &cluster, &shared, &cooperative, &programmatic, &priority, &preferred,
          &scheduling, &carveout, &domain, &map, &pointed_to.programmatic_event, &at_start,
          &pointed_to.completion_event, &pointed_to.access_window, &updatable, &nvlink,
          &pointed_to.attributes))
    return nullptr;
  Object self(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  auto* const config = reinterpret_cast<LaunchConfigObject*>(self.get());
  cucore_launch_options& options = config->options;
  options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.cooperative = cooperative;
  options.programmatic_serialization = programmatic;
  options.programmatic_at_start = at_start;
  options.device_updatable = updatable;
  options.nvlink_scheduling = nvlink;
  int32_t policy = 0;
  const bool good = read_extent(grid, "grid", options.grid) &&
                    read_extent(block, "block", options.block) &&
                    (cluster == Py_None || read_extent(cluster, "cluster", options.cluster)) &&
                    (!shared || read_number(shared, "dynamic_shared", options.dynamic_shared)) &&
                    read_optional(priority, "priority", options.priority) &&
                    (preferred == Py_None ||
                     read_extent(preferred, "preferred_cluster", options.preferred_cluster)) &&
                    read_optional(scheduling, "cluster_scheduling", policy) &&
                    read_optional(carveout, "shared_carveout", options.shared_carveout) &&
                    read_optional(domain, "memory_domain", options.memory_domain) &&
                    read_optional(map, "memory_domain_map", options.memory_domain_map);
  if (!good) return nullptr;
  options.cluster_scheduling = static_cast<cucore_cluster_scheduling>(policy);
  if (!pointed_to.is_empty()) {
    config->more = make_more(pointed_to, options);
    if (!config->more) return nullptr;
  }
  return self.release();
}

void forget(PyObject* self) {
  if (reinterpret_cast<LaunchConfigObject*>(self)->weak) PyObject_ClearWeakRefs(self);
  delete reinterpret_cast<LaunchConfigObject*>(self)->more;
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

PyObject* get_preferred_cluster(PyObject* self, void*) {
  const uint32_t* extent = options_of(self).preferred_cluster;
  if ((extent[0] | extent[1] | extent[2]) == 0) Py_RETURN_NONE;
  return tuple(extent);
}
PyObject* get_scheduling(PyObject* self, void*) {
  return from_enum(EnumClass::ClusterScheduling, options_of(self).cluster_scheduling);
}

template <int32_t cucore_launch_options::*FIELD>
PyObject* get_int(PyObject* self, void*) {
  return PyLong_FromLong(options_of(self).*FIELD);
}

template <int32_t cucore_launch_options::*FIELD>
PyObject* get_flag(PyObject* self, void*) {
  return PyBool_FromLong(options_of(self).*FIELD);
}

template <Object LaunchMore::*OBJECT>
PyObject* get_object(PyObject* self, void*) {
  const LaunchMore* const more = reinterpret_cast<LaunchConfigObject*>(self)->more;
  if (!more || !(more->*OBJECT)) Py_RETURN_NONE;
  return Object::borrowed((more->*OBJECT).get()).release();
}

// The dict that was given could change; None stays None.
PyObject* get_attributes(PyObject* self, void*) {
  const LaunchMore* const more = reinterpret_cast<LaunchConfigObject*>(self)->more;
  if (!more || !more->attributes_object) Py_RETURN_NONE;
  return PyDict_Copy(more->attributes_object.get());
}

struct Setting {
  const char* name;
  PyObject* (*get)(PyObject* self, void*);
};

// Those that repr() always shows, in the order of the arguments.
constexpr Setting SHOWN[] = {{"grid", get_grid},
                             {"block", get_block},
                             {"cluster", get_cluster},
                             {"dynamic_shared", get_dynamic_shared},
                             {"cooperative", get_cooperative},
                             {"programmatic_serialization", get_programmatic},
                             {"priority", get_priority}};
// Those that repr() shows if they are set.
constexpr Setting OTHERS[] = {
    {"preferred_cluster", get_preferred_cluster},
    {"cluster_scheduling", get_scheduling},
    {"shared_carveout", get_int<&cucore_launch_options::shared_carveout>},
    {"memory_domain", get_int<&cucore_launch_options::memory_domain>},
    {"memory_domain_map", get_int<&cucore_launch_options::memory_domain_map>},
    {"programmatic_event", get_object<&LaunchMore::programmatic_object>},
    {"programmatic_at_start", get_flag<&cucore_launch_options::programmatic_at_start>},
    {"completion_event", get_object<&LaunchMore::completion_object>},
    {"access_window", get_object<&LaunchMore::window_object>},
    {"device_updatable", get_flag<&cucore_launch_options::device_updatable>},
    {"nvlink_scheduling", get_flag<&cucore_launch_options::nvlink_scheduling>},
    {"attributes", get_attributes}};

// Returns (name, value) of all settings that repr() shows; their repr() is equal for equal ones.
Object shown_values(PyObject* self) {
  Object all(PyList_New(0));
  const auto add = [&](const Setting& setting, bool is_optional) {
    const Object value(setting.get(self, nullptr));
    if (!value) return false;
    if (is_optional) {
      const int is_set = PyObject_IsTrue(value.get());
      if (is_set <= 0) return is_set == 0;
    }
    const Object pair(Py_BuildValue("sO", setting.name, value.get()));
    return pair && PyList_Append(all.get(), pair.get()) == 0;
  };
  for (const Setting& setting : SHOWN)
    if (!all || !add(setting, false)) return {};
  for (const Setting& setting : OTHERS)
    if (!add(setting, true)) return {};
  return all;
}

PyObject* repr(PyObject* self) {
  const Object values = shown_values(self);
  if (!values) return nullptr;
  Object text(PyUnicode_FromString(""));
  for (Py_ssize_t i = 0; text && i < PyList_GET_SIZE(values.get()); ++i) {
    PyObject* const pair = PyList_GET_ITEM(values.get(), i);
    text = Object(PyUnicode_FromFormat("%U%s%U=%R", text.get(), i ? ", " : "",
                                       PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1)));
  }
  return text ? PyUnicode_FromFormat("LaunchConfig(%U)", text.get()) : nullptr;
}

// Of the numbers, which equal configurations have in common.
Py_hash_t hash(PyObject* self) {
  const cucore_launch_options& options = options_of(self);
  const Object values(Py_BuildValue("NNNIiii", get_grid(self, nullptr), get_block(self, nullptr),
                                    get_cluster(self, nullptr), options.dynamic_shared,
                                    options.cooperative, options.programmatic_serialization,
                                    options.priority));
  return values ? PyObject_Hash(values.get()) : -1;
}

PyObject* compare(PyObject* self, PyObject* other, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(other) != Py_TYPE(self))
    Py_RETURN_NOTIMPLEMENTED;
  const Object mine = shown_values(self), theirs = shown_values(other);
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
    {"preferred_cluster", get_preferred_cluster, nullptr,
     "Blocks a cluster where they fit, a multiple of the cluster, or None.", nullptr},
    {"cluster_scheduling", get_scheduling, nullptr, "The placement of the blocks of a cluster.",
     nullptr},
    {"shared_carveout", get_int<&cucore_launch_options::shared_carveout>, nullptr,
     "Percent of the L1 cache preferred as shared memory; 0 is the kernel's, -1 is none.", nullptr},
    {"memory_domain", get_int<&cucore_launch_options::memory_domain>, nullptr,
     "1 is the remote domain, 0 the stream's.", nullptr},
    {"memory_domain_map", get_int<&cucore_launch_options::memory_domain_map>, nullptr,
     "The number of the default domain | that of the remote one << 8.", nullptr},
    {"programmatic_event", get_object<&LaunchMore::programmatic_object>, nullptr,
     "The event that is recorded when all blocks have triggered it, or None.", nullptr},
    {"programmatic_at_start", get_flag<&cucore_launch_options::programmatic_at_start>, nullptr,
     "Whether each block triggers the event when it begins.", nullptr},
    {"completion_event", get_object<&LaunchMore::completion_object>, nullptr,
     "The event that is recorded when all blocks have begun, or None.", nullptr},
    {"access_window", get_object<&LaunchMore::window_object>, nullptr,
     "The AccessWindow of the launch, or None for the stream's.", nullptr},
    {"device_updatable", get_flag<&cucore_launch_options::device_updatable>, nullptr,
     "Whether kernels may update the node, on a captured stream.", nullptr},
    {"nvlink_scheduling", get_flag<&cucore_launch_options::nvlink_scheduling>, nullptr,
     "Whether it is scheduled for the use of NVLink.", nullptr},
    {"attributes", get_attributes, nullptr,
     "Further attributes of the driver, numbers and bytes, or None.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject make_type() {
  PyTypeObject type{};
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(&type), 1);  // never freed
  type.tp_name = "cucore.LaunchConfig";
  type.tp_basicsize = sizeof(LaunchConfigObject);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_doc =
      "LaunchConfig(grid, block, *, cluster=None, dynamic_shared=0, cooperative=False, "
      "programmatic_serialization=False, priority=0, preferred_cluster=None, "
      "cluster_scheduling=0, shared_carveout=0, memory_domain=0, memory_domain_map=0, "
      "programmatic_event=None, programmatic_at_start=False, completion_event=None, "
      "access_window=None, device_updatable=False, nvlink_scheduling=False, "
      "attributes=None)\n--\n\n"
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
