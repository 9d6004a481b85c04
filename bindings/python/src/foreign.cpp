// SPDX-License-Identifier: Apache-2.0
// Recognises objects of libraries that this one does not import. They are looked up in sys.modules,
// because their values cannot exist before the import.
#include "foreign.hpp"

#include <bit>

#include "launcher.hpp"
#include "registered.hpp"

namespace cucore::bind {

PyTypeObject* find_class(const char* module, const char* name) {
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* found = modules ? PyDict_GetItemString(modules, module) : nullptr;
  PyObject* type = found ? PyObject_GetAttrString(found, name) : nullptr;
  if (!type) PyErr_Clear();
  return type && PyType_Check(type) ? reinterpret_cast<PyTypeObject*>(type)
                                    : nullptr;  // never released
}

namespace {

bool is_of(PyObject* value, PyTypeObject*& cached, const char* module, const char* name) {
  if (!cached) cached = find_class(module, name);
  return cached && PyType_IsSubtype(Py_TYPE(value), cached);
}

PyTypeObject* numpy_generic = nullptr;
PyTypeObject* ctypes_scalar = nullptr;
PyTypeObject* ctypes_data = nullptr;

bool has(PyObject* value, const char* name) {
  PyObject* found = PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(value)), name);
  if (!found) PyErr_Clear();
  Py_XDECREF(found);
  return found != nullptr;
}

}  // namespace

bool is_numpy_scalar(PyObject* value) { return is_of(value, numpy_generic, "numpy", "generic"); }

char numpy_kind(PyObject* value) {
  const Object dtype(PyObject_GetAttrString(value, "dtype"));
  const Object kind(dtype ? PyObject_GetAttrString(dtype.get(), "kind") : nullptr);
  return kind && PyUnicode_GetLength(kind.get()) == 1
             ? static_cast<char>(PyUnicode_ReadChar(kind.get(), 0))
             : '\0';
}

bool is_ctypes_scalar(PyObject* value) {
  return is_of(value, ctypes_scalar, "_ctypes", "_SimpleCData");
}

bool is_ctypes_pointer(PyObject* value) {
  const Object code(PyObject_GetAttrString(value, "_type_"));
  if (!code) PyErr_Clear();
  if (!code || !PyUnicode_Check(code.get()) || PyUnicode_GetLength(code.get()) != 1) return false;
  const Py_UCS4 letter = PyUnicode_ReadChar(code.get(), 0);
  return letter == 'P' || letter == 'z' || letter == 'Z';
}

bool is_swapped(PyObject* value) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(value));
  const char* native = std::endian::native == std::endian::little ? "__ctype_le__" : "__ctype_be__";
  const Object same(PyObject_GetAttrString(type, native));
  if (!same) PyErr_Clear();  // of one byte
  return same && same.get() != type;
}

bool is_ctypes(PyObject* value) {
  // The base class of all of ctypes has no public name: it is that of _SimpleCData.
  if (!ctypes_data) {
    PyTypeObject* scalar = find_class("_ctypes", "_SimpleCData");
    ctypes_data = scalar ? scalar->tp_base : nullptr;
  }
  return ctypes_data && PyType_IsSubtype(Py_TYPE(value), ctypes_data);
}

Found find_foreign_memory(PyObject* value, const cucore_stream* stream, ForeignMemory& out) {
  if (!has(value, "__cuda_array_interface__") && !has(value, "__dlpack__")) return Found::NO;
  const Object ours(new_stream(cucore_stream_retain(stream)));
  const Object found(
      ours ? PyObject_CallFunctionObjArgs(registered.foreign_memory, value, ours.get(), nullptr)
           : nullptr);
  if (!found) return Found::ERROR;
  if (found.get() == Py_None) return Found::NO;
  unsigned long long address = 0;
  PyObject* keeper = nullptr;
  if (!PyArg_ParseTuple(found.get(), "KO", &address, &keeper)) return Found::ERROR;
  out.address = address;
  out.keeper = Object::borrowed(keeper);
  return Found::YES;
}

}  // namespace cucore::bind
