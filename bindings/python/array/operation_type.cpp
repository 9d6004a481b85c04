// SPDX-License-Identifier: Apache-2.0
// The type Operation: an element-wise operation of the table as a function, such as add.
#include <Python.h>
#include <structmember.h>

#include <cstddef>

#include "array_type.hpp"
#include "errors.hpp"
#include "object.hpp"
#include "operations.hpp"

namespace cucore::bind::arrays {
namespace {

struct OperationObject {
  PyObject_HEAD int op, operands, outputs;
  PyObject* name;
  PyObject* doc;
  PyObject* module_name;
  vectorcallfunc call;
};

OperationObject* self_of(PyObject* self) { return reinterpret_cast<OperationObject*>(self); }

// The elements that are written; lists and arrays of other libraries are converted.
bool take_where(PyObject* value, Settings& settings) {
  if (value == Py_True) return true;
  const Object found = is_array(value) ? Object::borrowed(value)
                                       : Object(PyObject_CallOneArg(module.convert, value));
  return found && static_cast<bool>(settings.where = Use(found.get()));
}

// A keyword argument; None is the default.
bool take_keyword(PyObject* name, PyObject* value, Settings& settings, PyObject*& out) {
  if (value == Py_None) return true;
  if (PyUnicode_CompareWithASCIIString(name, "dtype") == 0)
    return (settings.dtype = dtype_number(value)) > 0;
  if (PyUnicode_CompareWithASCIIString(name, "where") == 0) return take_where(value, settings);
  if (PyUnicode_CompareWithASCIIString(name, "out") == 0) {
    if (PyTuple_Check(value) && PyTuple_GET_SIZE(value) == 1) value = PyTuple_GET_ITEM(value, 0);
    out = value;
    return static_cast<bool>(settings.out = Use(value));
  }
  PyErr_Format(PyExc_TypeError,
               "'%U' is not a keyword of an element-wise operation; expected out, where or dtype",
               name);
  return false;
}

PyObject* call_operation(PyObject* self, PyObject* const* arguments, size_t flags,
                         PyObject* keywords) {
  const auto* operation = self_of(self);
  const Py_ssize_t count = PyVectorcall_NARGS(flags);
  Settings settings;
  PyObject* out = nullptr;
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i)
    if (!take_keyword(PyTuple_GET_ITEM(keywords, i), arguments[count + i], settings, out))
      return nullptr;
  if (count != operation->operands)
    return PyErr_Format(PyExc_TypeError, "%U() has %d operand%s; %zd given", operation->name,
                        operation->operands, plural(static_cast<size_t>(operation->operands)),
                        count);
  if (settings.where && !out)
    return PyErr_Format(PyExc_ValueError,
                        "%U(): where needs out, whose other elements stay as they are",
                        operation->name);
  PyObject* result = apply(operation->op, arguments, static_cast<size_t>(count),
                           static_cast<size_t>(operation->outputs), settings);
  if (result == Py_NotImplemented) {
    Py_DECREF(result);
    return PyErr_Format(PyExc_TypeError, "%U(): an operand is neither a number nor an array",
                        operation->name);
  }
  if (!result || !out) return result;
  Py_DECREF(result);
  Py_INCREF(out);
  return out;
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject*) {
  int op = 0, operands = 0, outputs = 0;
  PyObject *name, *doc;
  if (!PyArg_ParseTuple(args, "iiiUU", &op, &operands, &outputs, &name, &doc)) return nullptr;
  auto* made = reinterpret_cast<OperationObject*>(type->tp_alloc(type, 0));
  if (!made) return nullptr;
  made->op = op;
  made->operands = operands;
  made->outputs = outputs;
  Py_INCREF(name), Py_INCREF(doc);
  made->name = name;
  made->doc = doc;
  made->module_name = PyUnicode_FromString("cucore.array");
  made->call = call_operation;
  return reinterpret_cast<PyObject*>(made);
}

void drop(PyObject* self) {
  Py_XDECREF(self_of(self)->name);
  Py_XDECREF(self_of(self)->doc);
  Py_XDECREF(self_of(self)->module_name);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* describe(PyObject* self) {
  return PyUnicode_FromFormat("<operation '%U'>", self_of(self)->name);
}

PyObject* signature(PyObject* self, void*) {
  return PyObject_CallFunction(module.make_signature, "i", self_of(self)->operands);
}

// Operations are pickled by name.
PyObject* reduce(PyObject* self, PyObject*) {
  Py_INCREF(self_of(self)->name);
  return self_of(self)->name;
}

PyMemberDef members[] = {
    {"__name__", T_OBJECT, offsetof(OperationObject, name), READONLY, nullptr},
    {"__qualname__", T_OBJECT, offsetof(OperationObject, name), READONLY, nullptr},
    {"__doc__", T_OBJECT, offsetof(OperationObject, doc), READONLY, nullptr},
    {"__module__", T_OBJECT, offsetof(OperationObject, module_name), READONLY, nullptr},
    {"nin", T_INT, offsetof(OperationObject, operands), READONLY, "The number of operands."},
    {"nout", T_INT, offsetof(OperationObject, outputs), READONLY, "The number of results."},
    {"number", T_INT, offsetof(OperationObject, op), READONLY,
     "The number in the table of operations."},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OperationObject, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyGetSetDef properties[] = {{"__signature__", signature, nullptr, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(drop)},
                       {Py_tp_repr, reinterpret_cast<void*>(describe)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_members, members},
                       {Py_tp_getset, properties},
                       {Py_tp_methods, methods},
                       {0, nullptr}};

}  // namespace

PyTypeObject* make_operation_type() {
  PyType_Spec spec = {"cucore.array.Operation", sizeof(OperationObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

}  // namespace cucore::bind::arrays
