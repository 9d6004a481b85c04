// SPDX-License-Identifier: Apache-2.0
// The module _cucore: finds its types, adds their common methods, and joins them by functions.
#include "module.hpp"

#include <cstring>

#include "buffers.hpp"
#include "convert.hpp"
#include "errors.hpp"
#include "graphs.hpp"
#include "handles.hpp"
#include "hot_calls.hpp"
#include "launcher.hpp"
#include "native_calls.hpp"
#include "object.hpp"
#include "objects.hpp"
#include "prepared_launch.hpp"
#include "registered.hpp"

namespace cucore::bind {
namespace {

// _register(...): the functions that are written in Python, in the order of Registered.
PyObject* register_all(PyObject*, PyObject* args) {
  Registered now{};
  if (!PyArg_ParseTuple(args, "OO!O!OOOO!O", &now.make_error, &PyTuple_Type, &now.enums,
                        &PyDict_Type, &now.arguments, &now.foreign_memory, &now.foreign_stream,
                        &now.reclaim, &PyType_Type, &now.node, &now.warn_of_cpu_device))
    return nullptr;
  if (PyTuple_GET_SIZE(now.enums) != static_cast<Py_ssize_t>(EnumClass::COUNT)) {
    PyErr_SetString(PyExc_ValueError, "wrong number of enums");
    return nullptr;
  }
  Py_INCREF(args);  // forever, as the module is
  registered = now;
  register_enums(now.enums);
  Py_RETURN_NONE;
}

// The types are common to all interpreters of a process, but the Python code belongs to one.
bool is_main_interpreter() {
  if (PyInterpreterState_Get() == PyInterpreterState_Main()) return true;
  PyErr_SetString(
      PyExc_ImportError,
      "cucore is for the main interpreter: use threads or processes, not subinterpreters");
  return false;
}

// _extend(type, name, value): a method or property written in Python, for a type written in C.
PyObject* extend(PyObject*, PyObject* args) {
  PyTypeObject* type = nullptr;
  const char* name = nullptr;
  PyObject* value = nullptr;
  if (!is_main_interpreter()) return nullptr;
  if (!PyArg_ParseTuple(args, "O!sO", &PyType_Type, &type, &name, &value)) return nullptr;
  const Object added(quicken(type, name, value));
  if (!added || PyDict_SetItemString(type->tp_dict, name, added.get()) != 0) return nullptr;
  PyType_Modified(type);
  Py_RETURN_NONE;
}

// _describe(type, text): the docstring of a type, with its signature.
PyObject* describe(PyObject*, PyObject* args) {
  PyTypeObject* type = nullptr;
  const char* text = nullptr;
  if (!PyArg_ParseTuple(args, "O!s", &PyType_Type, &type, &text)) return nullptr;
  type->tp_doc = strdup(text);  // forever, as the type is
  const char* behind_signature = strstr(text, "--\n\n");
  const Object doc(PyUnicode_FromString(behind_signature ? behind_signature + 4 : text));
  if (!doc || PyDict_SetItemString(type->tp_dict, "__doc__", doc.get()) != 0) return nullptr;
  PyType_Modified(type);
  Py_RETURN_NONE;
}

// Calls a function whose exception goes to sys.unraisablehook.
PyObject* call_reported(PyObject*, PyObject* function) {
  const Object result(PyObject_CallObject(function, nullptr));
  if (!result) PyErr_WriteUnraisable(function);
  Py_RETURN_NONE;
}

PyCFunction fast(PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef functions[] = {
    //: cucore_kernel_launch
    {"launch", fast(guarded_call<launch>), METH_FASTCALL,
     "launch(stream, config, kernel, /, *args)\n--\n\n"
     "Launches a kernel on a stream. Each argument is converted to the kernel's own parameter; "
     "what does not fit "
     "is refused with the argument's number."},
    {"_prepare", fast(guarded_call<prepare>), METH_FASTCALL, nullptr},
    {"_update", fast(guarded_call<update_prepared>), METH_FASTCALL, nullptr},
    {"_add_kernel", fast(guarded_call<add_kernel>), METH_FASTCALL, nullptr},
    {"_set_kernel", fast(guarded_call<set_kernel>), METH_FASTCALL, nullptr},
    {"_address", fast(guarded_call<address_of>), METH_FASTCALL, nullptr},
    {"_stream_at", stream_at, METH_O, nullptr},
    {"_kernel_at", kernel_at, METH_O, nullptr},
    {"_raise", fast(guarded_call<raise_error>), METH_FASTCALL, nullptr},
    {"_with_arguments", fast(guarded_call<with_arguments>), METH_FASTCALL, nullptr},
    {"_call_reported", call_reported, METH_O, nullptr},
    {"_export_dlpack", guarded_call<export_dlpack>, METH_VARARGS, nullptr},
    {"_import_dlpack", guarded_call<import_dlpack>, METH_O, nullptr},
    {"_register", register_all, METH_VARARGS, nullptr},
    {"_extend", extend, METH_VARARGS, nullptr},
    {"_describe", describe, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

#define CUCORE_NAME(Class, type, name) #Class,
constexpr const char* NAMES[] = {CUCORE_HANDLES(CUCORE_NAME)};
#undef CUCORE_NAME

bool find_types(PyObject* module) {
  for (int i = 0; i < static_cast<int>(Type::COUNT); ++i) {
    PyObject* type = PyObject_GetAttrString(module, NAMES[i]);
    if (!type) return false;
    types[i] = reinterpret_cast<PyTypeObject*>(type);  // kept forever, as the module is
  }
  return true;
}

bool add_type(PyObject* module, const char* name, PyTypeObject* type) {
  if (PyType_Ready(type) != 0) return false;
  Py_INCREF(type);
  return PyModule_AddObject(module, name, reinterpret_cast<PyObject*>(type)) == 0;
}

}  // namespace

bool add_to(PyObject* module) {
  begin_with_signatures(module);
  return find_types(module) && add_common_methods() && add_hot_calls() &&
         add_type(module, "LaunchConfig", &LaunchConfigType) &&
         add_type(module, "Launcher", &LauncherType) &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace cucore::bind
